-- name: StripeCustomer :one
select * from stripe_customer where team_id = @team_id and livemode = @livemode;

-- name: SaveStripeCustomer :exec
-- Saves a team's first customer; later ones change nothing. No conflict target is named, because a concurrent insert of
-- the same customer may conflict in either unique index.
insert into stripe_customer (team_id, livemode, customer_id, email, created_at)
values (@team_id, @livemode, @customer_id, @email, @now)
on conflict do nothing;

-- name: SetReceiptEmail :exec
update stripe_customer set email = @email where customer_id = @customer_id and email <> @email;

-- name: SetCard :execrows
-- Stores a team's card. Events arrive in any order: the card that was set up last is the team's.
update stripe_customer c
set payment_method_id = @payment_method_id::text, card_set_at = @set_at::timestamptz,
    email = case when c.email = '' then @email::text else c.email end
where c.customer_id = @customer_id and (c.card_set_at is null or c.card_set_at <= @set_at::timestamptz);

-- name: RemoveCard :exec
-- Removes a team's card with its time: Stripe's clock may be behind, and the next card must not look older than this.
update stripe_customer set payment_method_id = null, card_set_at = null where customer_id = @customer_id;

-- name: OpenTopup :one
-- Starts a purchase with a team's card, if its last attempt is long enough ago and it is within its limits. Concurrent
-- attempts wait for the customer's row and then see each other's time. The index topup_open refuses a second unfinished
-- purchase, and topup_idem a second one with the same key.
with slot as (
    update stripe_customer c
    set last_attempt_at = @now::timestamptz
    where c.team_id = @team_id and c.livemode = @livemode and c.payment_method_id is not null
        and (c.last_attempt_at is null or c.last_attempt_at <= @attempt_before::timestamptz)
        and (
            select count(*) from topup t
            where t.team_id = @team_id and t.kind = 'saved_card' and t.created_at > @day_ago::timestamptz
        ) < @attempts_most::bigint
        and (
            select coalesce(sum(t.amount_cents), 0) from topup t
            where t.team_id = @team_id and t.state <> 'failed' and t.created_at > @day_ago::timestamptz
        ) + @amount_cents::bigint <= @cents_most::bigint
    returning c.customer_id, c.payment_method_id, c.email
)

insert into topup (
    id, team_id, kind, livemode, credits, amount_cents, customer_id, payment_method_id, receipt_email,
    idem_key, request_hash, hosted_id, next_look_at, created_at
)
select
    @id::text, @team_id, 'saved_card', @livemode, @credits, @amount_cents::bigint, slot.customer_id, slot.payment_method_id, slot.email,
    sqlc.narg('idem_key')::text, sqlc.narg('request_hash')::bytea, @hosted_id::text, @next_look_at::timestamptz, @now::timestamptz
from slot
returning *;

-- name: TopupLimits :one
-- Explains why OpenTopup returned no row.
select
    c.last_attempt_at,
    (
        select count(*) from topup t
        where t.team_id = c.team_id and t.kind = 'saved_card' and t.created_at > @day_ago::timestamptz
    ) as attempts,
    (
        select coalesce(sum(t.amount_cents), 0)::bigint from topup t
        where t.team_id = c.team_id and t.state <> 'failed' and t.created_at > @day_ago::timestamptz
    ) as cents,
    (
        select coalesce(min(t.created_at), @now::timestamptz)::timestamptz from topup t
        where t.team_id = c.team_id and t.created_at > @day_ago::timestamptz
    ) as oldest
from stripe_customer c
where c.team_id = @team_id and c.livemode = @livemode;

-- name: Topup :one
select * from topup where id = @id;

-- name: TopupByKey :one
select * from topup where team_id = @team_id and idem_key = @idem_key::text;

-- name: TopupByIntent :one
select * from topup where payment_intent_id = @payment_intent_id::text;

-- name: TopupForUpdate :one
select * from topup where id = @id for update;

-- name: OpenTopupOf :one
select * from topup
where team_id = @team_id and livemode = @livemode
    and state in ('pending', 'unknown', 'processing', 'action_required');

-- name: CreditTopup :one
-- The only statement that turns a payment into credits, for the request, the webhook and the sweeper alike. It marks
-- the purchase, credits the account (which first pays what it owes) and writes the ledger together, once. A payment
-- that differs from what was requested is recorded and credits nothing. No row: the purchase is credited already.
--
-- A purchase that was given up as failed is credited, too, if Stripe reports that it was paid after all.
with marked as (
    update topup t
    set state = case
            when t.amount_cents = @amount_received::bigint and @currency::text = 'usd'
                and t.customer_id = @customer_id::text and t.livemode = @livemode::bool
                and coalesce(t.payment_intent_id, @payment_intent_id::text) = @payment_intent_id::text then 'succeeded'
            else 'mismatch'
        end,
        payment_intent_id = coalesce(t.payment_intent_id, @payment_intent_id::text),
        paid_at = @now::timestamptz,
        error_code = '', decline_code = '', error_message = '',
        version = t.version + 1, next_look_at = null, updated_at = now()
    where t.id = @id and t.state <> 'succeeded'
    returning t.id, t.team_id, t.state, t.credits, t.amount_cents
),

account as (
    select a.id
    from ledger_account a
    join marked on marked.state = 'succeeded' and a.team_id = marked.team_id and a.kind = 'customer' and a.unit = 'credit'
),

pending as (
    insert into ledger_pending (account_id, spendable, covered)
    select account.id, marked.credits, false from account, marked
),

-- An account that is missing is null here, and a null is refused: with it goes the
-- whole statement.
entries as (
    insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key, note)
    select
        (select h.id from ledger_account h where h.kind = 'stripe_clearing' and h.unit = e.unit),
        case
            when e.unit = 'credit' then (select account.id from account)
            else (select h.id from ledger_account h where h.kind = 'revenue' and h.unit = e.unit)
        end,
        e.amount, e.unit, 'topup', 'stripe:' || @payment_intent_id::text || e.suffix, marked.id
    from marked
    cross join lateral (
        values (marked.credits, 'credit', ''), (marked.amount_cents, 'usd_cent', ':cents')
    ) as e (amount, unit, suffix)
    where marked.state = 'succeeded'
),

recorded as (
    insert into topup_mismatch (payment_intent_id, topup_id, amount_received, currency, customer_id, livemode, reason, created_at)
    select
        @payment_intent_id::text, marked.id, @amount_received::bigint, @currency::text, @customer_id::text, @livemode::bool,
        'the payment is not the one that was asked for', @now::timestamptz
    from marked
    where marked.state = 'mismatch'
    on conflict (payment_intent_id) do nothing
)

select marked.state from marked;

-- name: RecordTopupMismatch :execrows
insert into topup_mismatch (payment_intent_id, topup_id, amount_received, currency, customer_id, livemode, reason, created_at)
values (@payment_intent_id, @topup_id, @amount_received, @currency, @customer_id, @livemode, @reason, @now)
on conflict (payment_intent_id) do nothing;

-- name: ListTopupMismatches :many
-- For operators: money that was received and not credited, and a person's decision on it. waiting_only: only undecided.
select m.*, r.note, r.resolved_by, r.database_role, r.resolved_at
from topup_mismatch m
left join topup_mismatch_resolution r on r.payment_intent_id = m.payment_intent_id
where not @waiting_only::bool or r.payment_intent_id is null
order by m.created_at, m.payment_intent_id;

-- name: TopupMismatch :one
select m.*, r.note, r.resolved_by, r.database_role, r.resolved_at
from topup_mismatch m
left join topup_mismatch_resolution r on r.payment_intent_id = m.payment_intent_id
where m.payment_intent_id = @payment_intent_id;

-- name: ResolveTopupMismatch :execrows
-- Records a person's decision. No row: there is no such mismatch, or it was decided before.
insert into topup_mismatch_resolution (payment_intent_id, note, resolved_by, resolved_at)
select m.payment_intent_id, @note::text, @resolved_by::text, @now::timestamptz
from topup_mismatch m
where m.payment_intent_id = @payment_intent_id
on conflict (payment_intent_id) do nothing;

-- name: TakeBackTopup :execrows
-- Updates a credited purchase to what Stripe now says is refunded and withheld for disputes. taken is what the account
-- loses in credits, negative if it gains: available credits are taken at once and the rest is owed; credits that come
-- back first pay what is owed. Entries are given by kind, positive from the customer and negative to the customer. No
-- row: version, from which they were computed, is no longer the purchase's.
with marked as (
    update topup t
    set refunded_cents = @refunded_cents::bigint, disputed_cents = @disputed_cents::bigint,
        version = t.version + 1, updated_at = now()
    where t.id = @id and t.version = @version::bigint and t.state = 'succeeded'
    returning t.id, t.team_id, t.payment_intent_id, t.version, @taken::bigint as taken
),

account as (
    select a.id
    from ledger_account a
    join marked on a.team_id = marked.team_id and a.kind = 'customer' and a.unit = 'credit'
),

pending as (
    insert into ledger_pending (account_id, spendable, covered)
    select account.id, -marked.taken, false from account, marked
),

side as (
    select
        e.kind, e.amount, e.unit, e.suffix,
        (select h.id from ledger_account h where h.kind = 'stripe_clearing' and h.unit = e.unit) as clearing,
        case
            when e.unit = 'credit' then (select account.id from account)
            else (select h.id from ledger_account h where h.kind = 'revenue' and h.unit = e.unit)
        end as other
    from (
        select unnest(@kinds::text[]) as kind, unnest(@credits::bigint[]) as amount, 'credit' as unit, '' as suffix
        union all
        select unnest(@kinds::text[]), unnest(@cents::bigint[]), 'usd_cent', ':cents'
    ) e
),

entries as (
    insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key, note)
    select
        case when side.amount > 0 then side.other else side.clearing end,
        case when side.amount > 0 then side.clearing else side.other end,
        abs(side.amount), side.unit, side.kind,
        'stripe:' || marked.payment_intent_id || ':' || marked.version || side.suffix, marked.id
    from marked
    cross join side
    where side.amount <> 0
)

select marked.id from marked;

-- name: SeeTopup :execrows
-- Records that Stripe was asked and agrees with the row. This counts as a change, so that an older report of Stripe
-- cannot be written after it.
update topup set version = version + 1 where id = @id and version = @version;

-- name: MarkTopupUnknown :exec
update topup
set state = 'unknown', payment_intent_id = coalesce(payment_intent_id, sqlc.narg('payment_intent_id')::text), updated_at = now()
where id = @id and state in ('pending', 'unknown');

-- name: MarkTopupProcessing :exec
update topup
set state = 'processing', payment_intent_id = coalesce(payment_intent_id, @payment_intent_id::text), updated_at = now()
where id = @id and state in ('pending', 'unknown', 'action_required');

-- name: FailTopup :execrows
update topup
set state = 'failed', payment_intent_id = coalesce(payment_intent_id, sqlc.narg('payment_intent_id')::text),
    error_code = @error_code, decline_code = @decline_code, error_message = @error_message,
    version = version + 1, next_look_at = null, updated_at = now()
where id = @id and state in ('pending', 'unknown', 'processing', 'action_required');

-- name: FailTopupWithPage :execrows
-- The card issuer requires the owner to act: fails the purchase, and replaces it in the same step by one that the owner
-- can pay on a Stripe page.
with failed as (
    update topup t
    set state = 'failed', payment_intent_id = coalesce(t.payment_intent_id, sqlc.narg('payment_intent_id')::text),
        error_code = @error_code, decline_code = @decline_code, error_message = @error_message,
        action_url = @action_url, version = t.version + 1, next_look_at = null, updated_at = now()
    where t.id = @id and t.kind = 'saved_card' and t.state in ('pending', 'unknown', 'processing')
    returning t.*
)

insert into topup (
    id, team_id, kind, livemode, credits, amount_cents, customer_id, receipt_email, state, session_id, action_url,
    next_look_at, created_at
)
select
    failed.hosted_id, failed.team_id, 'hosted', failed.livemode, failed.credits, failed.amount_cents, failed.customer_id,
    failed.receipt_email, 'action_required', @session_id::text, @action_url, @next_look_at::timestamptz, @now::timestamptz
from failed;

-- name: ReleaseTopup :execrows
-- Ends a purchase for which nothing was tried, and frees its key for the next request.
update topup
set state = 'failed', error_code = @error_code, idem_key = null, version = version + 1, next_look_at = null, updated_at = now()
where id = @id and state = 'pending';

-- name: TakeDueTopups :many
-- Gives purchases of unknown outcome to a sweeper. If the sweeper is lost, they are due again when the lease ends.
with due as (
    select t.id from topup t
    where t.state in ('pending', 'unknown', 'processing', 'action_required')
        and t.livemode = @livemode and t.next_look_at <= @now::timestamptz
    order by t.next_look_at
    limit @batch_size::int
    for update skip locked
)

update topup t
set next_look_at = @lease_until::timestamptz, looks = t.looks + 1,
    state = case when t.state = 'pending' then 'unknown' else t.state end, updated_at = now()
from due
where t.id = due.id
returning t.*;

-- name: LookAgainAt :exec
update topup set next_look_at = @next_look_at::timestamptz
where id = @id and state in ('pending', 'unknown', 'processing', 'action_required');

-- name: RecordStripeEvent :execrows
insert into stripe_event (id, type, received_at) values (@id, @type, @now)
on conflict (id) do nothing;

-- name: StripeEventIsDone :one
select exists (select from stripe_event where id = @id) as done;

-- name: ForgetStripeEvents :execrows
-- Deletes old events. Stripe repeats an event for three days, or if a person asks for it within thirty days.
delete from stripe_event where received_at < @before::timestamptz;

-- name: ListTopupsWithEntries :many
-- Purchases begun in a time span, and what the ledger has for each: credits given to the team and cents received, both
-- less what was taken back.
select
    t.id, t.state, t.payment_intent_id, t.credits, t.amount_cents,
    coalesce(sum(case when l.unit = 'credit' then case when d.kind = 'stripe_clearing' then l.amount else -l.amount end else 0 end), 0)::bigint as entry_credits,
    coalesce(sum(case when l.unit = 'usd_cent' then case when d.kind = 'stripe_clearing' then l.amount else -l.amount end else 0 end), 0)::bigint as entry_cents
from topup t
left join ledger_transfer l on l.note = t.id and l.idem_key like 'stripe:%'
left join ledger_account d on d.id = l.debit_account
where t.livemode = @livemode and t.created_at >= @since and t.created_at < @until
group by t.id
order by t.created_at, t.id;

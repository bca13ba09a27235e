-- In all of these an account's new values are worked out from the row at hand, and
-- are right for any version of it: Postgres tries them on the version of the
-- statement's snapshot, its checks included, before it finds that there is a newer
-- one, which is the one that was locked.

-- name: OpenHold :one
-- Sets credits aside for a job, where they are available; a job has one hold.
-- Returns what was available, and whether the hold was opened now.
with account as materialized (
    select a.id, a.balance - a.held as available
    from ledger_account a
    where a.id = @account_id::bigint and a.kind = 'customer' and a.unit = 'credit'
    for update
),

opened as (
    insert into hold (id, account_id, key_id, job_id, operation, amount, expires_at)
    select @id::uuid, account.id, sqlc.narg('key_id')::bigint, @job_id::text, @operation::text, @amount::bigint,
        now() + make_interval(secs => @lasts_seconds::float8)
    from account
    where account.available >= @amount::bigint
    on conflict (job_id) do nothing
    returning account_id, amount
),

account_change as (
    update ledger_account a
    set held = least(a.held + opened.amount, a.balance), version = a.version + 1 -- it fits into the locked version
    from opened
    where a.id = opened.account_id
)

select account.available::bigint as available, (select count(*) from opened) = 1 as opened
from account;

-- name: JobHold :one
select
    h.id, h.account_id, h.key_id, h.operation, h.amount, h.captured, h.captures, h.state, h.expires_at,
    (h.expires_at <= now())::bool as is_over
from hold h
where h.job_id = $1;

-- name: CaptureHold :execrows
-- Takes from a job's hold for n finished items. It touches no other row: the
-- account settles when the hold closes.
update hold
set captured = captured + @amount::bigint, captures = captures + @n::int
where job_id = @job_id and state = 'open' and expires_at > now() and @amount <= amount - captured;

-- name: ExtendHold :execrows
update hold
set expires_at = greatest(expires_at, now() + make_interval(secs => @lasts_seconds::float8))
where job_id = @job_id and state = 'open' and expires_at > now();

-- name: ListExpiredHolds :many
select h.id from hold h
where h.state = 'open' and h.expires_at <= now()
order by h.expires_at
limit @row_limit;

-- name: SettleHolds :many
-- Ends open holds: what was captured is spent, and the rest is free again, but for
-- what the account owes, which is paid first. Locks the holds, then their accounts, each in id order. Holds come first since an item's
-- transaction that captures the last of a job may close the job too; who waits
-- here for such a one then keeps no account from the meter.
with ending as materialized (
    select h.id, h.account_id, h.key_id, h.operation, h.amount, h.captured, h.captures
    from hold h
    where h.id = any(@ids::uuid[]) and h.state = 'open'
        and (@state::text = 'closed' or h.expires_at <= now())
    order by h.id
    for update
),

account as materialized (
    select a.id from ledger_account a
    where a.id in (select ending.account_id from ending)
    order by a.id
    for update
),

change as materialized (
    select account.id, sum(ending.amount)::bigint as released, sum(ending.captured)::bigint as captured
    from ending
    join account on account.id = ending.account_id
    group by account.id
),

account_change as (
    update ledger_account a
    set balance = a.balance - change.captured - least(a.owed, change.released - change.captured),
        held = a.held - change.released,
        owed = a.owed - least(a.owed, change.released - change.captured),
        version = a.version + 1
    from change
    where a.id = change.id
),

hold_change as (
    update hold h set state = @state, closed_at = now() from ending where h.id = ending.id
),

usage as (
    insert into ledger_usage (debit_account, credit_account, amount, key_id, n, operation, hold_id)
    select ending.account_id, revenue.id, ending.captured, ending.key_id, ending.captures, ending.operation, ending.id
    from ending
    join ledger_account revenue on revenue.kind = 'revenue' and revenue.unit = 'credit'
    where ending.captured > 0
)

select ending.id from ending;

-- name: ClawBack :one
-- Takes credits back for money that went back, once per (kind, idem_key): from
-- what is available; the rest is owed. Returns no row if the key was used before.
with account as materialized (
    select a.id, a.balance - a.held as available
    from ledger_account a
    where a.id = @account_id::bigint and a.kind = 'customer' and a.unit = 'credit'
    for update
),

moved as (
    insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key, note)
    select account.id, house.id, @amount::bigint, 'credit', @kind::text, @idem_key::text, sqlc.narg('note')::text
    from account
    join ledger_account house on house.kind = 'stripe_clearing' and house.unit = 'credit'
    on conflict (kind, idem_key) do nothing
    returning id, debit_account, amount
)

update ledger_account a
set balance = a.balance - least(a.balance - a.held, moved.amount),
    owed = a.owed + moved.amount - least(a.balance - a.held, moved.amount),
    version = a.version + 1
from moved, account
where a.id = moved.debit_account and account.id = a.id
returning moved.id as transfer_id, least(account.available, moved.amount)::bigint as taken;

-- name: ReverseTransfer :one
-- Moves the amount of a transfer back, once. Returns no row if there is no such
-- transfer, if it was reversed before, or if the key was used before.
with original as materialized (
    select t.id, t.debit_account, t.credit_account, t.amount, t.unit
    from ledger_transfer t
    where t.id = @id::bigint
),

account as materialized (
    select a.id, a.balance - a.held as available, a.owed
    from ledger_account a
    where a.id in (select unnest(array[original.debit_account, original.credit_account]) from original)
        and a.kind = 'customer'
    order by a.id
    for update
),

moved as (
    insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key, reverses, note)
    select
        original.credit_account, original.debit_account, original.amount, original.unit,
        @kind::text, @idem_key::text, original.id, sqlc.narg('note')::text
    from original
    where (select count(*) from account) >= 0 -- the lock comes first
    on conflict do nothing
    returning id, debit_account, credit_account, amount
),

change as materialized (
    select account.id, account.available, account.owed, moved.amount as given, 0::bigint as taken
    from moved
    join account on account.id = moved.credit_account
    union all
    select account.id, account.available, account.owed, 0, moved.amount
    from moved
    join account on account.id = moved.debit_account
),

-- A customer that it gives to pays what is owed first; from one that it takes
-- from, what is not available is owed.
account_change as (
    update ledger_account a
    set balance = a.balance + change.given - least(a.owed, change.given) - least(a.balance - a.held, change.taken),
        owed = a.owed - least(a.owed, change.given) + change.taken - least(a.balance - a.held, change.taken),
        version = a.version + 1
    from change
    where a.id = change.id
)

select
    moved.id as transfer_id,
    coalesce(change.given - change.taken, 0)::bigint as to_customer,
    coalesce(change.taken - least(change.available, change.taken) - least(change.owed, change.given), 0)::bigint as owed_change
from moved
left join change on true;

-- name: TransferAmount :one
select t.amount from ledger_transfer t where t.id = $1;

-- name: ReversalOf :one
select t.id from ledger_transfer t where t.reverses = $1;

-- name: ListHoldsOutOfLine :many
-- Jobs' holds that do not say what was used under them: one that is open has used
-- nothing yet, one that has ended what it captured; and usage of no hold.
select
    coalesce(h.id, u.hold_id)::uuid as id, coalesce(h.job_id, '')::text as job_id, coalesce(a.team_id, '')::text as team_id,
    coalesce(h.state, 'absent')::text as state,
    coalesce(h.captured, 0)::bigint as captured, coalesce(h.captures, 0)::bigint as captures,
    coalesce(u.amount, 0)::bigint as used, coalesce(u.n, 0)::bigint as uses
from hold h
full join (
    select lu.hold_id, lu.debit_account, sum(lu.amount) as amount, sum(lu.n) as n
    from ledger_usage lu
    where lu.hold_id is not null
    group by lu.hold_id, lu.debit_account
) u on u.hold_id = h.id and u.debit_account = h.account_id
left join ledger_account a on a.id = coalesce(h.account_id, u.debit_account)
where h.id is null
    or h.captured > h.amount
    or (h.state = 'open' and u.hold_id is not null)
    or (h.state <> 'open' and coalesce(u.amount, 0) <> h.captured)
    or (h.state <> 'open' and h.captured > 0 and u.n <> h.captures);

-- name: ListTransfersOutOfLine :many
-- Transfers between accounts that are not there or not of their unit, and
-- reversals that are not the opposite of the transfer that they reverse.
select t.id, (d.id is null or c.id is null)::bool as is_mixed, coalesce(t.reverses, 0)::bigint as reverses
from ledger_transfer t
left join ledger_account d on d.id = t.debit_account and d.unit = t.unit
left join ledger_account c on c.id = t.credit_account and c.unit = t.unit
left join ledger_transfer o on o.id = t.reverses
where d.id is null or c.id is null
    or (
        t.reverses is not null
        and (o.amount, o.unit, o.debit_account, o.credit_account) is distinct from (t.amount, t.unit, t.credit_account, t.debit_account)
    );

-- name: CountUsageOfNoMonth :one
select count(*) from ledger_usage_default;

-- name: MeterBatch :one
-- Runs a meter batch: authorisations and ends of earlier holds. See migrations 00045 (the function) and 00044 (why).
select
    m.locked::bigint[] as locked, coalesce(m.ends_taken, false)::boolean as ends_taken, m.invalid_keys::bigint[] as invalid_keys,
    m.changed::bigint[] as ids, m.taken::bigint[] as taken, m.available::bigint[] as available
from meter(
    @wary::boolean, @id::uuid, @edge_id::uuid, @revenue_account::bigint,
    @end_batch_ids::uuid[], @end_masks::bit varying[], @capture_masks::bit varying[],
    @account_ids::bigint[], @firsts::int[], @lasts::int[], @leasts::bigint[], @totals::bigint[], @freed::bigint[],
    @requesting::int, @slot_account_ids::bigint[], @key_ids::bigint[], @amounts::bigint[], @sums::bigint[], @operations::text[],
    @operation_nums::smallint[], @unused::bit(1024),
    @usage_account_ids::bigint[], @usage_key_ids::bigint[], @usage_amounts::bigint[], @usage_ns::int[], @usage_operations::text[],
    @usage_operation_nums::smallint[]
) m;

-- name: MeterLone :one
-- Runs a batch of one request without ends as MeterBatch would, but without its setup, which takes most of its time on
-- an idle edge. No row: nothing was done, because the request is not accepted or its account is locked.
with change as (
    update ledger_account a
    set available = a.available - @amount::bigint, taken = @amount::bigint, version = a.version + 1, room = ''
    where a.id = (select l.id from ledger_account l where l.id = @account_id::bigint for no key update skip locked)
        and a.available >= @amount::bigint
        and not exists (
            select from api_key k
            where k.id = @key_id::bigint
                and (k.revoked_at is not null or k.expires_at is not null)
                and (k.revoked_at is not null or k.expires_at <= now())
        )
    returning a.available
)

insert into meter_batch (id, edge_id, account_ids, key_ids, amounts, operations, operation_nums, ended)
select
    @id::uuid, @edge_id::uuid, array[@account_id::bigint], array[@key_id::bigint], array[@amount::bigint],
    array[@operation::text], array[1::smallint], @unused::bit(1024)
from change
returning (select change.available from change)::bigint as available;

-- name: ListAvailable :many
-- What can be spent from accounts that a batch did not change.
select a.id, a.available
from ledger_account a
where a.id = any(@account_ids::bigint[]);

-- name: ListFreeMeterBatches :many
-- Those of the batches that no other transaction has locked at the moment.
select b.id, b.ended
from meter_batch b
where b.id = any(@ids::uuid[])
order by b.id
for update skip locked;

-- name: ListMeterBatches :many
-- Those of the batches that exist.
select b.id
from meter_batch b
where b.id = any(@ids::uuid[]);

-- name: MeterBatchEnded :one
select ended from meter_batch where id = $1;

-- name: BarMeterBatch :exec
-- Inserts the id of a batch of unknown outcome, so that it can no longer commit. If it is committing, this waits for
-- it.
insert into meter_batch (id, edge_id, account_ids, key_ids, amounts, operations, operation_nums, ended, done)
values (@id::uuid, @edge_id::uuid, '{}', '{}', '{}', '{}', '{}', repeat('1', 1024)::bit(1024), true)
on conflict (id) do nothing;

-- name: AdoptHold :execrows
-- Turns a request's open hold into a job's: its slot ends, and the amount stays held. No row: the hold is not open.
with slot as (
    select
        b.id, b.account_ids[p.slot + 1] as account_id, b.key_ids[p.slot + 1] as key_id, b.amounts[p.slot + 1] as amount,
        b.operations[b.operation_nums[p.slot + 1]] as operation
    from (select @slot::int as slot) p
    join meter_batch b on b.id = @batch_id::uuid and get_bit(b.ended, p.slot) = 0
    for update of b
),

slot_end as (
    update meter_batch b
    set ended = set_bit(b.ended, @slot::int, 1),
        done = bit_count(set_bit(b.ended, @slot::int, 1)) = 1024
    from slot
    where b.id = slot.id
)

insert into hold (id, account_id, key_id, job_id, operation, amount, expires_at)
select @hold_id::uuid, slot.account_id, slot.key_id, @job_id::text, slot.operation, slot.amount, @expires_at::timestamptz
from slot;

-- name: HandHoldOver :execrows
-- Moves the open hold of a schedule's run, which has paid for nothing yet, to the job that the run created. Any other
-- job keeps its hold, because its work is paid from it. No row: the hold is not such a hold, or not open.
update hold set job_id = @job_id::text, expires_at = @expires_at::timestamptz
where id = @hold_id::uuid and job_id = @run_job_id::text and state = 'open' and captures = 0 and hold.expires_at > now();

-- name: HouseAccount :one
select id from ledger_account where kind = $1 and unit = $2 and kind <> 'customer';

-- name: CustomerAccount :one
select a.id
from ledger_account a
where a.team_id = $1 and a.unit = 'credit' and a.kind = 'customer';

-- name: CreditBalance :one
select b.id, b.available, b.balance, b.held, b.owed
from ledger_balance b
where b.team_id = @team_id::text and b.unit = 'credit';

-- name: CreditAccount :one
-- Adds money or a grant to a customer's account, once per (kind, idem_key). It first pays what is owed. No row: the key
-- was used before.
with moved as (
    insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key, note)
    select house.id, customer.id, @amount::bigint, 'credit', @kind::text, @idem_key::text, sqlc.narg('note')::text
    from ledger_account house, ledger_account customer
    where house.kind = @source::text and house.unit = 'credit' and house.kind <> 'customer' -- so that the index of house accounts serves
        and customer.id = @account_id::bigint and customer.kind = 'customer' and customer.unit = 'credit'
    on conflict (kind, idem_key) do nothing
    returning id, credit_account, amount
)

update ledger_account a
set available = a.available + moved.amount - least(a.owed, moved.amount),
    owed = a.owed - least(a.owed, moved.amount),
    version = a.version + 1
from moved
where a.id = moved.credit_account
returning moved.id as transfer_id;

-- name: TransferByKey :one
select id, debit_account, credit_account, amount, kind, created_at
from ledger_transfer
where kind = $1 and idem_key = $2;

-- name: SweepMeterBatches :one
-- Voids the open slots of batches whose instance has ended. It waits for no lock: batches and accounts that are locked
-- are left for the next sweep. Batches come in the order of their ids, after the given one. last is the last id seen,
-- and nil if there are no more.
with orphan as materialized (
    select b.id, b.account_ids, b.amounts, b.ended
    from meter_batch b
    where not b.done
        and not exists (select from edge e where e.id = b.edge_id and e.ended_at is null)
        and b.id > @after::uuid
    order by b.id
    limit @batch_size::int
    for update of b skip locked
),

slot as materialized (
    select orphan.id, s.n, s.account_id, s.amount, get_bit(orphan.ended, s.n) = 0 as is_open
    from orphan
    cross join lateral (
        select
            unnest(orphan.account_ids) as account_id, unnest(orphan.amounts) as amount,
            generate_subscripts(orphan.account_ids, 1) - 1 as n
    ) s
),

account as materialized (
    select a.id from ledger_account a
    where a.id in (select slot.account_id from slot where slot.is_open)
    order by a.id
    for no key update skip locked
),

account_change as (
    update ledger_account a
    set available = a.available + d.amount - least(a.owed, d.amount),
        owed = a.owed - least(a.owed, d.amount), version = a.version + 1
    from (select slot.account_id, sum(slot.amount)::bigint as amount from slot where slot.is_open group by slot.account_id) d
    where a.id = d.account_id and a.id in (select account.id from account)
),

batch_end as (
    update meter_batch b
    set ended = s.ended, done = bit_count(s.ended) = 1024
    from (
        select
            slot.id,
            rpad(string_agg(case when slot.is_open and account.id is null then '0' else '1' end, '' order by slot.n), 1024, '1')::bit(1024) as ended
        from slot
        left join account on account.id = slot.account_id
        group by slot.id
    ) s
    where b.id = s.id
)

select
    (select count(*) from slot join account on account.id = slot.account_id where slot.is_open) as slots,
    coalesce((select orphan.id from orphan order by orphan.id desc limit 1), '00000000-0000-0000-0000-000000000000')::uuid as last;

-- name: DeleteMeterBatches :execrows
-- Deletes batches that were done long ago, oldest first. The primary key finds them, because an id begins with the time
-- in milliseconds (RFC 9562, section 5.7).
delete from meter_batch d
where d.id in (
    select b.id from meter_batch b
    where b.done
        and b.created_at < now() - make_interval(secs => @older_than_seconds::float8)
        and b.id < (lpad(to_hex((extract(epoch from now() - make_interval(secs => @older_than_seconds::float8)) * 1000)::bigint), 12, '0')
            || repeat('0', 20))::uuid
    order by b.id
    limit @batch_size::int
    for update skip locked
);

-- name: EnsureUsageMonths :exec
-- Creates the usage partitions of this month and the next twelve.
select ledger_usage_ensure_month(ahead.months) from generate_series(0, 12) as ahead (months);

-- name: CountUsageMonths :one
-- How many of the next twelve months have a usage partition.
select count(*) from generate_series(1, 12) as ahead (months)
where to_regclass('ledger_usage_' || to_char(date_trunc('month', now() at time zone 'utc') + make_interval(months => ahead.months), 'YYYY_MM')) is not null;

-- name: ListAccountsOutOfBalance :many
-- Customer accounts where available credits, less what is owed, plus open holds differ from the sum of the movements.
select
    a.id, coalesce(a.team_id, '')::text as team_id, a.available, a.owed,
    coalesce(t.balance, 0)::bigint as transfers_balance,
    coalesce(h.held, 0)::bigint as open_holds
from ledger_account a
left join (
    -- One pass over all movements: looked up per account it would be a scan each.
    select m.account, sum(m.amount) as balance
    from (
        select e.credit_account as account, e.amount from ledger_entry e
        union all
        select e.debit_account, -e.amount from ledger_entry e
    ) m
    group by m.account
) t on t.account = a.id
left join (
    select o.account_id, sum(o.amount) as held from ledger_open_hold o group by o.account_id
) h on h.account_id = a.id
where a.kind = 'customer'
    and a.available - a.owed + coalesce(h.held, 0) <> coalesce(t.balance, 0);

-- name: TrialBalance :many
-- Per unit, the sum over all accounts of credits less debits: always 0.
select x.unit, sum(x.amount)::bigint as total, count(*) as entries
from (
    select e.unit, e.amount from ledger_entry e
    join ledger_account a on a.id = e.credit_account and a.unit = e.unit
    union all
    select e.unit, -e.amount from ledger_entry e
    join ledger_account a on a.id = e.debit_account and a.unit = e.unit
) x
group by x.unit
order by x.unit;

-- name: ListTransfers :many
-- An account's latest movements, newest first. The newest rows of each kind are read through that kind's own index.
with transfer as (
    select t.id, t.kind, t.amount, coalesce(t.operation, '')::text as operation, t.created_at, t.credit_account
    from ledger_transfer t
    where t.credit_account = @account_id or t.debit_account = @account_id
    order by t.created_at desc, t.id desc
    limit @row_limit
),

usage as (
    select u.id, u.amount, u.n, u.operation, u.created_at
    from ledger_usage u
    where u.debit_account = @account_id
    order by u.created_at desc, u.id desc
    limit @row_limit
),

used as (
    select m.id, m.amount, m.n, m.operation, m.created_at
    from meter_used m
    where m.debit_account = @account_id and @account_id = any(m.accounts)
    order by m.created_at desc, m.id desc
    limit @row_limit
)

select transfer.id, transfer.kind, transfer.amount, 1 as n, transfer.operation, transfer.created_at,
    (transfer.credit_account = @account_id)::bool as incoming
from transfer
union all
select usage.id, 'usage', usage.amount, usage.n, usage.operation, usage.created_at, false
from usage
union all
select used.id, 'usage', used.amount, used.n, used.operation, used.created_at, false
from used
order by created_at desc, id desc
limit @row_limit;

-- name: TeamTotals :one
-- What the ledger says of an account, to compare with its stored balance.
select
    coalesce((select sum(c.amount) from ledger_entry c where c.credit_account = a.id), 0)::bigint as credited,
    coalesce((select sum(d.amount) from ledger_entry d where d.debit_account = a.id), 0)::bigint as debited
from ledger_account a
where a.id = $1;

-- name: OpenHold :one
-- Reserves available credits for a job, which has one hold. Returns what was available, and expires_at if the hold was
-- opened now. The account changes at the commit (ledger_pending), which fails if others have spent the credits.
with account as (
    select a.id, a.available
    from ledger_account a
    where a.id = @account_id::bigint and a.kind = 'customer' and a.unit = 'credit'
),

opened as (
    insert into hold (id, account_id, key_id, job_id, operation, amount, expires_at)
    select @id::uuid, account.id, sqlc.narg('key_id')::bigint, @job_id::text, @operation::text, @amount::bigint,
        now() + make_interval(secs => @lasts_seconds::float8)
    from account
    where account.available >= @amount::bigint
    on conflict (job_id) do nothing
    returning account_id, amount, expires_at
),

pending as (
    insert into ledger_pending (account_id, spendable, covered)
    select opened.account_id, -opened.amount, true from opened
)

select account.available::bigint as available, opened.expires_at
from account
left join opened on true;

-- name: JobHold :one
select
    h.id, h.account_id, h.key_id, h.operation, h.amount, h.captured, h.captures, h.state, h.expires_at,
    (h.expires_at <= now())::bool as is_over
from hold h
where h.job_id = $1;

-- name: CaptureHold :execrows
-- Charges a job's hold for n finished items. It changes no other row: the account is settled when the hold closes.
update hold
set captured = captured + @amount::bigint, captures = captures + @n::int
where job_id = @job_id and state = 'open' and expires_at > now() and @amount <= amount - captured;

-- name: ExtendHold :execrows
update hold
set expires_at = greatest(expires_at, now() + make_interval(secs => @lasts_seconds::float8))
where job_id = @job_id and state = 'open' and expires_at > now();

-- name: ListExpiredHolds :many
-- Expired holds whose account is not locked at the moment. The others come later, and delay nothing.
select h.id from hold h
join ledger_account a on a.id = h.account_id
where h.state = 'open' and h.expires_at <= now()
order by h.expires_at
limit @row_limit
for no key update of a skip locked;

-- name: SettleHold :one
-- Ends an open hold: what was captured is spent, and the rest pays what the account owes and then becomes available.
-- The account changes at the commit (ledger_pending). No row: the hold is not open.
with ending as materialized (
    select h.id, h.account_id, h.key_id, h.operation, h.amount, h.captured, h.captures
    from hold h
    where h.id = @id::uuid and h.state = 'open'
        and (@state::text = 'closed' or h.expires_at <= now())
    for update
),

pending as (
    insert into ledger_pending (account_id, spendable, covered)
    select ending.account_id, ending.amount - ending.captured, false from ending where ending.captured < ending.amount
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

select ending.captured, ending.captures from ending;

-- In what follows, as in the meter, an account's new values are worked out
-- from the row at hand, and are right for any version of it: Postgres tries them
-- on the version of the statement's snapshot, its checks included, before it finds
-- that there is a newer one, which is the one that was locked.

-- name: ClawBack :one
-- Takes credits back after money was returned, once per (kind, idem_key): what is available is taken, and the rest is
-- owed. No row: the key was used before.
with account as materialized (
    select a.id, a.available
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
set available = a.available - least(a.available, moved.amount),
    owed = a.owed + moved.amount - least(a.available, moved.amount),
    version = a.version + 1
from moved, account
where a.id = moved.debit_account and account.id = a.id
returning moved.id as transfer_id, least(account.available, moved.amount)::bigint as taken;

-- name: ReverseTransfer :one
-- Moves the amount of a transfer back, once. No row: the transfer does not exist or was reversed before, or the key was
-- used before.
with original as materialized (
    select t.id, t.debit_account, t.credit_account, t.amount, t.unit
    from ledger_transfer t
    where t.id = @id::bigint
),

account as materialized (
    select a.id, a.available, a.owed
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
    set available = a.available + change.given - least(a.owed, change.given) - least(a.available, change.taken),
        owed = a.owed - least(a.owed, change.given) + change.taken - least(a.available, change.taken),
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
-- Jobs' holds that do not match the usage booked under them: an open hold must have none, and an ended one exactly what
-- it captured. Also usage without a hold.
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
-- Transfers between accounts that do not exist or have another unit, and reversals that are not the opposite of the
-- transfer they reverse.
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

-- name: FoldUsage :execrows
-- Moves the usage of the oldest batches to ledger_usage (trigger meter_usage_fold), once the oldest is old enough. More
-- batches at once make fewer rows: it takes at most batch_size batches, and none after those with about entries_most entries. An
-- entry takes 8 bytes in account_ids, and a row 24 more; the size is known without reading the value.
-- Of concurrent calls, the later ones wait and find nothing left to do.
delete from meter_usage m
using (
    select b.id
    from (
        select
            o.id,
            sum(pg_column_size(o.account_ids)) over (order by o.id rows between unbounded preceding and 1 preceding) as before
        from meter_usage o
        where (select f.created_at from meter_usage f order by f.id limit 1) < now() - make_interval(secs => @older_than_seconds::float8)
        order by o.id
        limit @batch_size::int
    ) b
    where coalesce(b.before, 0) < 8 * @entries_most::bigint
) old
where m.id = old.id;

-- name: CountUsageOfNoMonth :one
select count(*) from ledger_usage_default;

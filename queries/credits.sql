-- name: MeterBatch :one
-- Takes one batch of the meter: authorisations in the order in which they came,
-- and the ends of earlier holds (a capture, or a void where the capture is 0).
-- Locks accounts, then holds, each in id order, so that several edges on the
-- same rows never deadlock.
--
-- The caller gives the batch's accounts sorted and without repeats, and for each
-- request and end its account's position among them: the arithmetic is done over
-- those positions, so that tables are touched by primary key only and no two row
-- sets of the batch are ever joined. Ends are sorted by hold, without repeats.
--
-- Statuses: 0 accepted, 1 refused, 2 to be tried again in the next batch (it
-- stood behind a large one, or repeats an id of this batch), 3 key not valid any
-- more, 4 duplicate of a hold that exists (it counts as accepted and is not
-- taken again).
with account as materialized (
    select ids.pos, coalesce(a.available, -1) as available
    from (
        select unnest(@account_ids::bigint[]) as id, generate_subscripts(@account_ids::bigint[], 1) as pos
    ) ids
    left join lateral (
        select x.balance - x.held as available
        from ledger_account x
        where x.id = ids.id and x.kind = 'customer' and x.unit = 'credit'
        for update
    ) a on true
),

-- -1: there is no such account.
locked as materialized (
    select array_agg(account.available order by account.pos) as available from account
),

ended as materialized (
    select e.pos, h.id, h.key_id, h.operation, h.amount, least(e.capture, h.amount) as capture
    from (
        select
            unnest(@end_hold_ids::uuid[]) as hold_id,
            unnest(@end_positions::int[]) as pos,
            unnest(@end_captures::bigint[]) as capture
    ) e
    -- offset 0 keeps the state out of the look-up: the partial indexes on open
    -- holds would be tempting while the table is small.
    cross join lateral (
        select x.id, x.key_id, x.operation, x.amount, x.state, x.job_id
        from hold x
        where x.id = e.hold_id
            and x.account_id = (@account_ids::bigint[])[e.pos]
            and (select locked.available from locked) is not null
        offset 0
        for update
    ) h
    where h.state = 'open' and h.job_id is null
),

line as materialized (
    select
        r.ord, r.pos, r.hold_id, r.key_id, r.operation, r.amount,
        0::bigint as released, 0::bigint as captured,
        (select true from hold h where h.id = r.hold_id) is not null as duplicate,
        coalesce((
            select k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
            from api_key k where k.id = r.key_id
        ), false) and (select locked.available[r.pos] from locked) >= 0 as valid
    from (
        select
            generate_subscripts(@hold_ids::uuid[], 1) as ord,
            unnest(@hold_ids::uuid[]) as hold_id,
            unnest(@positions::int[]) as pos,
            unnest(@key_ids::bigint[]) as key_id,
            unnest(@amounts::bigint[]) as amount,
            unnest(@operations::text[]) as operation
    ) r
    union all
    select 0, ended.pos, ended.id, ended.key_id, ended.operation, 0, ended.amount, ended.capture, false, false
    from ended
),

judged as materialized (
    select
        line.*,
        (select locked.available[line.pos] from locked)
            + sum(line.released - line.captured) over (partition by line.pos) as available,
        sum(case when line.valid and not line.duplicate then line.amount else 0 end)
            over (partition by line.pos order by line.ord) as total
    from line
),

fitted as materialized (
    select
        judged.*,
        judged.total <= judged.available as fits,
        coalesce(
            max(judged.total) filter (where judged.total <= judged.available) over (partition by judged.pos), 0
        ) as taken
    from judged
),

-- What changes, as arrays in the order of their ids: a row finds its own values
-- by binary search (width_bucket), so that there is no join that could be
-- planned the wrong way round from statistics of a table that was still empty.
-- The subqueries are not correlated: when another edge has changed a row in the
-- meantime, Postgres evaluates these expressions again, and must find values in
-- them, not run the batch again.
account_delta as materialized (
    select
        array_agg(d.id order by d.id) as ids,
        array_agg(d.captured order by d.id) as captured,
        array_agg(d.held order by d.id) as held
    from (
        select
            (@account_ids::bigint[])[fitted.pos] as id,
            sum(fitted.captured)::bigint as captured,
            sum(case when fitted.valid and not fitted.duplicate and fitted.fits then fitted.amount else 0 end - fitted.released)::bigint as held
        from fitted
        group by fitted.pos
    ) d
    where d.captured <> 0 or d.held <> 0
),

account_change as (
    update ledger_account a
    set balance = a.balance - ((select d.captured from account_delta d))[width_bucket(a.id, (select d.ids from account_delta d))],
        held = a.held + ((select d.held from account_delta d))[width_bucket(a.id, (select d.ids from account_delta d))],
        version = a.version + 1
    where a.id = any((select d.ids from account_delta d)::bigint[])
),

hold_open as (
    insert into hold (id, account_id, key_id, edge_id, operation, amount)
    select fitted.hold_id, (@account_ids::bigint[])[fitted.pos], fitted.key_id, @edge_id::uuid, fitted.operation, fitted.amount
    from fitted
    where fitted.ord > 0 and fitted.valid and not fitted.duplicate and fitted.fits
),

end_values as materialized (
    select array_agg(ended.id order by ended.id) as ids, array_agg(ended.capture order by ended.id) as captures
    from ended
),

hold_end as (
    update hold h
    set captured = ((select v.captures from end_values v))[width_bucket(h.id, (select v.ids from end_values v))],
        state = case
            when h.amount = 0
                or ((select v.captures from end_values v))[width_bucket(h.id, (select v.ids from end_values v))] > 0 then 'captured'
            else 'voided'
        end,
        closed_at = now()
    where h.id = any((select v.ids from end_values v)::uuid[])
),

usage as (
    insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, key_id, operation, n)
    select (@account_ids::bigint[])[ended.pos], @revenue_account::bigint, sum(ended.capture), 'credit', 'usage', ended.key_id, ended.operation, count(*)
    from ended
    where ended.capture > 0
    group by ended.pos, ended.key_id, ended.operation
)

select
    coalesce((
        select array_agg(
            case
                when not fitted.valid then 3
                when fitted.duplicate then 4
                when fitted.fits then 0
                when fitted.amount > fitted.available - fitted.taken then 1
                else 2
            end order by fitted.ord
        ) from fitted where fitted.ord > 0
    ), '{}')::int[] as statuses,
    coalesce((
        select array_agg((fitted.available - case when fitted.fits then fitted.total else fitted.taken end)::bigint order by fitted.ord)
        from fitted where fitted.ord > 0
    ), '{}')::bigint[] as available,
    -- Which holds were ended, only where some were not.
    case when (select count(*) from ended) < cardinality(@end_hold_ids::uuid[])
        then coalesce((select array_agg(ended.id) from ended), '{}')
    end::uuid[] as ended;

-- name: HouseAccount :one
select id from ledger_account where kind = $1 and unit = $2 and kind <> 'customer';

-- name: Account :one
select a.id, a.balance, a.held, a.owed
from ledger_account a
where a.team_id = $1 and a.unit = 'credit' and a.kind = 'customer';

-- name: AccountForUpdate :one
select a.id, a.balance, a.held, a.owed
from ledger_account a
where a.team_id = $1 and a.unit = 'credit' and a.kind = 'customer'
for update;

-- name: CreditAccount :one
-- Money or a grant into a customer's account, once per (kind, idem_key): what is
-- owed is paid first. Returns no row if the key was used before.
with moved as (
    insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key, note)
    select house.id, customer.id, @amount::bigint, 'credit', @kind::text, @idem_key::text, sqlc.narg('note')::text
    from ledger_account house, ledger_account customer
    where house.kind = @source::text and house.unit = 'credit'
        and customer.id = @account_id::bigint and customer.kind = 'customer' and customer.unit = 'credit'
    on conflict (kind, idem_key) where idem_key is not null do nothing
    returning id, credit_account, amount
)

update ledger_account a
set balance = a.balance + moved.amount - least(a.owed, moved.amount),
    owed = a.owed - least(a.owed, moved.amount),
    version = a.version + 1
from moved
where a.id = moved.credit_account
returning moved.id as transfer_id, a.balance;

-- name: TransferByKey :one
select id, debit_account, credit_account, amount, kind, created_at
from ledger_transfer
where kind = $1 and idem_key = $2;

-- name: BeatEdge :exec
insert into edge (id) values ($1)
on conflict (id) do update set heartbeat_at = now();

-- name: ForgetEdges :exec
-- Edges long gone whose holds are all closed.
delete from edge e
where e.heartbeat_at < now() - make_interval(secs => @lost_after_seconds::float8)
    and not exists (select from hold h where h.edge_id = e.id and h.state = 'open');

-- name: SweepHolds :one
-- Voids open holds that no job has adopted and whose edge is gone, or whose own
-- time is up. Locks accounts, then holds, in id order, as the meter does.
with candidate as materialized (
    select h.id, h.account_id
    from hold h
    where h.state = 'open' and h.job_id is null
        and (
            h.expires_at < now()
            or not exists (
                select from edge e where e.id = h.edge_id and e.heartbeat_at > now() - make_interval(secs => @lost_after_seconds::float8)
            )
        )
        and (h.edge_id is not null or h.expires_at is not null)
    limit @batch_size::int
),

account as materialized (
    select a.id from ledger_account a
    where a.id in (select candidate.account_id from candidate)
    order by a.id
    for update
),

orphan as materialized (
    select h.id, h.account_id, h.amount, h.captured
    from candidate
    join account on account.id = candidate.account_id
    join hold h on h.id = candidate.id
    where h.state = 'open' and h.job_id is null
    order by h.id
    for update of h
),

account_change as (
    update ledger_account a
    set held = a.held - d.amount, version = a.version + 1
    from (select orphan.account_id, sum(orphan.amount)::bigint as amount from orphan group by orphan.account_id) d
    where a.id = d.account_id
),

hold_change as (
    update hold h set state = 'expired', closed_at = now() from orphan where h.id = orphan.id
)

select count(*) from orphan;

-- name: ListAccountsOutOfBalance :many
-- Customer accounts whose kept balance is not the sum of their transfers, or
-- whose held is not the sum of their open holds.
select
    a.id, coalesce(a.team_id, '')::text as team_id, a.balance, a.held, a.owed,
    coalesce(t.balance, 0)::bigint as transfers_balance,
    coalesce(h.held, 0)::bigint as open_holds
from ledger_account a
left join (
    -- One pass over all transfers: looked up per account it would be a scan each.
    select m.account, sum(m.amount) as balance
    from (
        select t.credit_account as account, t.amount from ledger_transfer t
        union all
        select t.debit_account, -t.amount from ledger_transfer t
    ) m
    group by m.account
) t on t.account = a.id
left join (
    select hold.account_id, sum(hold.amount) as held from hold where hold.state = 'open' group by hold.account_id
) h on h.account_id = a.id
where a.kind = 'customer'
    and (a.balance - a.owed <> coalesce(t.balance, 0) or a.held <> coalesce(h.held, 0));

-- name: TrialBalance :many
-- Per unit, the sum over all accounts of credits less debits: always 0.
select x.unit, sum(x.amount)::bigint as total, count(*) as entries
from (
    select t.unit, t.amount from ledger_transfer t
    join ledger_account a on a.id = t.credit_account and a.unit = t.unit
    union all
    select t.unit, -t.amount from ledger_transfer t
    join ledger_account a on a.id = t.debit_account and a.unit = t.unit
) x
group by x.unit
order by x.unit;

-- name: ListTransfers :many
select t.id, t.kind, t.amount, t.n, t.operation, t.created_at, (t.credit_account = @account_id::bigint)::bool as incoming
from ledger_transfer t
where t.credit_account = @account_id or t.debit_account = @account_id
order by t.id desc
limit @row_limit;

-- name: TeamTotals :one
-- What the ledger itself says of an account, to hold against its kept balance.
select
    coalesce((select sum(c.amount) from ledger_transfer c where c.credit_account = a.id), 0)::bigint as credited,
    coalesce((select sum(d.amount) from ledger_transfer d where d.debit_account = a.id), 0)::bigint as debited
from ledger_account a
where a.id = $1;

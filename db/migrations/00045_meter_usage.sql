-- +goose Up

-- What the requests of a batch used is one row, in place of one for each account, key and operation: those rows, and their
-- entries in the index of accounts, each in a place of its own, were a quarter of what metering cost with random keys.
-- Some minutes later it becomes rows of ledger_usage, with all that was used by then, which are fewer and are kept. Where
-- requests of one key follow each other within these minutes, far fewer.
create table meter_usage (
    id             bigint generated always as identity (cache 64) primary key,
    credit_account bigint not null,
    account_ids    bigint[] not null,
    key_ids        bigint[] not null,
    amounts        bigint[] not null,
    ns             int[] not null,      -- how many requests
    operations     text[] not null,     -- the distinct ones
    operation_nums smallint[] not null, -- a position in operations, from 1
    created_at     timestamptz not null default now(),
    check (
        0 < all (amounts) and 0 < all (ns) and credit_account <> all (account_ids)
        and cardinality(key_ids) = cardinality(account_ids) and cardinality(amounts) = cardinality(account_ids)
        and cardinality(ns) = cardinality(account_ids) and cardinality(operation_nums) = cardinality(account_ids)
    )
) with (toast_tuple_target = 8160);

-- Compressing what is a few kilobytes costs more than writing it, and so does putting it out of the way: it is written once.
alter table meter_usage alter column account_ids set storage external;
alter table meter_usage alter column key_ids set storage external;
alter table meter_usage alter column amounts set storage external;
alter table meter_usage alter column ns set storage external;
alter table meter_usage alter column operation_nums set storage external;

-- What is not in ledger_usage yet. accounts are those of a row: who looks for one account's reads no further in the rows
-- that do not have it.
create view meter_used as
select
    m.id, s.account_id as debit_account, m.credit_account, s.amount, s.key_id, s.n, m.operations[s.operation_num] as operation,
    m.created_at, m.account_ids as accounts
from meter_usage m
cross join lateral (
    select
        unnest(m.account_ids) as account_id, unnest(m.amounts) as amount, unnest(m.key_ids) as key_id, unnest(m.ns) as n,
        unnest(m.operation_nums) as operation_num
) s;

-- All that was used.
create view ledger_used as
select
    u.debit_account, u.credit_account, u.amount, u.key_id, u.n, u.operation, u.created_at, array[u.debit_account] as accounts
from ledger_usage u
union all
select m.debit_account, m.credit_account, m.amount, m.key_id, m.n, m.operation, m.created_at, m.accounts from meter_used m;

create or replace view ledger_entry as
select t.debit_account, t.credit_account, t.amount, t.unit, t.kind, t.created_at from ledger_transfer t
union all
select u.debit_account, u.credit_account, u.amount, 'credit', 'usage', u.created_at from ledger_used u;

-- What is deleted from meter_usage becomes usage by account, whoever deletes it: a movement is never lost. Rows of
-- different hours stay apart, so that usage is reported by the hour.
-- +goose StatementBegin
create function meter_usage_fold() returns trigger language plpgsql set work_mem = '64MB' set jit = off as $$
begin
    insert into ledger_usage (debit_account, credit_account, amount, key_id, n, operation, created_at)
    select u.account_id, u.credit_account, sum(u.amount), u.key_id, sum(u.n), u.operation, max(u.created_at)
    from (
        select
            g.credit_account, g.operations[s.operation_num] as operation, g.hour, g.created_at, s.account_id, s.amount, s.key_id, s.n
        from (select gone.*, date_trunc('hour', gone.created_at, 'UTC') as hour from gone offset 0) g -- once for each batch
        cross join lateral (
            select
                unnest(g.account_ids) as account_id, unnest(g.amounts) as amount, unnest(g.key_ids) as key_id, unnest(g.ns) as n,
                unnest(g.operation_nums) as operation_num
        ) s
    ) u
    group by u.account_id, u.credit_account, u.key_id, u.operation, u.hour;
    return null;
end
$$;
-- +goose StatementEnd

create trigger meter_usage_fold after delete on meter_usage referencing old table as gone
for each statement execute function meter_usage_fold();
create trigger meter_usage_append_only before update on meter_usage
for each row execute function ledger_is_append_only();
create trigger meter_usage_no_truncate before truncate on meter_usage
for each statement execute function ledger_is_append_only();
revoke update, truncate on meter_usage from public, current_user;

-- As in migration 00044, which says how it works, but for what was used.
-- +goose StatementBegin
create or replace function meter(
    wary boolean, batch_id uuid, edge uuid, revenue bigint,
    end_batch_ids uuid[], end_masks bit varying[], capture_masks bit varying[],
    ids bigint[], firsts int[], lasts int[], leasts bigint[], totals bigint[], freed bigint[],
    requesting int, slot_ids bigint[], key_ids bigint[], amounts bigint[], sums bigint[], operations text[], operation_nums smallint[],
    unused bit(1024),
    usage_ids bigint[], usage_keys bigint[], usage_amounts bigint[], usage_ns int[], usage_operations text[], usage_operation_nums smallint[],
    out locked bigint[], out ends_taken boolean, out invalid_keys bigint[],
    out changed bigint[], out taken bigint[], out available bigint[]
) language plpgsql
set lock_timeout = '50ms'
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_bitmapscan = off
set enable_material = off set enable_memoize = off set random_page_cost = 0 set cpu_operator_cost = 0 set jit = off
as $$
declare
    accepting int; -- accounts of which something was accepted
    whole int; -- and of which everything was
    ended_slots bit(1024) := unused;
begin
    if wary then
        with free as materialized (
            select a.id from ledger_account a where a.id = any(meter.ids) order by a.id for no key update skip locked
        )
        select array_agg(a.id) into locked
        from ledger_account a where a.id = any(meter.ids) and a.id <> all (array(select free.id from free));
        if locked is not null then
            return;
        end if;
    end if;

    ends_taken := true;
    if cardinality(end_batch_ids) > 0 then
        ends_taken := cardinality(end_batch_ids) = (
            select count(*)
            from (
                select b.ended, array_position(end_batch_ids, b.id) as n
                from meter_batch b
                where b.id = any(end_batch_ids)
                order by b.id
                for update skip locked
            ) touched
            where bit_count(touched.ended & end_masks[touched.n]) = 0
        );
        if not ends_taken then
            freed := array_fill(0::bigint, array[cardinality(ids)]);
        end if;
    end if;

    invalid_keys := (
        select array_agg(k.id) from api_key k
        where k.id = any(key_ids)
            and (k.revoked_at is not null or k.expires_at is not null)
            and (k.revoked_at is not null or k.expires_at <= now())
    );
    if invalid_keys is not null then
        leasts := array_fill(-1::bigint, array[cardinality(ids)]);
        totals := array_fill(0::bigint, array[cardinality(ids)]);
    end if;

    with change as (
        update ledger_account a
        set available = a.available + greatest(r.freed - a.owed, 0) - case
                when r.total <= a.available + greatest(r.freed - a.owed, 0) then r.total
                when r.least <= a.available + greatest(r.freed - a.owed, 0) then sums[
                    r.first - 1 + width_bucket(a.available + greatest(r.freed - a.owed, 0), sums[r.first:r.last])
                ]
                else 0
            end,
            owed = a.owed - least(a.owed, r.freed),
            taken = case
                when r.total <= a.available + greatest(r.freed - a.owed, 0) then r.total
                when r.least <= a.available + greatest(r.freed - a.owed, 0) then sums[
                    r.first - 1 + width_bucket(a.available + greatest(r.freed - a.owed, 0), sums[r.first:r.last])
                ]
                else 0
            end,
            version = a.version + 1,
            room = ''
        from (
            select
                unnest(meter.ids) as id, unnest(firsts) as first, unnest(lasts) as last,
                unnest(leasts) as least, unnest(totals) as total, unnest(meter.freed) as freed
        ) r
        where a.id = r.id
            and (r.freed > 0 or r.least >= 0 and r.least <= a.available + greatest(r.freed - a.owed, 0))
        returning a.id, r.least, r.total, a.taken, a.available
    )
    select
        coalesce(array_agg(change.id), '{}'), coalesce(array_agg(change.taken), '{}'), coalesce(array_agg(change.available), '{}'),
        count(*) filter (where change.least >= 0 and change.least <= change.taken),
        count(*) filter (where change.least >= 0 and change.total = change.taken)
    into changed, taken, available, accepting, whole
    from change;

    if accepting > 0 then
        if whole < requesting then -- some were not accepted: in the middle, or at the ends of it
            select (string_agg(
                repeat('1', part.first - 1 - part.before) || repeat('0', part.n) || repeat('1', part.last - part.first + 1 - part.n),
                '' order by part.first
            ) || repeat('1', 1024 - max(part.last)))::bit(1024)
            into ended_slots
            from (
                select
                    o.first, o.last, lag(o.last, 1, 0) over (order by o.first) as before,
                    width_bucket(o.taken, sums[o.first:o.last]) as n
                from (
                    select firsts[c.n] as first, lasts[c.n] as last, c.taken
                    from (
                        select array_position(meter.ids, u.id) as n, u.taken
                        from (select unnest(changed) as id, unnest(meter.taken) as taken) u
                    ) c
                    where leasts[c.n] >= 0
                ) o
            ) part;
        end if;
        insert into meter_batch (id, edge_id, account_ids, key_ids, amounts, operations, operation_nums, ended)
        values (batch_id, edge, slot_ids, meter.key_ids, meter.amounts, meter.operations, meter.operation_nums, ended_slots);
    end if;

    if ends_taken and cardinality(end_batch_ids) > 0 then
        update meter_batch b
        set ended = b.ended | e.mask,
            captured = b.captured | e.captures,
            done = bit_count(b.ended | e.mask) = 1024
        from (
            select unnest(end_batch_ids) as id, unnest(end_masks) as mask, unnest(capture_masks) as captures
        ) e
        where b.id = e.id;
        if cardinality(usage_ids) > 0 then
            insert into meter_usage (credit_account, account_ids, key_ids, amounts, ns, operations, operation_nums)
            values (revenue, usage_ids, usage_keys, usage_amounts, usage_ns, usage_operations, usage_operation_nums);
        end if;
    end if;
end
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
create or replace function meter(
    wary boolean, batch_id uuid, edge uuid, revenue bigint,
    end_batch_ids uuid[], end_masks bit varying[], capture_masks bit varying[],
    ids bigint[], firsts int[], lasts int[], leasts bigint[], totals bigint[], freed bigint[],
    requesting int, slot_ids bigint[], key_ids bigint[], amounts bigint[], sums bigint[], operations text[], operation_nums smallint[],
    unused bit(1024),
    usage_ids bigint[], usage_keys bigint[], usage_amounts bigint[], usage_ns int[], usage_operations text[], usage_operation_nums smallint[],
    out locked bigint[], out ends_taken boolean, out invalid_keys bigint[],
    out changed bigint[], out taken bigint[], out available bigint[]
) language plpgsql
set lock_timeout = '50ms'
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_bitmapscan = off
set enable_material = off set enable_memoize = off set random_page_cost = 0 set cpu_operator_cost = 0 set jit = off
as $$
declare
    accepting int; -- accounts of which something was accepted
    whole int; -- and of which everything was
    ended_slots bit(1024) := unused;
begin
    if wary then
        with free as materialized (
            select a.id from ledger_account a where a.id = any(meter.ids) order by a.id for no key update skip locked
        )
        select array_agg(a.id) into locked
        from ledger_account a where a.id = any(meter.ids) and a.id <> all (array(select free.id from free));
        if locked is not null then
            return;
        end if;
    end if;

    ends_taken := true;
    if cardinality(end_batch_ids) > 0 then
        ends_taken := cardinality(end_batch_ids) = (
            select count(*)
            from (
                select b.ended, array_position(end_batch_ids, b.id) as n
                from meter_batch b
                where b.id = any(end_batch_ids)
                order by b.id
                for update skip locked
            ) touched
            where bit_count(touched.ended & end_masks[touched.n]) = 0
        );
        if not ends_taken then
            freed := array_fill(0::bigint, array[cardinality(ids)]);
        end if;
    end if;

    invalid_keys := (
        select array_agg(k.id) from api_key k
        where k.id = any(key_ids)
            and (k.revoked_at is not null or k.expires_at is not null)
            and (k.revoked_at is not null or k.expires_at <= now())
    );
    if invalid_keys is not null then
        leasts := array_fill(-1::bigint, array[cardinality(ids)]);
        totals := array_fill(0::bigint, array[cardinality(ids)]);
    end if;

    with change as (
        update ledger_account a
        set available = a.available + greatest(r.freed - a.owed, 0) - case
                when r.total <= a.available + greatest(r.freed - a.owed, 0) then r.total
                when r.least <= a.available + greatest(r.freed - a.owed, 0) then sums[
                    r.first - 1 + width_bucket(a.available + greatest(r.freed - a.owed, 0), sums[r.first:r.last])
                ]
                else 0
            end,
            owed = a.owed - least(a.owed, r.freed),
            taken = case
                when r.total <= a.available + greatest(r.freed - a.owed, 0) then r.total
                when r.least <= a.available + greatest(r.freed - a.owed, 0) then sums[
                    r.first - 1 + width_bucket(a.available + greatest(r.freed - a.owed, 0), sums[r.first:r.last])
                ]
                else 0
            end,
            version = a.version + 1,
            room = ''
        from (
            select
                unnest(meter.ids) as id, unnest(firsts) as first, unnest(lasts) as last,
                unnest(leasts) as least, unnest(totals) as total, unnest(meter.freed) as freed
        ) r
        where a.id = r.id
            and (r.freed > 0 or r.least >= 0 and r.least <= a.available + greatest(r.freed - a.owed, 0))
        returning a.id, r.least, r.total, a.taken, a.available
    )
    select
        coalesce(array_agg(change.id), '{}'), coalesce(array_agg(change.taken), '{}'), coalesce(array_agg(change.available), '{}'),
        count(*) filter (where change.least >= 0 and change.least <= change.taken),
        count(*) filter (where change.least >= 0 and change.total = change.taken)
    into changed, taken, available, accepting, whole
    from change;

    if accepting > 0 then
        if whole < requesting then -- some were not accepted: in the middle, or at the ends of it
            select (string_agg(
                repeat('1', part.first - 1 - part.before) || repeat('0', part.n) || repeat('1', part.last - part.first + 1 - part.n),
                '' order by part.first
            ) || repeat('1', 1024 - max(part.last)))::bit(1024)
            into ended_slots
            from (
                select
                    o.first, o.last, lag(o.last, 1, 0) over (order by o.first) as before,
                    width_bucket(o.taken, sums[o.first:o.last]) as n
                from (
                    select firsts[c.n] as first, lasts[c.n] as last, c.taken
                    from (
                        select array_position(meter.ids, u.id) as n, u.taken
                        from (select unnest(changed) as id, unnest(meter.taken) as taken) u
                    ) c
                    where leasts[c.n] >= 0
                ) o
            ) part;
        end if;
        insert into meter_batch (id, edge_id, account_ids, key_ids, amounts, operations, operation_nums, ended)
        values (batch_id, edge, slot_ids, meter.key_ids, meter.amounts, meter.operations, meter.operation_nums, ended_slots);
    end if;

    if ends_taken and cardinality(end_batch_ids) > 0 then
        update meter_batch b
        set ended = b.ended | e.mask,
            captured = b.captured | e.captures,
            done = bit_count(b.ended | e.mask) = 1024
        from (
            select unnest(end_batch_ids) as id, unnest(end_masks) as mask, unnest(capture_masks) as captures
        ) e
        where b.id = e.id;
        insert into ledger_usage (debit_account, credit_account, amount, key_id, n, operation)
        select u.id, revenue, u.amount, u.key, u.n, usage_operations[u.operation]
        from (
            select
                unnest(usage_ids) as id, unnest(usage_amounts) as amount, unnest(usage_keys) as key, unnest(usage_ns) as n,
                unnest(usage_operation_nums) as operation
        ) u;
    end if;
end
$$;
-- +goose StatementEnd

delete from meter_usage;
create or replace view ledger_entry as
select t.debit_account, t.credit_account, t.amount, t.unit, t.kind, t.created_at from ledger_transfer t
union all
select u.debit_account, u.credit_account, u.amount, 'credit', 'usage', u.created_at from ledger_usage u;
drop view ledger_used;
drop view meter_used;
drop table meter_usage;
drop function meter_usage_fold;

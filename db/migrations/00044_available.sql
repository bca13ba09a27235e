-- +goose Up

-- An account keeps what is available, in place of a balance and of what of it is held. What is held is the sum of the open
-- holds, which are rows of their own, and with what is available it is the balance: see the view ledger_balance. So a
-- request that costs what was held for it changes its account once, as it begins, and not again as it ends; that was a
-- third of what metering cost. Programs of before this do not know the column: stop them first.
alter table ledger_account drop constraint ledger_account_money;
update ledger_account set balance = balance - held where held <> 0;
alter table ledger_account rename column balance to available;
alter table ledger_account drop column held;
-- What is owed is paid from whatever is free, before anything else. A house account keeps no balance. This is one check,
-- and a short one, since Postgres reads a table's checks anew in each statement that updates it: each of the meter's.
alter table ledger_account add constraint ledger_account_money check (
    available >= 0 and owed >= 0 and (owed = 0 or available = 0) and (team_id is not null or available + owed = 0)
);

-- The open holds, requests' and jobs'. accounts are those of a hold's batch: who looks for one account's reads no further
-- in the batches that do not have it.
create view ledger_open_hold as
select s.account_id, s.amount, b.account_ids as accounts
from meter_batch b
cross join lateral (
    select
        unnest(b.account_ids) as account_id, unnest(b.amounts) as amount,
        generate_subscripts(b.account_ids, 1) - 1 as n
) s
where not b.done and get_bit(b.ended, s.n) = 0
union all
select h.account_id, h.amount, array[h.account_id] from hold h where h.state = 'open';

-- What customers have: balance is what is available and what is held. It is for one account, or a few: for each it looks
-- at all that is open.
create view ledger_balance as
select a.id, a.team_id, a.unit, (a.available + o.held)::bigint as balance, o.held, a.owed, a.available
from ledger_account a
cross join lateral (
    select coalesce(sum(h.amount), 0)::bigint as held
    from ledger_open_hold h
    where h.account_id = a.id and a.id = any(h.accounts)
) o
where a.kind = 'customer';

drop function meter(
    boolean, uuid, uuid, bigint, uuid[], bit varying[], bit varying[], bigint[], int[], int[], bigint[], bigint[], bigint[], bigint[], int, bigint[], bigint[], bigint[], bigint[], text[], smallint[], bit(1024), bigint[], bigint[], bigint[], int[], text[], smallint[]
);

-- Takes one batch of the meter: authorisations, and the ends of earlier holds. It is a function for its settings, which
-- hold in any session, so also behind a pooler: one plan, made once in each session, and a bound on waiting for locks.
--
-- A batch touches a few hundred rows by primary key out of millions, through arrays whose length the planner cannot know.
-- It may plan on tables that are still empty, and is held to the one plan that is right on full ones: for each of the
-- batch's accounts, in the order of their ids, a look-up. Locks are taken on the batches that the ends touch, then on
-- accounts, so that several edges on the same rows never deadlock.
--
-- The caller has added up what can be added up beforehand. Of each account, in the order of their ids: what its ends
-- free, which is what they release less what they capture, and where its requests lie among the slots (first to last, in
-- the order in which they came; least, the first sum, is -1 where there are none, and total the last). Of each slot, sums
-- has the running sum of its account's amounts: as many are accepted as fit into what is available. An account is not
-- there for ends that capture all that was held: what is available does not change by them.
--
-- Where another edge has changed an account meanwhile, Postgres evaluates the update's expressions again on the newest
-- version: all that depends on the row is in them. An account that owes has nothing available, and pays from what is
-- freed before anything else.
--
-- What is rare is not decided here but answered, for the caller to part the batch: where a key is not valid any more, no
-- request is taken; where an end finds its slot ended or its batch locked by somebody else, no end is. Wary, it waits for
-- no account: where some are locked by somebody else, it names them and does nothing. Otherwise a wait for one that is too
-- long is an error (55P03), and the caller asks again, wary.
-- +goose StatementBegin
create function meter(
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


-- Spendable is what is neither held nor owed; less than nothing of it is owed. What opens or closes a hold changes nothing
-- else of an account.
alter table ledger_pending drop column held;

-- +goose StatementBegin
create or replace function ledger_pending_apply() returns trigger language plpgsql set lock_timeout = '1s' as $$
begin
    update ledger_account a
    set available = greatest(a.available - a.owed + new.spendable, 0),
        owed = greatest(a.owed - a.available - new.spendable, 0),
        version = a.version + 1
    where a.id = new.account_id and (not new.covered or a.available + new.spendable >= 0);
    if not found then
        raise exception 'account % has too little', new.account_id using errcode = 'check_violation', constraint = 'ledger_pending_covered';
    end if;
    delete from ledger_pending where id = new.id;
    return null;
end
$$;
-- +goose StatementEnd

-- +goose Down
alter table ledger_pending add column held bigint not null;

-- +goose StatementBegin
create or replace function ledger_pending_apply() returns trigger language plpgsql set lock_timeout = '1s' as $$
begin
    update ledger_account a
    set held = a.held + new.held,
        balance = a.held + new.held + greatest(a.balance - a.held - a.owed + new.spendable, 0),
        owed = greatest(a.held + a.owed - a.balance - new.spendable, 0),
        version = a.version + 1
    where a.id = new.account_id and (not new.covered or a.balance - a.held + new.spendable >= 0);
    if not found then
        raise exception 'account % has too little', new.account_id using errcode = 'check_violation', constraint = 'ledger_pending_covered';
    end if;
    delete from ledger_pending where id = new.id;
    return null;
end
$$;
-- +goose StatementEnd

drop function meter(
    boolean, uuid, uuid, bigint, uuid[], bit varying[], bit varying[], bigint[], int[], int[], bigint[], bigint[], bigint[], int, bigint[], bigint[], bigint[], bigint[], text[], smallint[], bit(1024), bigint[], bigint[], bigint[], int[], text[], smallint[]
);
alter table ledger_account drop constraint ledger_account_money;
alter table ledger_account rename column available to balance;
alter table ledger_account add column held bigint not null default 0;
update ledger_account a set balance = a.balance + h.held, held = h.held
from (select o.account_id, sum(o.amount)::bigint as held from ledger_open_hold o group by o.account_id) h
where a.id = h.account_id and h.held > 0;
alter table ledger_account add constraint ledger_account_money check (
    held >= 0 and held <= balance and owed >= 0 and (owed = 0 or balance = held) and (team_id is not null or balance + owed = 0)
);
drop view ledger_balance;
drop view ledger_open_hold;

-- +goose StatementBegin
create function meter(
    wary boolean, batch_id uuid, edge uuid, revenue bigint,
    end_batch_ids uuid[], end_masks bit varying[], capture_masks bit varying[],
    ids bigint[], firsts int[], lasts int[], leasts bigint[], totals bigint[], released bigint[], captured bigint[],
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
            released := array_fill(0::bigint, array[cardinality(ids)]);
            captured := released;
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
        set balance = a.balance - r.captured - least(a.owed, r.freed),
            owed = a.owed - least(a.owed, r.freed),
            held = a.held - r.released + case
                when r.total <= a.balance - a.held + greatest(r.freed - a.owed, 0) then r.total
                when r.least <= a.balance - a.held + greatest(r.freed - a.owed, 0) then sums[
                    r.first - 1 + width_bucket(a.balance - a.held + greatest(r.freed - a.owed, 0), sums[r.first:r.last])
                ]
                else 0
            end,
            taken = case
                when r.total <= a.balance - a.held + greatest(r.freed - a.owed, 0) then r.total
                when r.least <= a.balance - a.held + greatest(r.freed - a.owed, 0) then sums[
                    r.first - 1 + width_bucket(a.balance - a.held + greatest(r.freed - a.owed, 0), sums[r.first:r.last])
                ]
                else 0
            end,
            version = a.version + 1,
            room = ''
        from (
            select l.id, l.first, l.last, l.least, l.total, l.released, l.captured, l.released - l.captured as freed
            from (
                select
                    unnest(meter.ids) as id, unnest(firsts) as first, unnest(lasts) as last,
                    unnest(leasts) as least, unnest(totals) as total,
                    unnest(meter.released) as released, unnest(meter.captured) as captured
            ) l
        ) r
        where a.id = r.id
            and (r.released > 0 or r.least >= 0 and r.least <= a.balance - a.held + greatest(r.freed - a.owed, 0))
        returning a.id, r.least, r.total, a.taken, a.balance - a.held as available
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

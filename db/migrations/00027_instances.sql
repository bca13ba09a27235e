-- +goose Up

-- A row of edge is an instance: one running process among those that share the database. lost_after is how long it may
-- be silent before the others take it for lost. host and file name the lock by which its successor knows that it is
-- gone. settles lists what it settles by x402, each as "network/asset". ended_at is when it was over, for good: every
-- statement of an instance is guarded by it. Edges of earlier releases have no lost_after and no settles.
alter table edge
    add column lost_after interval,
    add column host       text not null default '',
    add column file       text not null default '',
    add column settles    text[],
    add column ended_at   timestamptz;

-- +goose StatementBegin
create function instance_lives(instance uuid) returns boolean language sql stable as $$
    select exists (select from edge e where e.id = instance and e.ended_at is null)
$$;
-- +goose StatementEnd

-- block is the one that has the transfer of a claim that was paid: a balance that was read there, or later, shows it.
alter table x402_claim add column block bigint;

create index x402_claim_block on x402_claim (payer, block) where block is not null;

-- x402_in_flight is how much of a payer's balance at a block is spoken for: by claims that are open, and by those whose
-- transfers come in later blocks. It locks the payer until the transaction ends: of several claims of one payer, at
-- whatever edges, each counts those before it. That takes a function: a statement sees what was committed before it began,
-- the statements of a function what was committed before each of them, and so after the lock was had. What was settled
-- ten minutes ago is in the block that any node has, also where a test network has begun anew.
-- +goose StatementBegin
create function x402_in_flight(of_network text, of_asset text, of_payer text, at_block bigint) returns bigint language plpgsql as $$
declare
    spoken_for bigint;
begin
    perform pg_advisory_xact_lock(hashtextextended(of_network || '/' || of_asset || '/' || of_payer, 402));
    select coalesce(sum(c.amount), 0) into spoken_for
    from (
        select o.amount, o.network, o.asset from x402_claim o
        where o.payer = of_payer and o.state in ('claimed', 'served', 'settling', 'unknown')
        union all
        select p.amount, p.network, p.asset from x402_claim p
        where p.payer = of_payer and p.block > at_block and p.state in ('settled', 'refund_due')
            and p.updated_at > now() - interval '10 minutes'
    ) c
    where c.network = of_network and c.asset = of_asset;
    return spoken_for;
end
$$;
-- +goose StatementEnd

-- The instance that has sent an open transaction: once it has ended, others need not wait for its lease.
alter table x402_transaction add column edge_id uuid;

-- +goose Down
alter table x402_transaction drop column edge_id;
drop function x402_in_flight;
drop index x402_claim_block;
alter table x402_claim drop column block;
drop function instance_lives;
alter table edge drop column ended_at, drop column settles, drop column file, drop column host, drop column lost_after;

-- +goose Up

-- A block may be replaced after what is in it has counted, and a database by a copy that
-- lacks its last second. So the transfers of blocks that stay are read as the statement
-- of an account, and held against the claims: final_block is where a payment was found,
-- refund_final_block where its refund was. lost_at is when it was found that a payment
-- that had counted is on the chain no more, and never will be.
alter table x402_claim
    add column final_block        bigint,
    add column refund_final_block bigint,
    add column lost_at            timestamptz,
    add check (lost_at is null or state = 'failed');

create index x402_claim_not_final on x402_claim (network, asset, pay_to, lapses_at)
    where final_block is null and state in ('settled', 'refund_due', 'refunded');
create index x402_claim_refund_not_final on x402_claim (refunded_at)
    where refund_final_block is null and state = 'refunded';
create index x402_claim_lost on x402_claim (lost_at) where lost_at is not null;

-- How far an account's statement was read.
create table x402_statement (
    network    text not null,
    asset      text not null,
    pay_to     text not null,
    block      bigint not null,      -- up to and including it
    block_time timestamptz not null,
    since      timestamptz not null, -- the time of the first block that was read
    read_at    timestamptz not null default now(),
    primary key (network, asset, pay_to)
);

-- Transfers on a statement that no claim explains: a payment to the account ('in'), or a
-- refund from it ('out'), made by an authorisation. They wait for a claim that does, or for
-- a person.
create table x402_unmatched (
    network     text not null,
    transaction text not null,
    log         bigint not null,
    direction   text not null check (direction in ('in', 'out')),
    asset       text not null,
    pay_to      text not null,
    payer       text not null,
    nonce       bytea not null check (length(nonce) = 32),
    amount      bigint not null,
    claim_id    uuid check (claim_id is null or direction = 'out'), -- whose refund it is
    block       bigint not null,
    mined_at    timestamptz not null,
    found_at    timestamptz not null default now(),
    resolved_at timestamptz,
    resolved_by text,
    resolution  text check (length(btrim(resolution)) > 0),
    primary key (network, transaction, log),
    check ((resolved_at is null) = (resolution is null) and (resolved_at is null) = (resolved_by is null))
);

create index x402_unmatched_open on x402_unmatched (mined_at) where resolved_at is null;

-- +goose Down
drop table x402_unmatched;
drop table x402_statement;
drop index x402_claim_lost, x402_claim_refund_not_final, x402_claim_not_final;
alter table x402_claim drop column final_block, drop column refund_final_block, drop column lost_at;

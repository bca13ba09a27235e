-- +goose Up

-- The transactions that facilitators send from their accounts: one row for each
-- account nonce, written in signed form before anything is broadcast. The primary
-- key is what numbers them, by however many edges an account is shared. A chain is
-- known by its genesis block too: a development chain that starts anew has the same
-- id and none of the transactions.
create table x402_transaction (
    chain_id     bigint not null check (chain_id > 0),
    genesis      bytea not null check (length(genesis) = 32),
    signer       text not null,
    nonce        bigint not null check (nonce >= 0),
    -- the newest version, and the hashes of all, the newest last: any of them may be mined
    raw          bytea not null,
    hashes       bytea[] not null check (cardinality(hashes) > 0),
    payments     bytea[] not null,
    lapses_at    timestamptz not null,
    owner        uuid not null,
    leased_until timestamptz not null,
    created_at   timestamptz not null default now(),
    finished_at  timestamptz,
    mined        bytea check (mined is null or (length(mined) = 32 and finished_at is not null)),
    primary key (chain_id, genesis, signer, nonce)
);

create index x402_transaction_open on x402_transaction (leased_until) where finished_at is null;
create index x402_transaction_finished on x402_transaction (finished_at) where finished_at is not null;

-- What open transactions carry: no payment is in two at once.
create table x402_carried (
    chain_id bigint not null,
    genesis  bytea not null,
    payment  bytea not null check (length(payment) = 32),
    signer   text not null,
    nonce    bigint not null,
    primary key (chain_id, genesis, payment),
    foreign key (chain_id, genesis, signer, nonce) references x402_transaction on delete cascade
);

create index x402_carried_by on x402_carried (chain_id, genesis, signer, nonce);

-- +goose Down
drop table x402_carried;
drop table x402_transaction;

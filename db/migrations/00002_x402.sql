-- +goose Up

-- One payment that was taken for one request. The token refuses a second use of
-- (payer, nonce), and so does the unique constraint: whatever is known of a
-- payment is on its one row, and every step of its life is a guarded update of it.
-- A released claim that is taken again gets a new id, so that steps of the earlier
-- run find nothing to change.
create table x402_claim (
    id              uuid primary key,
    network         text not null,
    asset           text not null,
    payer           text not null,
    nonce           bytea not null check (length(nonce) = 32),
    version         smallint not null check (version in (1, 2)),
    pay_to          text not null,
    amount          bigint not null check (amount > 0),
    payment         bytea not null,
    payload_hash    bytea not null check (length(payload_hash) = 32),
    request_hash    bytea not null check (length(request_hash) = 32),
    method          text not null,
    uri             text not null,
    operation       text not null,
    settle          text not null check (settle in ('after', 'before')),
    lapses_at       timestamptz not null,
    keep_until      timestamptz not null,
    edge_id         uuid not null,
    state           text not null default 'claimed' check (state in (
        'claimed', 'served', 'settling', 'settled', 'unknown', 'failed',
        'released', 'abandoned', 'refund_due', 'refunded'
    )),
    transaction     text not null default '',
    reason          text not null default '',
    response_status int,
    response_header bytea,
    response_body   bytea,
    created_at      timestamptz not null,
    run_at          timestamptz,
    done_at         timestamptz,
    updated_at      timestamptz not null default now(),
    unique (network, asset, payer, nonce),
    check ((response_status is null) = (response_body is null) and (response_status is null) = (response_header is null))
) with (fillfactor = 70);

-- What recovery looks for: a few rows among many that are finished.
create index x402_claim_unfinished on x402_claim (updated_at)
    where state in ('claimed', 'served', 'settling', 'unknown') or (state = 'settled' and done_at is null);
create index x402_claim_kept on x402_claim (keep_until) where response_status is not null;
create index x402_claim_refund on x402_claim (created_at) where state = 'refund_due';
create index x402_claim_payer on x402_claim (payer, created_at);

-- +goose Down
drop table x402_claim;

-- +goose Up

-- How a refund that is due is paid. refund_from, refund_begun_at and
-- refund_lapses_at are written before anything is signed: the authorisation's nonce
-- is made from the claim's id, so the token takes one of them from one account, and
-- as long as an earlier one could still be used nobody signs from another account.
-- The transfer that paid is known by its place on the chain, and no transfer
-- pays two claims.
alter table x402_claim
    add column owed_note          text not null default '', -- why, where it was not the edge that saw it
    add column refund_from        text,
    add column refund_begun_at    timestamptz,
    add column refund_lapses_at   timestamptz,
    add column refund_transaction text,
    add column refund_log         bigint,
    add column refunded_at        timestamptz;

alter table x402_claim
    add check ((refund_begun_at is null) = (refund_lapses_at is null) and (refund_begun_at is null or refund_from is not null)),
    add check ((state = 'refunded') = (refunded_at is not null)),
    add check ((refunded_at is null) = (refund_transaction is null) and (refunded_at is null) = (refund_log is null));

create unique index x402_claim_refund_transfer on x402_claim (network, refund_transaction, refund_log)
    where refund_transaction is not null;

-- Lists and audits go by time.
create index x402_claim_created on x402_claim (created_at, id);

-- +goose Down
drop index x402_claim_created, x402_claim_refund_transfer;
alter table x402_claim
    drop column owed_note, drop column refund_from, drop column refund_begun_at, drop column refund_lapses_at,
    drop column refund_transaction, drop column refund_log, drop column refunded_at;

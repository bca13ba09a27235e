-- +goose Up

-- What pays for the answer of a key, and how much, in the unit that its team pays in. payer is the id of the hold or the
-- claim of the request that is to pay: of the first, or of the repetition that pays in its place, where it certainly did
-- not. An answer from before is free, as it was promised.
alter table idempotency
    add column payer uuid not null default '00000000-0000-0000-0000-000000000000',
    add column cost bigint not null default 0 check (cost >= 0);

-- +goose Down
alter table idempotency drop column payer, drop column cost;

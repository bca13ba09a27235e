-- +goose Up

-- The identifier that the payer has given a purchase (x402 extension
-- payment-identifier), or ''. Of the payments with one identifier by one payer at
-- most one is under way or charged: the index is what refuses the second.
alter table x402_claim
    add column payment_id text not null default ''
        check (payment_id = '' or length(payment_id) between 16 and 128);

create unique index x402_claim_identifier on x402_claim (network, payer, payment_id)
    where payment_id <> '' and state not in ('failed', 'released', 'abandoned');

-- What a wallet that has signed in may read again, and what it waits for.
create index x402_claim_answer on x402_claim (payer, request_hash)
    where response_status is not null or state in ('claimed', 'served', 'settling', 'unknown')
        or (state = 'settled' and done_at is null);

-- Sign-ins that were used (x402 extension sign-in-with-x), for as long as they could
-- be used again.
create table x402_sign_in (
    account    text not null,
    nonce      text not null,
    expires_at timestamptz not null,
    primary key (account, nonce)
);
create index x402_sign_in_expires on x402_sign_in (expires_at);

-- +goose Down
drop table x402_sign_in;
drop index x402_claim_answer, x402_claim_identifier;
alter table x402_claim drop column payment_id;

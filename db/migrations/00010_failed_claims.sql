-- +goose Up

-- A payment that was refused can still be sent by whoever has seen it, until it
-- lapses. closed_at is when a failed claim was held against the chain after that, or
-- was found to have been paid after all.
alter table x402_claim add column closed_at timestamptz;

create index x402_claim_unclosed on x402_claim (lapses_at) where state = 'failed' and closed_at is null;

-- +goose Down
drop index x402_claim_unclosed;
alter table x402_claim drop column closed_at;

-- name: ListHoldEnds :many
-- Every authorisation, and whether it is still open.
select id, account_id, amount, (state = 'open')::bool as open
from hold
order by id;

-- name: SumCharges :many
-- What the ledger says was taken from each account, and for how many requests.
select debit_account as account_id, sum(n)::bigint as requests, sum(amount)::bigint as credits
from ledger_transfer
where kind = 'usage'
group by debit_account;

-- name: ListClaimEnds :many
-- Every x402 payment that was claimed and what became of it.
select id, payer, nonce, amount, state, settle, transaction, reason
from x402_claim
order by id;

-- name: ListClaimTransfers :many
-- What the ledger says was taken by x402: the claim's id and the amount.
select coalesce(idem_key, '')::text as claim_id, amount
from ledger_transfer
where kind = 'x402'
order by id;

-- name: CountUnfinished :one
-- What a sweep or a recovery still has to bring to its end.
select
    (select count(*) from hold h where h.state = 'open') as open_holds,
    (select count(*) from x402_claim c
     where c.state in ('claimed', 'served', 'settling', 'unknown') or (c.state = 'settled' and c.done_at is null)) as open_claims;

-- name: ListOverdrawn :many
-- Accounts that break their own rule; the schema refuses them.
select id, coalesce(team_id, '')::text as team_id, balance, held, owed
from ledger_account
where balance < 0 or held < 0 or owed < 0 or held > balance;

-- name: ListScrapeJobs :many
-- Which hold or claim each scrape was done for.
select id, jti
from scrape
order by id;

-- name: ListHoldEnds :many
-- Every hold that a request was given, and what became of it.
select
    (left(replace(b.id::text, '-', ''), 28) || lpad(to_hex(s.n), 4, '0'))::uuid as id,
    s.account_id::bigint as account_id, s.amount::bigint as amount,
    (get_bit(b.ended, s.n) = 0)::bool as open, (get_bit(b.captured, s.n) = 1)::bool as captured
from meter_batch b
cross join lateral (
    select unnest(b.account_ids) as account_id, unnest(b.amounts) as amount, generate_subscripts(b.account_ids, 1) - 1 as n
) s
order by b.id, s.n;

-- name: SumCharges :many
-- What the ledger says was taken from each account, and for how many requests.
select debit_account as account_id, sum(n)::bigint as requests, sum(amount)::bigint as credits
from ledger_used
group by debit_account;

-- name: ListClaimEnds :many
-- Every x402 payment that was claimed and what became of it.
select id, payer, nonce, amount, state, settle, transaction, reason, coalesce(refund_transaction, '')::text as refund_transaction
from x402_claim
order by id;

-- name: ListClaimTransfers :many
-- What the ledger says was taken by x402: the claim's id and the amount.
select idem_key as claim_id, amount
from ledger_transfer
where kind = 'x402'
order by id;

-- name: CountUnfinished :one
-- What a sweep or a recovery still has to bring to its end.
select
    (select coalesce(sum(1024 - bit_count(b.ended)), 0)::bigint from meter_batch b where not b.done) as open_holds,
    (select count(*) from x402_claim c
     where c.state in ('claimed', 'served', 'settling', 'unknown') or (c.state = 'settled' and c.done_at is null)) as open_claims,
    (select count(*) from topup t where t.state in ('pending', 'unknown', 'processing', 'action_required')) as open_topups;

-- name: HastenTopups :exec
-- Has the sweepers look at once for purchases that they would leave alone for a while yet.
update topup set next_look_at = now()
where state in ('pending', 'unknown', 'processing', 'action_required');

-- name: ListOverdrawn :many
-- Accounts that break their own rule; the schema refuses them.
select id, coalesce(team_id, '')::text as team_id, available, owed
from ledger_account
where available < 0 or owed < 0 or (available > 0 and owed > 0);

-- name: ListScrapeJobs :many
-- Which hold or claim each scrape was done for.
select id, jti
from scrape
order by id;

-- name: LockAccount :exec
-- Keeps the row of an account from everybody else until the transaction ends.
select from ledger_account where id = $1 for update;

-- name: ListIdempotencyPayers :many
-- The hold or claim that is to pay for the answer to each Idempotency-Key: also for one that could not be recorded, whose
-- work the next request with the key finds, for nothing if it is paid.
select key, payer
from idempotency;

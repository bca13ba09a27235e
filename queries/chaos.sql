-- name: ListHoldEnds :many
-- Every hold of a request, and whether it is open or captured.
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
-- What the ledger took from each account, and for how many requests.
select debit_account as account_id, sum(n)::bigint as requests, sum(amount)::bigint as credits
from ledger_used
group by debit_account;

-- name: ListClaimEnds :many
-- Every claimed x402 payment and its outcome.
select id, payer, nonce, amount, state, settle, transaction, reason, coalesce(refund_transaction, '')::text as refund_transaction
from x402_claim
order by id;

-- name: ListClaimTransfers :many
-- What the ledger took by x402: the claim's id and the amount.
select idem_key as claim_id, amount
from ledger_transfer
where kind = 'x402'
order by id;

-- name: CountUnfinished :one
-- What a sweep or a recovery still has to finish.
select
    (select coalesce(sum(1024 - bit_count(b.ended)), 0)::bigint from meter_batch b where not b.done) as open_holds,
    (select count(*) from x402_claim c
     where c.state in ('claimed', 'served', 'settling', 'unknown') or (c.state = 'settled' and c.done_at is null)) as open_claims,
    (select count(*) from topup t where t.state in ('pending', 'unknown', 'processing', 'action_required')) as open_topups;

-- name: HastenTopups :exec
-- Makes unfinished purchases due now, so that the sweepers do not wait before they look at them.
update topup set next_look_at = now()
where state in ('pending', 'unknown', 'processing', 'action_required');

-- name: ListOverdrawn :many
-- Accounts with balances that the schema forbids.
select id, coalesce(team_id, '')::text as team_id, available, owed
from ledger_account
where available < 0 or owed < 0 or (available > 0 and owed > 0);

-- name: ListScrapeJobs :many
-- The hold or claim that each scrape was done for.
select id, jti
from scrape
order by id;

-- name: LockAccount :exec
-- Locks an account's row until the transaction ends.
select from ledger_account where id = $1 for update;

-- name: ListIdempotencyPayers :many
-- The hold or claim that pays for the response to each Idempotency-Key. This includes a response that could not be
-- recorded: the next request with the key finds its work, and pays nothing if the work is paid.
select key, payer
from idempotency;

-- In all steps of a claim, edge_id is the instance that has it, and the caller: one that has ended, or whose claim
-- another has taken on, changes nothing.

-- name: ClaimPayment :one
-- Claims a payment for a request: a new one, or a released one with the same payload. The instance must be live and
-- settle such payments. The payer's balance, if it was read, must cover the amount plus what is in flight. A contract
-- as payer may have only a few unsettled payments. The day's budget must cover the cost of settling plus what was spent
-- and is held. Fails with a unique violation if another payment of the payer has the same identifier.
with guard as materialized (
    select
        exists (
            select from edge e
            where e.id = @edge_id and e.ended_at is null
                and (e.settles is null or @network::text || '/' || @asset::text = any(e.settles))
        ) as is_settler,
        case
            when sqlc.narg('balance')::bigint is null then 0
            -- The copies of a payment need not wait for one another.
            when exists (
                select from x402_claim o
                where o.network = @network and o.asset = @asset and o.payer = @payer::text and o.nonce = @nonce and o.state <> 'released'
            ) then 0
            else x402_in_flight(@network, @asset, @payer::text, @read_at::bigint)
        end as in_flight,
        case when @is_contract::bool then x402_unpaid_tries(@network, @asset, @payer::text) else 0 end as tries,
        case
            when @cost::bigint = 0 then 0
            when exists (
                select from x402_claim o
                where o.network = @network and o.asset = @asset and o.payer = @payer::text and o.nonce = @nonce and o.state <> 'released'
            ) then 0
            else x402_gas_held(@network, @cost::bigint, @budget::bigint)
        end as gas_held
),

taken as (
    insert into x402_claim as c (
        id, network, asset, payer, nonce, version, pay_to, amount, payment, payload_hash, request_hash,
        method, uri, operation, settle, lapses_at, keep_until, edge_id, created_at, payment_id, gas, run_at
    )
    select
        @id, @network, @asset, @payer, @nonce, @version, @pay_to, @amount::bigint, @payment, @payload_hash, @request_hash,
        @method, @uri, @operation, @settle::text, @lapses_at, @keep_until, @edge_id, @created_at, @payment_id, @cost::bigint,
        case when @settle::text = 'after' then now() end
    from guard
    where guard.is_settler
        and (sqlc.narg('balance')::bigint is null or guard.in_flight + @amount::bigint <= sqlc.narg('balance')::bigint)
        and guard.tries < @tries_max::bigint
        and guard.gas_held + @cost::bigint <= @budget::bigint
    on conflict (network, asset, payer, nonce) do update
    set id = excluded.id, version = excluded.version, pay_to = excluded.pay_to, amount = excluded.amount,
        payment = excluded.payment, request_hash = excluded.request_hash, method = excluded.method,
        uri = excluded.uri, operation = excluded.operation, settle = excluded.settle,
        lapses_at = excluded.lapses_at, keep_until = excluded.keep_until, edge_id = excluded.edge_id,
        created_at = excluded.created_at, payment_id = excluded.payment_id, gas = excluded.gas, run_at = excluded.run_at,
        done_at = null, state = 'claimed',
        transaction = '', reason = '', response_status = null, response_header = null, response_body = null,
        updated_at = now()
    where c.state = 'released' and c.payload_hash = excluded.payload_hash and c.id <> excluded.id
    returning c.id
)

select guard.is_settler::bool as is_settler, guard.in_flight::bigint as in_flight, guard.tries::bigint as tries,
    guard.gas_held::bigint as gas_held, exists (select from taken) as is_taken, now()::timestamptz as taken_at
from guard;

-- name: DisclaimPayment :exec
-- Releases a claim that may or may not have been made. If it was not made, it no longer can be: a released claim takes
-- its place, and ClaimPayment never accepts the same id again.
insert into x402_claim as c (
    id, network, asset, payer, nonce, version, pay_to, amount, payment, payload_hash, request_hash,
    method, uri, operation, settle, lapses_at, keep_until, edge_id, created_at, state, done_at
)
values (
    @id, @network, @asset, @payer, @nonce, @version, @pay_to, @amount, @payment, @payload_hash, @request_hash,
    @method, @uri, @operation, @settle, @lapses_at, @keep_until, @edge_id, @created_at, 'released', now()
)
on conflict (network, asset, payer, nonce) do update
set state = 'released', done_at = now(), updated_at = now()
where c.id = excluded.id and c.edge_id = excluded.edge_id and c.state = 'claimed';

-- name: PaymentClaim :one
select
    id, version, pay_to, amount, payment, payload_hash, request_hash, method, uri, operation, settle,
    lapses_at, keep_until, edge_id, state, transaction, reason, created_at, payment_id, run_at, done_at,
    (response_status is not null)::bool as response_kept
from x402_claim
where network = @network and asset = @asset and payer = @payer and nonce = @nonce;

-- name: KeptResponse :one
select response_status, response_header, response_body
from x402_claim
where id = @id and response_status is not null;

-- name: ReleaseClaim :execrows
update x402_claim
set state = 'released', reason = @reason, done_at = now(), updated_at = now(),
    response_status = sqlc.narg('status'), response_header = sqlc.narg('header'), response_body = sqlc.narg('body')
where id = @id and edge_id = @edge_id and instance_lives(@edge_id) and state = 'claimed';

-- name: ServeClaim :execrows
update x402_claim
set state = 'served', updated_at = now(), done_at = case when sqlc.narg('status')::int is not null then now() end,
    response_status = sqlc.narg('status')::int, response_header = sqlc.narg('header'), response_body = sqlc.narg('body')
where id = @id and edge_id = @edge_id and instance_lives(@edge_id) and state = 'claimed' and settle = 'after';

-- name: StartSettlingClaim :execrows
update x402_claim
set state = 'settling', updated_at = now()
where id = @id and edge_id = @edge_id and instance_lives(@edge_id) and (state = 'served' or (state = 'claimed' and settle = 'before'));

-- name: SettleClaim :execrows
-- Records that the payment was received, in the claim and in the ledger together or not at all.
with settled as (
    update x402_claim c
    set state = 'settled', transaction = @transaction, block = sqlc.narg('block'), reason = '', updated_at = now(),
        run_at = case when @run::bool then coalesce(c.run_at, now()) else c.run_at end
    where c.id = @id and c.edge_id = @edge_id and instance_lives(@edge_id) and c.state in ('served', 'settling', 'unknown')
    returning c.id, c.amount, c.operation
)

insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key, operation)
select clearing.id, revenue.id, settled.amount, 'usdc6', 'x402', settled.id::text, settled.operation
from settled
join ledger_account clearing on clearing.kind = 'x402_clearing' and clearing.unit = 'usdc6'
join ledger_account revenue on revenue.kind = 'revenue' and revenue.unit = 'usdc6';

-- name: MarkClaimUnknown :execrows
update x402_claim
set state = 'unknown', updated_at = now(),
    transaction = case when @transaction::text = '' then transaction else @transaction::text end
where id = @id and edge_id = @edge_id and instance_lives(@edge_id) and state in ('settling', 'unknown');

-- name: FailClaim :execrows
update x402_claim
set state = 'failed', reason = @reason, updated_at = now(),
    response_status = null, response_header = null, response_body = null
where id = @id and edge_id = @edge_id and instance_lives(@edge_id) and state in ('served', 'settling', 'unknown');

-- name: AbandonClaim :execrows
update x402_claim
set state = 'abandoned', updated_at = now(), response_status = null, response_header = null, response_body = null
where id = @id and edge_id = @edge_id and instance_lives(@edge_id) and state in ('claimed', 'served');

-- name: StartClaimRun :execrows
update x402_claim
set run_at = now(), edge_id = @edge_id, updated_at = now()
where id = @id and state = 'settled' and run_at is null and instance_lives(@edge_id);

-- name: TakeUnknownClaim :execrows
-- Gives a claim of unknown outcome to the instance that its client asks.
update x402_claim
set edge_id = @edge_id, updated_at = now()
where id = @id and state = 'unknown' and instance_lives(@edge_id);

-- name: FinishClaim :execrows
update x402_claim
set state = case when @failed::bool then 'refund_due' else state end, done_at = now(), updated_at = now(),
    response_status = sqlc.narg('status'), response_header = sqlc.narg('header'), response_body = sqlc.narg('body')
where id = @id and edge_id = @edge_id and instance_lives(@edge_id) and state in ('settled', 'refund_due') and run_at is not null and done_at is null;

-- name: MarkRefundDue :execrows
update x402_claim
set state = 'refund_due', done_at = now(), updated_at = now()
where id = @id and edge_id = @edge_id and instance_lives(@edge_id) and state = 'settled' and run_at is null;

-- name: TakeOrphanClaims :many
-- Gives unfinished claims to an instance that can settle them: those of ended instances, those that their own instance
-- no longer settles, and its own that nothing there works on.
with orphan as (
    select c.id
    from x402_claim c
    where (
            c.state in ('claimed', 'served', 'settling', 'unknown')
            or (c.state = 'settled' and c.done_at is null and (c.run_at is not null or c.keep_until < @now))
        )
        and c.network || '/' || c.asset = any(@settles::text[])
        and c.id <> all(@active::uuid[])
        and instance_lives(@edge_id)
        and (
            c.edge_id = @edge_id
            or not exists (
                select from edge e
                where e.id = c.edge_id and e.ended_at is null
                    and (e.settles is null or c.network || '/' || c.asset = any(e.settles))
            )
        )
    order by c.updated_at
    limit @batch_size::int
    for update of c skip locked
)

update x402_claim c
set edge_id = @edge_id, updated_at = now()
from orphan
where c.id = orphan.id
returning
    c.id, c.network, c.asset, c.payer, c.nonce, c.version, c.pay_to, c.amount, c.payment, c.payload_hash,
    c.request_hash, c.method, c.uri, c.operation, c.settle, c.lapses_at, c.keep_until, c.edge_id, c.state,
    c.transaction, c.reason, c.created_at, c.payment_id, c.run_at, c.done_at,
    (c.response_status is not null)::bool as response_kept;

-- name: ListUnclosedClaims :many
-- Failed claims whose payments have lapsed and that have not been compared with the chain since.
select network, asset, payer, nonce
from x402_claim
where state = 'failed' and closed_at is null and lapses_at < @lapsed_before and network || '/' || asset = any(@settles::text[])
order by lapses_at
limit @batch_size::int;

-- name: CloseFailedClaim :execrows
update x402_claim
set closed_at = now()
where id = @id and state = 'failed' and closed_at is null;

-- name: OweFailedClaim :execrows
-- Records that a failed claim was paid after all: a refund is due, since nothing was given for it. It gives up its
-- identifier, which a later payment may have by now.
with paid as (
    update x402_claim c
    set state = 'refund_due', transaction = @transaction, block = sqlc.narg('block'), reason = '', owed_note = @note::text, payment_id = '',
        done_at = coalesce(c.done_at, now()), closed_at = now(), updated_at = now()
    where c.id = @id and c.state = 'failed'
    returning c.id, c.amount, c.operation
)

insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key, operation)
select clearing.id, revenue.id, paid.amount, 'usdc6', 'x402', paid.id::text, paid.operation
from paid
join ledger_account clearing on clearing.kind = 'x402_clearing' and clearing.unit = 'usdc6'
join ledger_account revenue on revenue.kind = 'revenue' and revenue.unit = 'usdc6';

-- name: ForgetKeptResponses :execrows
update x402_claim
set response_status = null, response_header = null, response_body = null
where response_status is not null and keep_until < @now
    and state in ('settled', 'failed', 'released', 'abandoned', 'refund_due', 'refunded');

-- name: ListClaimsToAudit :many
-- Claims in the order in which they were made, after the last one of the page before.
select
    id, network, asset, payer, nonce, version, pay_to, amount, payment, state, transaction, created_at,
    refund_from, refund_begun_at, refund_lapses_at, refund_transaction, refund_log
from x402_claim
where created_at >= @since and (created_at, id) > (@after_time::timestamptz, @after_id::uuid)
order by created_at, id
limit @row_limit;

-- name: ListClaimsOutOfLedger :many
-- Claims that were paid or refunded but are not in the ledger, or with another amount, and ledger entries without such
-- a claim, except reversed ones.
select
    coalesce(c.id::text, t.idem_key, '')::text as claim_id,
    coalesce(c.state, '')::text as state,
    coalesce(c.kind, t.kind, '')::text as kind,
    coalesce(c.amount, 0)::bigint as claimed,
    coalesce(t.amount, 0)::bigint as booked
from (
    select id, state, amount, 'x402' as kind from x402_claim where state in ('settled', 'refund_due', 'refunded')
    union all
    select id, state, amount, 'refund' from x402_claim where state = 'refunded'
) c
full join (
    select l.idem_key, l.amount, l.kind from ledger_transfer l
    where (l.kind = 'x402' or (l.kind = 'refund' and l.unit = 'usdc6'))
        and not exists (select from ledger_transfer r where r.reverses = l.id)
) t on t.idem_key = c.id::text and t.kind = c.kind
where c.id is null or t.idem_key is null or t.amount <> c.amount
order by 1, 3;

-- Operating: lists, refunds, counts.

-- name: ListPayments :many
-- For operators: the newest payments, of one state or payer or all.
select
    id, network, asset, payer, pay_to, amount, method, uri, operation, state, transaction, reason, settle, created_at,
    owed_note, refund_transaction, refunded_at
from x402_claim
where (sqlc.narg('state')::text is null or state = sqlc.narg('state'))
    and (sqlc.narg('payer')::text is null or payer = sqlc.narg('payer'))
    and created_at >= @since
order by created_at desc, id desc
limit @row_limit;

-- name: ListRefundsDue :many
-- The refunds due, oldest first.
select
    id, network, asset, payer, pay_to, amount, payment, operation, state, transaction, created_at, owed_note,
    refund_from, refund_begun_at, refund_lapses_at, refund_transaction
from x402_claim
where state = 'refund_due'
order by created_at, id;

-- name: ClaimToRefund :one
select
    id, network, asset, payer, pay_to, amount, payment, operation, state, transaction, created_at, owed_note,
    refund_from, refund_begun_at, refund_lapses_at, refund_transaction
from x402_claim
where id = @id;

-- name: OweClaim :execrows
-- Marks a payment for a refund. One that is marked or refunded already stays as it is.
update x402_claim
set state = case when state = 'settled' then 'refund_due' else state end,
    owed_note = case when state = 'settled' then @note::text else owed_note end, updated_at = now()
where id = @id and state in ('settled', 'refund_due', 'refunded');

-- name: BeginRefund :execrows
-- Records which account is about to sign a refund, and until when it will be valid. A refund that was made may have to
-- be made again. No row: another was recorded since the caller looked.
update x402_claim
set refund_from = @pay_from::text, refund_lapses_at = @lapses_at::timestamptz, updated_at = now(),
    refund_begun_at = case when refund_from = @pay_from::text then coalesce(refund_begun_at, now()) else now() end
where id = @id and state in ('refund_due', 'refunded')
    and refund_from is not distinct from sqlc.narg('was_from')
    and refund_lapses_at is not distinct from sqlc.narg('was_lapses_at')::timestamptz;

-- name: RecordRefund :execrows
-- Records that the refund was paid, in the claim and in the ledger together or not at all.
with refunded as (
    update x402_claim c
    set state = 'refunded', refund_transaction = @transaction::text, refund_log = @log::bigint,
        refund_from = @paid_from::text, refunded_at = now(), updated_at = now()
    where c.id = @id and c.state = 'refund_due'
    returning c.id, c.amount, c.operation
)

insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key, operation)
select revenue.id, clearing.id, refunded.amount, 'usdc6', 'refund', refunded.id::text, refunded.operation
from refunded
join ledger_account clearing on clearing.kind = 'x402_clearing' and clearing.unit = 'usdc6'
join ledger_account revenue on revenue.kind = 'revenue' and revenue.unit = 'usdc6';

-- name: CountOpenClaims :many
-- Unfinished claims and refunds due, by state. These are the few rows that two small indexes contain.
select state, count(*)::bigint as claims, sum(amount)::bigint as amount, min(created_at)::timestamptz as oldest
from (
    select state, amount, created_at from x402_claim
    where state in ('claimed', 'served', 'settling', 'unknown') or (state = 'settled' and done_at is null)
    union all
    select state, amount, created_at from x402_claim where state = 'refund_due'
) open
group by state
order by state;

-- name: CountStrandedClaims :one
-- Unfinished claims that no live instance can settle.
select count(*)
from x402_claim c
where (c.state in ('claimed', 'served', 'settling', 'unknown') or (c.state = 'settled' and c.done_at is null))
    and not exists (
        select from edge e
        where e.ended_at is null and (e.settles is null or c.network || '/' || c.asset = any(e.settles))
    );

-- Settlement: the transactions that facilitators send from their accounts.

-- name: NextTransactionNonce :one
select coalesce(max(nonce) + 1, 0)::bigint as next
from x402_transaction
where chain_id = @chain_id and genesis = @genesis and signer = @signer;

-- name: TakeTransactionNonce :one
-- Stores a signed transaction under its nonce, unless the nonce is taken or would leave a gap, one of its payments was
-- in a transaction that was mined since TransactionsCarrying looked for it, or its instance has ended. Fails with a
-- unique violation if another open transaction carries one of its payments.
with lately as (
    select m.nonce
    from x402_transaction m
    where m.finished_at > @looked_at::timestamptz and m.mined is not null
        and m.chain_id = @chain_id and m.genesis = @genesis and m.payments && @payments::bytea[]
),

taken as (
    insert into x402_transaction (
        chain_id, genesis, signer, nonce, raw, hashes, payments, lapses_at, owner, leased_until, edge_id
    )
    select
        @chain_id, @genesis, @signer, @nonce, @raw, array[@hash::bytea], @payments::bytea[], @lapses_at, @owner,
        now() + @lease::interval, sqlc.narg('edge_id')
    where @nonce::bigint <= greatest(@counted::bigint, (
        select coalesce(max(t.nonce) + 1, 0)
        from x402_transaction t
        where t.chain_id = @chain_id and t.genesis = @genesis and t.signer = @signer
    ))
    and not exists (select from lately)
    and (sqlc.narg('edge_id')::uuid is null or instance_lives(sqlc.narg('edge_id')))
    on conflict do nothing
    returning chain_id, genesis, signer, nonce, payments
),

carried as (
    insert into x402_carried (chain_id, genesis, payment, signer, nonce)
    select taken.chain_id, taken.genesis, p.payment, taken.signer, taken.nonce
    from taken cross join unnest(taken.payments) as p (payment)
)

select exists (select from taken) as taken, exists (select from lately) as mined_lately,
    (sqlc.narg('edge_id')::uuid is null or instance_lives(sqlc.narg('edge_id')))::bool as is_alive;

-- name: ReplaceTransaction :execrows
-- Gives an open transaction another version. No row: this owner does not know the newest one.
update x402_transaction
set raw = @raw, hashes = hashes || @hash::bytea
where chain_id = @chain_id and genesis = @genesis and signer = @signer and nonce = @nonce
    and owner = @owner and finished_at is null and hashes[cardinality(hashes)] = @known::bytea;

-- name: FinishTransaction :exec
-- Ends a nonce that is used up: by the mined version, whose cost counts against the day's budget, or by none.
with dropped as (
    delete from x402_carried c
    where c.chain_id = @chain_id and c.genesis = @genesis and c.signer = @signer and c.nonce = @nonce
),

finished as (
    update x402_transaction t
    set finished_at = now(), mined = sqlc.narg('mined')
    where t.chain_id = @chain_id and t.genesis = @genesis and t.signer = @signer and t.nonce = @nonce and t.finished_at is null
    returning t.chain_id
)

insert into x402_gas as g (network, day, spent)
select 'eip155:' || finished.chain_id, (now() at time zone 'utc')::date, @cost::bigint
from finished
where @cost::bigint > 0
on conflict (network, day) do update set spent = g.spent + excluded.spent;

-- name: ReopenTransaction :one
-- Reopens a finished transaction that is no longer on the chain. A payment that another open transaction carries by now
-- stays with that one, because the token accepts it once.
with opened as (
    update x402_transaction t
    set finished_at = null, mined = null, owner = @owner, leased_until = now() + @lease::interval, edge_id = sqlc.narg('edge_id')
    where t.chain_id = @chain_id and t.genesis = @genesis and t.signer = @signer and t.nonce = @nonce and t.finished_at is not null
        and (sqlc.narg('edge_id')::uuid is null or instance_lives(sqlc.narg('edge_id')))
    returning t.chain_id, t.genesis, t.signer, t.nonce, t.raw, t.hashes, t.payments, t.lapses_at
),

carried as (
    insert into x402_carried (chain_id, genesis, payment, signer, nonce)
    select opened.chain_id, opened.genesis, p.payment, opened.signer, opened.nonce
    from opened cross join unnest(opened.payments) as p (payment)
    on conflict do nothing
)

select signer, nonce, raw, hashes, payments, lapses_at from opened;

-- name: ForgetTransactions :execrows
-- Deletes transactions that finished long ago, except the highest nonce, which the numbering needs.
delete from x402_transaction t
where t.finished_at < now() - @keep::interval and exists (
    select from x402_transaction h
    where h.chain_id = t.chain_id and h.genesis = t.genesis and h.signer = t.signer and h.nonce > t.nonce
);

-- name: TendTransactions :many
-- Extends this owner's leases, and takes over open transactions of the given accounts whose owners are gone or whose
-- instances have ended.
update x402_transaction
set owner = @owner, leased_until = now() + @lease::interval, edge_id = sqlc.narg('edge_id')
where chain_id = @chain_id and genesis = @genesis and signer = any(@signers::text[]) and finished_at is null
    and (owner = @owner or leased_until < now() or (edge_id is not null and not instance_lives(edge_id)))
returning signer, nonce, raw, hashes, payments, lapses_at;

-- name: TransactionsCarrying :many
-- The open transactions that carry any of the payments, each with the time of this look-up. If there are none, one row
-- has that time and no signer.
select
    now()::timestamptz as looked_at, coalesce(open.signer, '')::text as signer, coalesce(open.nonce, 0)::bigint as nonce,
    coalesce(open.raw, '')::bytea as raw, coalesce(open.hashes, '{}')::bytea[] as hashes,
    coalesce(open.payments, '{}')::bytea[] as payments, coalesce(open.lapses_at, now())::timestamptz as lapses_at
from (select) as looked
left join (
    select distinct on (t.signer, t.nonce) t.signer, t.nonce, t.raw, t.hashes, t.payments, t.lapses_at
    from x402_carried c
    join x402_transaction t
        on t.chain_id = c.chain_id and t.genesis = c.genesis and t.signer = c.signer and t.nonce = c.nonce
    where c.chain_id = @chain_id and c.genesis = @genesis and c.payment = any(@payments::bytea[])
) as open on true;

-- name: ReleaseTransactions :exec
-- Ends the leases of an owner that stops, so that others need not wait for them.
update x402_transaction
set leased_until = now()
where owner = @owner and finished_at is null;

-- Extensions: identifiers of purchases, and wallets that sign in.

-- name: IdentifiedClaim :one
-- The claim that has an identifier, unless it was not charged, or has finished and its response is no longer kept.
select
    id, network, asset, payer, nonce, version, pay_to, amount, payment, payload_hash, request_hash, method, uri,
    operation, settle, lapses_at, keep_until, edge_id, state, transaction, reason, created_at, payment_id, run_at,
    done_at, (response_status is not null)::bool as response_kept
from x402_claim
where network = @network and payer = @payer and payment_id = @payment_id and payment_id <> ''
    and state not in ('failed', 'released', 'abandoned')
    and (keep_until >= @now or state in ('claimed', 'served', 'settling', 'unknown') or (state = 'settled' and done_at is null));

-- name: FreeIdentifier :execrows
-- Removes an identifier from a claim that IdentifiedClaim no longer returns.
update x402_claim
set payment_id = ''
where network = @network and payer = @payer and payment_id = @payment_id and payment_id <> ''
    and keep_until < @now
    and (state in ('refund_due', 'refunded') or (state = 'settled' and done_at is not null));

-- name: AnswerableClaim :one
-- A payer's newest claim for a request whose response is kept, else the newest in progress. Without network: on any.
select
    id, network, asset, payer, nonce, version, pay_to, amount, payment, payload_hash, request_hash, method, uri,
    operation, settle, lapses_at, keep_until, edge_id, state, transaction, reason, created_at, payment_id, run_at,
    done_at, (response_status is not null)::bool as response_kept
from x402_claim
where payer = @payer and request_hash = @request_hash and (@network::text = '' or network = @network)
    and (
        (response_status is not null and state = 'settled' and keep_until >= @now)
        or state in ('claimed', 'served', 'settling', 'unknown')
        or (state = 'settled' and done_at is null)
    )
order by (response_status is not null and state = 'settled') desc, created_at desc
limit 1;

-- name: UseSignIn :execrows
-- Uses up a sign-in. No row: another request has used it.
insert into x402_sign_in (account, nonce, expires_at)
values (@account, @nonce, @expires_at)
on conflict do nothing;

-- name: ForgetSignIns :execrows
delete from x402_sign_in
where expires_at < @now;

-- Statements: what the chain's final blocks say of the accounts that are paid.

-- name: ListPaidAccounts :many
-- The accounts whose statements are read, and those with payments that are on no statement yet.
select distinct a.network, a.asset, a.pay_to
from (
    select s.network, s.asset, s.pay_to from x402_statement s
    union all
    select c.network, c.asset, c.pay_to from x402_claim c
    where c.final_block is null and c.state in ('settled', 'refund_due', 'refunded')
) a
order by 1, 2, 3;

-- name: StatementRead :one
select block, block_time, since
from x402_statement
where network = @network and asset = @asset and pay_to = @pay_to;

-- name: FirstPaymentOffStatement :one
-- The time of the first payment to an account that is not in a block that was read.
select coalesce(min(created_at), now())::timestamptz as first
from x402_claim
where network = @network and asset = @asset and pay_to = @pay_to
    and final_block is null and state in ('settled', 'refund_due', 'refunded');

-- name: OpenStatement :exec
insert into x402_statement (network, asset, pay_to, block, block_time, since)
values (@network, @asset, @pay_to, @block, @since, @since)
on conflict do nothing;

-- name: ListClaimsOfTransactions :many
-- An account's paid claims with one of the transactions on record, except those already found in a block.
select id, payer, amount, transaction
from x402_claim
where network = @network and asset = @asset and pay_to = @pay_to and final_block is null
    and state in ('settled', 'refund_due', 'refunded') and transaction = any(@transactions::text[]);

-- name: ListClaimsOfPayer :many
-- The claims that a transfer of this amount to a payer may be the refund of.
select id, state, refund_transaction, refund_log
from x402_claim
where network = @network and asset = @asset and payer = @payer and amount = @amount;

-- name: NoteStatement :one
-- Records that an account's statement was read up to a block: the claims whose payments are on it, and the transfers
-- that no claim explains. 0: another process has read on since, and nothing is recorded.
with moved as (
    update x402_statement s
    set block = @block, block_time = @block_time, read_at = now()
    where s.network = @network and s.asset = @asset and s.pay_to = @pay_to and s.block = @was
    returning s.network, s.asset, s.pay_to
),

final as (
    update x402_claim c
    set final_block = f.block, block = f.block, transaction = f.transaction
    from (
        select unnest(@claims::uuid[]) as id, unnest(@claim_blocks::bigint[]) as block, unnest(@claim_transactions::text[]) as transaction
    ) f
    where c.id = f.id and c.final_block is null and c.state in ('settled', 'refund_due', 'refunded') and exists (select from moved)
),

found as (
    insert into x402_unmatched (network, transaction, log, direction, asset, pay_to, payer, nonce, amount, claim_id, block, mined_at)
    select
        moved.network, u.transaction, u.log, u.direction, moved.asset, moved.pay_to, u.payer, u.nonce, u.amount,
        nullif(u.claim_id, '00000000-0000-0000-0000-000000000000'), u.block, @block_time
    from moved cross join (
        select
            unnest(@transactions::text[]) as transaction, unnest(@logs::bigint[]) as log, unnest(@directions::text[]) as direction,
            unnest(@payers::text[]) as payer, unnest(@nonces::bytea[]) as nonce, unnest(@amounts::bigint[]) as amount,
            unnest(@claim_ids::uuid[]) as claim_id, unnest(@blocks::bigint[]) as block
    ) u
    on conflict do nothing
)

select count(*) from moved;

-- name: ListClaimsOffStatement :many
-- Paid claims that should be on the statement that was read, but are not: their payments had lapsed by its last block,
-- or were made over an hour before it.
select
    c.id, c.network, c.asset, c.payer, c.nonce, c.version, c.pay_to, c.amount, c.payment, c.state, c.transaction, c.created_at,
    c.refund_from, c.refund_begun_at, c.refund_lapses_at, c.refund_transaction, c.refund_log
from x402_claim c
join x402_statement s on s.network = c.network and s.asset = c.asset and s.pay_to = c.pay_to
where c.final_block is null and c.state in ('settled', 'refund_due', 'refunded')
    and c.created_at >= s.since and (c.lapses_at < s.block_time or c.created_at < s.block_time - interval '1 hour')
order by c.lapses_at
limit @row_limit;

-- name: LoseClaim :execrows
-- Fails a claim whose payment had counted but is no longer on the chain, and reverses it in the ledger, together or not
-- at all. Its response was already sent.
with lost as (
    update x402_claim c
    set state = 'failed', reason = @reason, lost_at = now(), closed_at = now(), done_at = coalesce(c.done_at, now()), updated_at = now(),
        response_status = null, response_header = null, response_body = null
    where c.id = @id and c.state in ('settled', 'refund_due') and c.final_block is null
    returning c.id, c.operation
)

insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key, operation, reverses, note)
select t.credit_account, t.debit_account, t.amount, t.unit, 'reversal', 'x402:' || lost.id, lost.operation, t.id, 'the chain has the payment no more'
from lost
join ledger_transfer t on t.kind = 'x402' and t.idem_key = lost.id::text;

-- name: CountLostPayments :one
select count(*)::bigint as claims, coalesce(sum(amount), 0)::bigint as amount
from x402_claim
where lost_at >= @since::timestamptz;

-- name: ListUnmatched :many
-- Transfers that no claim explains. Without all_of_them: only those neither resolved nor explained by a claim since.
select
    u.*, coalesce(c.id::text, '')::text as claim, coalesce(c.state, '')::text as state,
    coalesce(c.created_at, u.mined_at)::timestamptz as claimed_at
from x402_unmatched u
left join x402_claim c on (u.direction = 'out' and c.id = u.claim_id)
    or (u.direction = 'in' and c.network = u.network and c.asset = u.asset and c.payer = u.payer and c.nonce = u.nonce)
where @all_of_them::bool or (
    u.resolved_at is null
    and not (u.direction = 'in' and coalesce(c.state, '') in ('settled', 'refund_due', 'refunded'))
    and not (u.direction = 'out' and coalesce(c.refund_transaction, '') = u.transaction)
)
order by u.mined_at, u.transaction, u.log;

-- name: ResolveUnmatched :execrows
update x402_unmatched
set resolved_at = now(), resolved_by = @resolved_by::text, resolution = @resolution::text
where transaction = @transaction and log = @log and resolved_at is null;

-- name: ListRefundsNotFinal :many
-- Refunds that were recorded before a time and not found in a final block yet.
select
    id, network, asset, payer, nonce, version, pay_to, amount, payment, state, transaction, created_at,
    refund_from, refund_begun_at, refund_lapses_at, refund_transaction, refund_log
from x402_claim
where state = 'refunded' and refund_final_block is null and refunded_at < @before::timestamptz
order by refunded_at
limit @row_limit;

-- name: NoteRefundFinal :exec
update x402_claim
set refund_final_block = @block::bigint
where id = @id and state = 'refunded' and refund_transaction = @transaction::text;

-- name: RecordRefundAgain :execrows
-- Records a refund that was paid again because the first is no longer on the chain. The ledger has it already.
update x402_claim
set refund_transaction = @transaction::text, refund_log = @log::bigint, refund_from = @paid_from::text, refunded_at = now(), updated_at = now()
where id = @id and state = 'refunded' and refund_transaction = @was::text and refund_final_block is null;

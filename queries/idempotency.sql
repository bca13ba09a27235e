-- name: BeginIdempotent :execrows
-- Takes a key that is new or has expired, or whose kept response is no longer usable: instead_of is the token of that
-- response. No row: the key is in use.
insert into idempotency as i (
    team_id, route, key, request_sha256, identity, payer, token, locked_until, created_at, expires_at
)
values (
    @team_id, @route, @key, @request_sha256, @identity, @payer, @token, now() + make_interval(secs => @lease_seconds::float),
    now(), now() + make_interval(secs => @kept_seconds::float)
)
on conflict (team_id, route, key) do update set
    request_sha256 = excluded.request_sha256, identity = excluded.identity, payer = excluded.payer, cost = 0,
    token = excluded.token, state = 'running', status = null, body = null,
    locked_until = excluded.locked_until, created_at = excluded.created_at, expires_at = excluded.expires_at
where (i.expires_at <= now() and (i.state = 'done' or i.locked_until <= now()))
    or (i.state = 'done' and i.token = @instead_of);

-- name: IdempotentAnswer :one
-- What is kept of a key, and its payment: 'paid', 'unpaid' for good, or 'open' while that is unknown. 'undone' is
-- unpaid, too: the payment came before the work and must be refunded, and what the response describes may not exist.
--
-- The payer is a claim, or a request's hold: a slot of a meter batch (see meter_batch) unless a job has adopted it. A
-- payer's id is given out only after its commit, so a payer that does not exist has not paid and never will.
select
    i.request_sha256, i.identity, i.payer, i.cost, i.token, i.state, i.status, i.body,
    greatest(0, extract(epoch from i.locked_until - clock_timestamp()))::float as locked_seconds,
    (case
        when c.state = 'settled' and c.done_at is not null then 'paid'
        when c.state in ('refund_due', 'refunded') and c.settle = 'before' then 'undone'
        when c.state in ('refund_due', 'refunded', 'failed', 'released', 'abandoned') then 'unpaid'
        when c.id is not null then 'open'
        when h.id is not null then 'paid' -- by the job's items
        when get_bit(b.ended, p.slot) = 0 then 'open'
        when get_bit(b.captured, p.slot) = 1 then 'paid'
        else 'unpaid'
    end)::text as payment
from idempotency i
cross join lateral (
    select
        (left(i.payer::text, 32) || '0000')::uuid as batch_id,
        ('x' || right(i.payer::text, 4))::bit(16)::int as slot
) p
left join x402_claim c on c.id = i.payer
left join hold h on h.id = i.payer
left join meter_batch b on b.id = p.batch_id and p.slot < 1024
where i.team_id = @team_id and i.route = @route and i.key = @key;

-- name: TakeIdempotent :execrows
-- Takes over an attempt whose lease has ended, or pays for a kept response. No row: another request has done so since
-- the key was read.
update idempotency set
    payer = @payer, token = @token,
    locked_until = case when state = 'running' then now() + make_interval(secs => @lease_seconds::float) else locked_until end
where team_id = @team_id and route = @route and key = @key and token = @was and state = @state
    and (state = 'done' or locked_until <= now());

-- name: RecordIdempotent :execrows
-- Stores a key's response. No row: the attempt was considered dead, and another has the key.
update idempotency set state = 'done', status = @status::int, body = @body, cost = @cost
where team_id = @team_id and route = @route and key = @key and token = @token and state = 'running';

-- name: RenewIdempotent :execrows
update idempotency set locked_until = now() + make_interval(secs => @lease_seconds::float)
where team_id = @team_id and route = @route and key = @key and token = @token and state = 'running';

-- name: YieldIdempotent :execrows
-- Ends the lease, so that the next request can continue at once under the same identity.
update idempotency set locked_until = now()
where team_id = @team_id and route = @route and key = @key and token = @token and state = 'running';

-- name: ReleaseIdempotent :execrows
delete from idempotency
where team_id = @team_id and route = @route and key = @key and token = @token and state = 'running';

-- name: DeleteExpiredIdempotent :execrows
delete from idempotency where (team_id, route, key) in (
    select e.team_id, e.route, e.key from idempotency as e
    where e.expires_at <= now() and (e.state = 'done' or e.locked_until <= now())
    limit @rows_max::int
    for update skip locked
);

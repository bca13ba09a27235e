-- name: BeginIdempotent :one
-- Takes a key for a request: one that is new or has expired, or one whose attempt at
-- the same request died. It answers the identity under which the work is done once.
-- Nobody else gets a row.
insert into idempotency as i (team_id, route, key, request_sha256, identity, token, locked_until, created_at, expires_at)
values (
    @team_id, @route, @key, @request_sha256, @identity, @token, now() + make_interval(secs => @lease_seconds::float),
    now(), now() + make_interval(secs => @kept_seconds::float)
)
on conflict (team_id, route, key) do update set
    token = excluded.token, locked_until = excluded.locked_until,
    state = 'running', status = null, body = null,
    request_sha256 = excluded.request_sha256,
    identity = case when i.expires_at <= now() then excluded.identity else i.identity end,
    created_at = case when i.expires_at <= now() then excluded.created_at else i.created_at end,
    expires_at = case when i.expires_at <= now() then excluded.expires_at else i.expires_at end
where (i.expires_at <= now() and (i.state = 'done' or i.locked_until <= now()))
    or (i.state = 'running' and i.locked_until <= now() and i.request_sha256 = excluded.request_sha256)
returning identity;

-- name: IdempotentAnswer :one
select request_sha256, identity, state, status, body,
    greatest(0, extract(epoch from locked_until - clock_timestamp()))::float as locked_seconds
from idempotency
where team_id = @team_id and route = @route and key = @key;

-- name: RecordIdempotent :execrows
-- No row: the attempt was taken for dead, and another has the key.
update idempotency set state = 'done', status = @status::int, body = @body
where team_id = @team_id and route = @route and key = @key and token = @token and state = 'running';

-- name: RenewIdempotent :execrows
update idempotency set locked_until = now() + make_interval(secs => @lease_seconds::float)
where team_id = @team_id and route = @route and key = @key and token = @token and state = 'running';

-- name: YieldIdempotent :exec
-- Lets the next go on under the same identity, at once.
update idempotency set locked_until = now()
where team_id = @team_id and route = @route and key = @key and token = @token and state = 'running';

-- name: ReleaseIdempotent :exec
delete from idempotency
where team_id = @team_id and route = @route and key = @key and token = @token and state = 'running';

-- name: DeleteExpiredIdempotent :execrows
delete from idempotency where (team_id, route, key) in (
    select e.team_id, e.route, e.key from idempotency as e
    where e.expires_at <= now() and (e.state = 'done' or e.locked_until <= now())
    limit @rows_max::int
    for update skip locked
);

-- name: StartAnswer :one
-- Claims the work of one identity, for the first attempt or the next one after a failure or after a process died
-- (started before stale_before). No row: another attempt is running or has succeeded, or the team differs.
insert into answer (id, team_id, jti, request, request_sha256, metadata, created_at, started_at, expires_at)
values (
    @id, @team_id, @jti, @request, @request_sha256, @metadata, @started_at::timestamptz, @started_at::timestamptz, @expires_at
)
on conflict (jti) do update set
    status = 'running', attempt = answer.attempt + 1, request = excluded.request, request_sha256 = excluded.request_sha256,
    metadata = excluded.metadata, started_at = excluded.started_at, expires_at = excluded.expires_at, finished_at = null,
    error_code = null, purged_at = null
where answer.team_id = excluded.team_id
    and (
        answer.status = 'failed'
        or (answer.status = 'running' and answer.started_at < @stale_before::timestamptz)
    )
returning id, attempt, created_at;

-- name: FinishAnswer :execrows
-- Only the current attempt can finish. No row: this attempt was considered dead, and another took over.
update answer set
    status = 'succeeded', result = @result::json, credits_consumed = @credits_consumed, finished_at = @finished_at::timestamptz
where id = @id and attempt = @attempt and status = 'running';

-- name: FailAnswer :execrows
update answer set status = 'failed', error_code = @error_code::text, finished_at = @finished_at::timestamptz
where id = @id and attempt = @attempt and status = 'running';

-- name: AnswerByIdentity :one
select id, team_id, status, request_sha256 from answer where jti = $1;

-- name: AnswerByID :one
-- An answer that succeeded, with the kind of team that owns it.
select
    a.id, a.team_id, t.kind as team_kind, a.attempt, a.request::json as request, a.metadata, a.result::json as result,
    a.credits_consumed, a.created_at, a.expires_at
from answer a
join team t on t.id = a.team_id
where a.id = $1 and a.status = 'succeeded';

-- name: ListAnswersToPurge :many
-- Expired answers whose content may still exist, oldest first: also what attempts of unsuccessful ones left behind.
select id, attempt from answer
where purged_at is null and expires_at < @expired_before::timestamptz
    and (status <> 'running' or started_at < @stale_before::timestamptz)
order by expires_at
limit @rows_max::int;

-- name: MarkAnswersPurged :exec
-- Skips an answer that was tried again meanwhile: its attempt number is higher, and it is left for later.
update answer set purged_at = @purged_at::timestamptz
from (select unnest(@ids::text[]) as id, unnest(@attempts::int[]) as attempt) as p
where answer.id = p.id and answer.attempt = p.attempt;

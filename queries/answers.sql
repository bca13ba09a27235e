-- name: StartAnswer :one
-- Claims the work of one identity. A row is returned to whoever may do the work: the
-- first, or the next after a failure or after a process that died (older than
-- stale_before). Nobody else gets one.
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
-- Only the attempt that is under way may finish: one that was taken for dead does not.
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
-- Answers whose time is over and whose content may still be there; of those that never
-- succeeded, what attempts may have left behind. Oldest first.
select id, attempt from answer
where purged_at is null and expires_at < @expired_before::timestamptz
    and (status <> 'running' or started_at < @stale_before::timestamptz)
order by expires_at
limit @rows_max::int;

-- name: MarkAnswersPurged :exec
-- An answer that was tried again meanwhile has an attempt more, and is left for later.
update answer set purged_at = @purged_at::timestamptz
from (select unnest(@ids::text[]) as id, unnest(@attempts::int[]) as attempt) as p
where answer.id = p.id and answer.attempt = p.attempt;

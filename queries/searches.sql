-- name: StartSearch :one
-- Claims the work of one identity, for the first attempt or the next one after a failure or after a worker died
-- (started before stale_before). The retrieve ids stay those of the first attempt. No row: another attempt is running
-- or has succeeded, or the team or the request differs.
insert into search (id, team_id, jti, request, request_sha256, metadata, retrieve_ids, created_at, started_at, expires_at)
values (
    @id, @team_id, @jti, @request, @request_sha256, @metadata, @retrieve_ids,
    @started_at::timestamptz, @started_at::timestamptz, @expires_at
)
on conflict (jti) do update set
    status = 'running', attempt = search.attempt + 1, started_at = excluded.started_at, expires_at = excluded.expires_at,
    finished_at = null, error_code = null, purged_at = null
where search.team_id = excluded.team_id and search.request_sha256 = excluded.request_sha256
    and (
        search.status = 'failed'
        or (search.status = 'running' and search.started_at < @stale_before::timestamptz)
    )
returning id, attempt, retrieve_ids, created_at;

-- name: FinishSearch :one
-- Only the current attempt can finish: 0 means that it was considered dead. The same statement makes the content of the
-- links readable and queues it for search.
with finished as (
    update search set
        status = 'succeeded', links = @links::json, credits_consumed = @credits_consumed, finished_at = @finished_at::timestamptz
    where id = @id and attempt = @attempt and status = 'running'
    returning team_id, attempt, finished_at, expires_at
),

kept as (
    insert into content (retrieve_id, team_id, source, attempts, outcome, created_at, expires_at)
    select k.retrieve_id, f.team_id, 'search', f.attempt, k.outcome::json, f.finished_at, f.expires_at
    from finished f
    cross join (select unnest(@retrieve_ids::text[]) as retrieve_id, unnest(@outcomes::text[]) as outcome) as k
    on conflict (retrieve_id) do update set
        attempts = excluded.attempts, outcome = excluded.outcome, created_at = excluded.created_at,
        expires_at = excluded.expires_at, purged_at = null
    returning retrieve_id, outcome
),

queued as (
    insert into search_queue (retrieve_id)
    select retrieve_id from kept where outcome -> 'search' is not null
)

select count(*)::int from finished;

-- name: FailSearch :execrows
update search set status = 'failed', error_code = @error_code::text, finished_at = @finished_at::timestamptz
where id = @id and attempt = @attempt and status = 'running';

-- name: SearchByIdentity :one
select id, team_id, status, request_sha256 from search where jti = $1;

-- name: SearchByID :one
-- A team's search that succeeded, or with by_id one that a wallet has paid for, of whatever team.
select * from search s
where s.id = @id and s.status = 'succeeded'
    and (s.team_id = @team_id or @by_id::bool and exists (select from team t where t.id = s.team_id and t.kind = 'wallet'));

-- name: ListSearchesToPurge :many
-- Expired searches whose content may still exist, oldest first. This includes what attempts left behind that failed, or
-- died before stale_before.
select id, attempt, retrieve_ids from search
where purged_at is null and expires_at < @expired_before::timestamptz
    and (status <> 'running' or started_at < @stale_before::timestamptz)
order by expires_at
limit @rows_max::int;

-- name: MarkSearchPurged :exec
-- Skips a search that was tried again meanwhile: its attempt number is higher, and it is left for later.
update search set purged_at = @purged_at::timestamptz
where id = @id and attempt = @attempt and purged_at is null;

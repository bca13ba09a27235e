-- name: StartScrape :one
-- Claims the work of one identity, for the first attempt or the next one after a failure or after a worker died
-- (started before stale_before). No row: another attempt is running or has succeeded, or the team differs.
insert into scrape (id, team_id, jti, retrieve_id, url, request, request_sha256, metadata, created_at, started_at, expires_at)
values (
    @id, @team_id, @jti, @retrieve_id, @url, @request, @request_sha256, @metadata,
    @started_at::timestamptz, @started_at::timestamptz, @expires_at
)
on conflict (jti) do update set
    status = 'running', attempt = scrape.attempt + 1, url = excluded.url, request = excluded.request,
    request_sha256 = excluded.request_sha256, metadata = excluded.metadata, started_at = excluded.started_at,
    expires_at = excluded.expires_at, finished_at = null, error_code = null, purged_at = null
where scrape.team_id = excluded.team_id
    and (
        scrape.status = 'failed'
        or (scrape.status = 'running' and scrape.started_at < @stale_before::timestamptz)
    )
returning id, retrieve_id, attempt, created_at;

-- name: FinishScrape :one
-- Only the current attempt can finish: 0 means that it was considered dead. The same statement makes its content
-- readable and queues it for search.
with finished as (
    update scrape set
        status = 'succeeded', result = @result::json, credits_consumed = @credits_consumed, finished_at = @finished_at::timestamptz,
        copy_sha256 = @copy_sha256
    where id = @id and attempt = @attempt and status = 'running'
    returning retrieve_id, team_id, attempt, result, finished_at, expires_at
),

queued as (
    insert into search_queue (retrieve_id)
    select f.retrieve_id from finished f where f.result -> 'search' is not null
),

kept as (
    insert into content (retrieve_id, team_id, source, attempts, outcome, created_at, expires_at)
    select f.retrieve_id, f.team_id, 'scrape', f.attempt, f.result, f.finished_at, f.expires_at
    from finished f
    on conflict (retrieve_id) do update set
        attempts = excluded.attempts, outcome = excluded.outcome, created_at = excluded.created_at,
        expires_at = excluded.expires_at, purged_at = null
    returning 1
)

select count(*)::bigint as finished from kept;

-- name: FailScrape :execrows
update scrape set status = 'failed', error_code = @error_code::text, finished_at = @finished_at::timestamptz
where id = @id and attempt = @attempt and status = 'running';

-- name: ScrapeByIdentity :one
select id, team_id, status, request_sha256 from scrape where jti = $1;

-- name: ScrapeByID :one
-- A scrape that succeeded, with the kind of team that owns it.
select
    s.id, s.team_id, t.kind as team_kind, s.retrieve_id, s.url, s.metadata, s.result::json as result,
    s.credits_consumed, s.created_at, s.expires_at
from scrape s
join team t on t.id = s.team_id
where s.id = $1 and s.status = 'succeeded';

-- name: ScrapeCopy :one
-- The newest content of a team with the same URL and options that was requested at or after a time.
select retrieve_id, result::json as result, started_at, expires_at from scrape
where team_id = @team_id and copy_sha256 = @copy_sha256::bytea and started_at >= @started_since::timestamptz and expires_at > @now::timestamptz
order by started_at desc
limit 1;

-- name: ListUnfinishedScrapes :many
-- Scrapes whose attempts all failed or died long ago, oldest first: what they may have left behind is due for deletion.
select id, retrieve_id, attempt from scrape
where purged_at is null and status <> 'succeeded' and expires_at < @expired_before::timestamptz
    and (status = 'failed' or started_at < @stale_before::timestamptz)
order by expires_at
limit @rows_max::int;

-- name: MarkScrapesPurged :exec
-- Skips a scrape that was tried again meanwhile: its attempt number is higher, and it is left for later.
update scrape set purged_at = @purged_at::timestamptz
from (select unnest(@ids::text[]) as id, unnest(@attempts::int[]) as attempt) as p
where scrape.id = p.id and scrape.attempt = p.attempt and scrape.status <> 'succeeded';

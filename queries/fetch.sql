-- name: EnterHost :execrows
-- Takes a turn at a host. No row: concurrency requests are running, the next one is not due yet (even with the allowed
-- burst), or the host is blocked. The time is the database's, which is the same for all processes; only tests pass now.
insert into fetch_host as h (host, seen_at, next_at, leases)
select
    @host, t.at, t.at + interval '1 millisecond' * @interval_ms::bigint,
    jsonb_build_object(@lease::text, (extract(epoch from t.at) * 1000)::bigint + @lease_ms::bigint)
from (select coalesce(sqlc.narg('now')::timestamptz, clock_timestamp()) as at) as t
on conflict (host) do update set
    seen_at = greatest(h.seen_at, excluded.seen_at),
    next_at = greatest(h.next_at, excluded.seen_at) + interval '1 millisecond' * greatest(
        @interval_ms::bigint, case when h.crawl_delay_until > excluded.seen_at then h.crawl_delay_ms else 0 end
    ),
    leases = excluded.leases || coalesce((
        select jsonb_object_agg(l.key, l.value) from jsonb_each(h.leases) as l
        where l.value::bigint > extract(epoch from excluded.seen_at) * 1000
    ), '{}')
where h.next_at <= excluded.seen_at + interval '1 millisecond' * case
        when h.crawl_delay_until > excluded.seen_at and h.crawl_delay_ms > 0 then 0 else @burst_ms::bigint
    end
    and coalesce(h.blocked_until <= excluded.seen_at, true)
    and (
        select count(*) from jsonb_each(h.leases) as l where l.value::bigint > extract(epoch from excluded.seen_at) * 1000
    ) < @concurrency::int;

-- name: HostWait :one
-- How long until a turn at a host is free, in milliseconds: due_ms by the host's pace and its block, and lapse_ms until
-- the first lease ends, if all turns are taken.
select
    greatest(0, ceil(1000 * extract(epoch from greatest(
        h.next_at - interval '1 millisecond' * case
            when h.crawl_delay_until > t.at and h.crawl_delay_ms > 0 then 0 else @burst_ms::bigint
        end, h.blocked_until
    ) - t.at)))::bigint as due_ms,
    case when l.live >= @concurrency::int then l.lapse_ms else 0 end::bigint as lapse_ms
from fetch_host as h
cross join (select coalesce(sqlc.narg('now')::timestamptz, clock_timestamp()) as at) as t
cross join lateral (
    select count(*) as live, coalesce(ceil(min(e.value::bigint) - extract(epoch from t.at) * 1000), 0) as lapse_ms
    from jsonb_each(h.leases) as e where e.value::bigint > extract(epoch from t.at) * 1000
) as l
where h.host = @host;

-- name: LeaveHost :exec
-- Returns a turn. A host that refused is blocked for as long as it asks or, if it does not say, for longer each time.
-- Any other response resets that.
update fetch_host as h set
    leases = h.leases - @lease::text,
    refusals = case when @refused::bool then least(h.refusals + 1, 20) when @answered::bool then 0 else h.refusals end,
    blocked_until = case
        when @refused::bool then greatest(
            h.blocked_until,
            coalesce(sqlc.narg('now')::timestamptz, clock_timestamp()) + interval '1 millisecond' * case
                when @retry_after_ms::bigint > 0 then @retry_after_ms::bigint
                else least(@back_off_ms::bigint << h.refusals, @back_off_max_ms::bigint)
            end
        )
        else h.blocked_until
    end
where h.host = @host;

-- name: SetCrawlDelay :exec
-- Stores the crawl delay of a host's robots.txt, for as long as that file is valid.
insert into fetch_host (host, seen_at, next_at, crawl_delay_ms, crawl_delay_until)
values (@host, @now::timestamptz, @now::timestamptz, @crawl_delay_ms, @until::timestamptz)
on conflict (host) do update set
    crawl_delay_ms = excluded.crawl_delay_ms, crawl_delay_until = excluded.crawl_delay_until;

-- name: DeleteIdleHosts :execrows
delete from fetch_host
where seen_at < @idle_since::timestamptz
    and coalesce(blocked_until < @idle_since, true) and coalesce(crawl_delay_until < @idle_since, true);

-- name: RobotsOf :one
select verdict, body, expires_at, unreachable_since from fetch_robots where origin = @origin;

-- name: SaveRobots :one
-- Stores the result for a robots.txt, and since when it has been unavailable. Of two concurrent fetches the later wins.
insert into fetch_robots as r (origin, verdict, body, fetched_at, expires_at, unreachable_since)
values (
    @origin, @verdict, @body, @fetched_at::timestamptz, @expires_at::timestamptz,
    case when @verdict = 'disallow' then @fetched_at::timestamptz end
)
on conflict (origin) do update set
    verdict = excluded.verdict, body = excluded.body, fetched_at = excluded.fetched_at, expires_at = excluded.expires_at,
    unreachable_since = case when excluded.verdict = 'disallow' then coalesce(r.unreachable_since, excluded.unreachable_since) end
returning unreachable_since;

-- name: DeleteStaleRobots :execrows
-- Deletes expired entries. Unavailable files stay longer: after a month, unavailable counts as having no file.
delete from fetch_robots
where (unreachable_since is null and expires_at < @expired_before::timestamptz) or expires_at < @unreachable_before::timestamptz;

-- name: CopyOf :one
select etag, last_modified, response, body_sha256, blob_key from fetch_copy
where team_id = @team_id and url_sha256 = @url_sha256 and expires_at > @now::timestamptz;

-- name: KeepCopy :exec
insert into fetch_copy (team_id, url_sha256, etag, last_modified, response, body_sha256, blob_key, expires_at)
values (@team_id, @url_sha256, @etag, @last_modified, @response, @body_sha256, @blob_key, @expires_at)
on conflict (team_id, url_sha256) do update set
    etag = excluded.etag, last_modified = excluded.last_modified, response = excluded.response,
    body_sha256 = excluded.body_sha256, blob_key = excluded.blob_key, expires_at = excluded.expires_at;

-- name: ListExpiredCopies :many
select blob_key from fetch_copy where expires_at < @now::timestamptz order by expires_at limit @rows_max::int;

-- name: DeleteExpiredCopies :execrows
-- Deletes expired copies, except those that were stored again since they were listed.
delete from fetch_copy where blob_key = any(@blob_keys::text[]) and expires_at < @now::timestamptz;

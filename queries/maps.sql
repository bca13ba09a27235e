-- name: StartMap :one
-- Creates the row of an identity's map before its URLs are stored, or takes over an attempt from before stale_before,
-- which is dead. No row: the map exists or is being stored.
insert into map (id, team_id, jti, request_sha256, request, url, urls_count, chunks, truncated, credits, created_at, expires_at)
values (
    @id, @team_id, @jti, @request_sha256, @request, @url, @urls_count, @chunks, @truncated, @credits, @created_at, @expires_at
)
on conflict (jti) do update set
    urls_count = excluded.urls_count, chunks = excluded.chunks, truncated = excluded.truncated, credits = excluded.credits,
    created_at = excluded.created_at, expires_at = excluded.expires_at
where map.ready_at is null and map.created_at < @stale_before::timestamptz and map.purged_at is null
    and map.team_id = excluded.team_id and map.request_sha256 = excluded.request_sha256
returning id;

-- name: FinishMap :execrows
-- Makes the map readable. No row: another attempt took over.
update map set ready_at = @ready_at::timestamptz
where id = @id and created_at = @created_at::timestamptz and ready_at is null;

-- name: MapByIdentity :one
select * from map where jti = $1;

-- name: MapByID :one
-- A team's map, or with by_id one that a wallet has paid for, of whatever team.
select * from map m
where m.id = @id and m.ready_at is not null
    and (m.team_id = @team_id or @by_id::bool and exists (select from team t where t.id = m.team_id and t.kind = 'wallet'));

-- name: AddMapRead :execrows
insert into map_read (jti, map_id, first, urls, credits) values (@jti, @map_id, @first, @urls, @credits)
on conflict (jti) do nothing;

-- name: MapReadByIdentity :one
select * from map_read where jti = $1;

-- name: ListMapsToPurge :many
-- Expired maps whose URLs may still exist.
select id from map
where purged_at is null and expires_at < @expired_before::timestamptz
order by expires_at
limit @rows_max::int;

-- name: MarkMapPurged :exec
with reads as (delete from map_read where map_id = @id)
update map set purged_at = @purged_at::timestamptz where id = @id and purged_at is null;

-- name: RegisterInstance :one
insert into edge (id, lost_after, host, file, settles)
values (@id, make_interval(secs => @lost_after_seconds::float8), @host, @file, '{}')
returning heartbeat_at;

-- name: BeatInstance :one
-- Records an instance's heartbeat and what others must know of it. No row: the instance has ended.
update edge
set heartbeat_at = now(), lost_after = make_interval(secs => @lost_after_seconds::float8), host = @host, file = @file, settles = @settles::text[]
where id = @id and ended_at is null
returning heartbeat_at;

-- name: EndInstance :exec
update edge set ended_at = now() where id = @id and ended_at is null;

-- name: EndPredecessor :execrows
-- Ends the instance whose lock another now has: the kernel of this host released it, so its process is gone.
update edge set ended_at = now()
where id = @id and host = @host and file = @file and host <> '' and ended_at is null;

-- name: EndLostInstances :execrows
-- Ends instances that have been silent for longer than their own lost_after and than least_seconds. An instance without
-- lost_after gets the longest of all. The caller must have been in contact with the database without a break since
-- heard_since, at least two thirds of that time (two heartbeats or more), so that every live instance could report. An
-- instance whose row is locked is just reporting, and is skipped. Instances that ended over an hour ago are deleted.
with forgotten as (
    delete from edge f where f.ended_at < now() - interval '1 hour'
),

lost as (
    select e.id
    from edge e
    cross join (select coalesce(max(lost_after), interval '1 hour') as longest from edge) all_of
    cross join lateral (
        select greatest(coalesce(e.lost_after, all_of.longest), make_interval(secs => @least_seconds::float8)) as patience
    ) its
    where e.ended_at is null and e.heartbeat_at < now() - its.patience and @heard_since::timestamptz < now() - its.patience * 2 / 3
    for update of e skip locked
)

update edge set ended_at = now() from lost where edge.id = lost.id;

-- name: SilentInstances :one
-- How many instances EndLostInstances ends once its caller may judge them, and the longest silence allowed to them.
select count(*) as silent, coalesce(extract(epoch from max(its.patience)), 0)::float8 as patience_seconds
from edge e
cross join (select coalesce(max(lost_after), interval '1 hour') as longest from edge) all_of
cross join lateral (
    select greatest(coalesce(e.lost_after, all_of.longest), make_interval(secs => @least_seconds::float8)) as patience
) its
where e.ended_at is null and e.heartbeat_at < now() - its.patience;

-- name: DatabaseTime :one
select now()::timestamptz as now;

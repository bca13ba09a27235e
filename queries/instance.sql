-- name: RegisterInstance :one
insert into edge (id, lost_after, host, file, settles)
values (@id, make_interval(secs => @lost_after_seconds::float8), @host, @file, '{}')
returning heartbeat_at;

-- name: BeatInstance :one
-- Says that an instance lives, and what others have to know of it. Returns no row if it has ended.
update edge
set heartbeat_at = now(), lost_after = make_interval(secs => @lost_after_seconds::float8), host = @host, file = @file, settles = @settles::text[]
where id = @id and ended_at is null
returning heartbeat_at;

-- name: EndInstance :exec
update edge set ended_at = now() where id = @id and ended_at is null;

-- name: EndPredecessor :execrows
-- Ends the instance whose lock another has got: the kernel of this host has freed it, so its process is gone.
update edge set ended_at = now()
where id = @id and host = @host and file = @file and host <> '' and ended_at is null;

-- name: EndLostInstances :execrows
-- Ends the instances that have been silent for as long as they themselves say that they may be, and for no less than the
-- caller's own measure. The caller has heard the database without a break since a time: long enough before now that
-- whoever lives has been able to say so, two heartbeats at least. An instance that does not say how long it may be silent
-- may be as long as any of the others. One whose row is locked is about to be heard. Those that ended long ago are
-- forgotten.
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
-- How many EndLostInstances ends as soon as its caller may judge them, and what the longest of them may be silent for.
select count(*) as silent, coalesce(extract(epoch from max(its.patience)), 0)::float8 as patience_seconds
from edge e
cross join (select coalesce(max(lost_after), interval '1 hour') as longest from edge) all_of
cross join lateral (
    select greatest(coalesce(e.lost_after, all_of.longest), make_interval(secs => @least_seconds::float8)) as patience
) its
where e.ended_at is null and e.heartbeat_at < now() - its.patience;

-- name: DatabaseTime :one
select now()::timestamptz as now;

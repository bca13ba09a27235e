-- name: AddEvent :exec
insert into event (id, team_id, type, subject, data, webhook, expires_at)
values (
    @id, @team_id, @type, @subject, @data, sqlc.narg(webhook)::text,
    now() + make_interval(secs => @retention_seconds::float)
);

-- name: TakeEvents :many
-- Undispatched events, oldest first, except those that another process has locked. They stay locked until the
-- transaction ends.
select id, team_id, type, subject, data, webhook, created_at
from event
where dispatched_at is null and (not_before is null or not_before <= clock_timestamp())
order by created_at
limit @events_max::int
for update skip locked;

-- name: TakeEvent :many
-- TakeEvents for one event. No row: it was dispatched meanwhile, or another process has locked it.
select id, team_id, type, subject, data, webhook, created_at
from event
where id = @id and dispatched_at is null
for update skip locked;

-- name: MarkEventsDispatched :exec
update event set dispatched_at = clock_timestamp(), not_before = null
where id = any(@ids::text[]);

-- name: PutOffEvent :exec
update event set not_before = clock_timestamp() + make_interval(secs => @after_seconds::float)
where id = @id and dispatched_at is null;

-- name: OutboxDepth :one
-- How many events are not dispatched yet, and how long the oldest has waited.
select count(*) as waiting, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_seconds
from event
where dispatched_at is null;

-- name: PurgeEvents :execrows
-- Deletes expired events, once the log of their deliveries is gone.
delete from event
where id in (
    select e.id from event e
    where e.dispatched_at is not null and e.expires_at <= @now::timestamptz
        and not exists (select from webhook_delivery d where d.event_id = e.id)
        and not exists (select from notification_delivery n where n.event_id = e.id)
    order by e.expires_at
    limit @rows_max::int
);

-- name: OpenMessage :one
-- The message of an address that takes events, made where there is none. A new one is due
-- soonest, but no sooner than spacing after the one before it, and not while there were
-- messages_max in the time of period.
with recent as (
    select r.due_at, row_number() over (order by r.due_at desc) as n
    from notification_message r
    where r.team_id = @team_id and r.channel = @channel and r.target = @target
    order by r.due_at desc
    limit @messages_max::int
),

due as (
    select greatest(
        @soonest::timestamptz,
        (select r.due_at + make_interval(secs => @spacing_seconds::float) from recent r where r.n = 1),
        (select r.due_at + make_interval(secs => @period_seconds::float) from recent r where r.n = @messages_max::int)
    )::timestamptz as at
)

insert into notification_message as m (id, team_id, channel, target, lane, tries_max, created_at, due_at, next_at)
select @id::text, @team_id::text, @channel::text, @target::text, @lane::text, @tries_max::int, @now::timestamptz, due.at, due.at
from due
on conflict (team_id, channel, target) where closed_at is null do update set due_at = m.due_at
returning m.id;

-- name: AddNotifications :exec
insert into notification_delivery (id, event_id, message_id, team_id, subject, channel, target, created_at)
select
    unnest(@ids::text[]), unnest(@events::text[]), unnest(@messages::text[]), unnest(@teams::text[]),
    unnest(@subjects::text[]), unnest(@channels::text[]), unnest(@targets::text[]), @now::timestamptz
on conflict (event_id, channel, target) do nothing;

-- name: MessageToSend :one
-- What a try needs to know. One before it may still be tried.
select
    m.team_id, m.channel, m.target, m.lane, m.tries, m.tries_max, m.created_at, m.due_at, m.closed_at, exists (
        select from notification_message o
        where o.team_id = m.team_id and o.channel = m.channel and o.target = m.target and o.status = 'pending'
            and o.closed_at is not null and o.id <> m.id
    ) as behind
from notification_message m
where m.id = @id and m.status = 'pending';

-- name: CloseMessage :exec
-- No event joins it any more; those of subjects that its address wants none of leave it.
with closed as (
    update notification_message m set closed_at = coalesce(m.closed_at, @now::timestamptz)
    where m.id = @id and m.status = 'pending'
    returning m.id, m.channel
)

update notification_delivery d set unsubscribed = true
from closed, notification_refusal r
where d.message_id = closed.id and closed.channel = 'email' and r.team_id = d.team_id and r.subject = d.subject
    and r.address = lower(d.target);

-- name: EventsOfMessage :many
-- The events of a message, in the order in which they happened.
select d.event_id, d.subject, d.unsubscribed, e.type, e.data, e.created_at
from notification_delivery d
join event e on e.id = d.event_id
where d.message_id = @message_id
order by e.created_at, e.id
limit @rows_max::int;

-- name: RecordMessages :many
-- Writes down tries and what becomes of their messages. A try that is written already, or
-- is not the next, changes nothing. Returns the messages that have failed.
with told as (
    select
        unnest(@ids::text[]) as id, unnest(@tries::int[]) as tries, unnest(@statuses::text[]) as status,
        unnest(@status_codes::int[]) as status_code, unnest(@errors::text[]) as error, unnest(@nexts::timestamptz[]) as next_at
),

tried as (
    update notification_message m
    set tries = m.tries + 1, status = told.status, closed_at = coalesce(m.closed_at, @now::timestamptz),
        next_at = case when told.status = 'pending' then told.next_at end,
        ended_at = case when told.status <> 'pending' then @now::timestamptz end,
        status_code = nullif(told.status_code, 0), error = nullif(told.error, '')
    from told
    where m.id = told.id and m.status = 'pending' and m.tries = told.tries
    returning m.id, m.status
)

select tried.id from tried where tried.status = 'failed';

-- name: FailedNotifications :many
-- What was in messages, for each of their subjects, and the address that its events name.
select
    m.id, m.team_id, d.subject, m.channel, m.target, m.tries, m.status_code, m.error,
    array_agg(d.event_id order by e.created_at, e.id)::text[] as events, coalesce(max(e.webhook), '')::text as webhook
from notification_message m
join notification_delivery d on d.message_id = m.id
join event e on e.id = d.event_id
where m.id = any(@ids::text[]) and not d.unsubscribed
group by m.id, d.subject;

-- name: ListNotifications :many
-- A team's notifications, latest first, after one of them or from the first.
select
    sqlc.embed(d), sqlc.embed(m), e.type,
    (case when d.unsubscribed then 'unsubscribed' else m.status end)::text as status
from notification_delivery d
join notification_message m on m.id = d.message_id
join event e on e.id = d.event_id
where d.team_id = @team_id
    and (sqlc.narg(subject)::text is null or d.subject = sqlc.narg(subject)::text)
    and (
        sqlc.narg(status)::text is null
        or (case when d.unsubscribed then 'unsubscribed' else m.status end) = sqlc.narg(status)::text
    )
    and (d.created_at, d.id) < (@before_created_at::timestamptz, @before_id::text)
order by d.created_at desc, d.id desc
limit @rows_max::int;

-- name: RefuseMail :exec
insert into notification_refusal (team_id, subject, address, created_at)
select t.id, s.subject, lower(@address::text), @now::timestamptz
from team t
cross join (select unnest(@subjects::text[]) as subject) as s
where t.id = @team_id
on conflict (team_id, subject, address) do nothing;

-- name: AcceptMail :exec
delete from notification_refusal
where team_id = @team_id and subject = any(@subjects::text[]) and address = lower(@address::text);

-- name: CountRefusals :one
select count(*) from notification_refusal r
where r.team_id = @team_id and r.subject = any(@subjects::text[]) and r.address = lower(@address::text);

-- name: SubjectsOfMessage :many
-- What a team's message to an address tells of.
select distinct d.subject from notification_delivery d
where d.message_id = @message_id and d.team_id = @team_id and lower(d.target) = lower(@address::text)
order by d.subject;

-- name: LastToldOf :many
-- The data of the last event of a subject that a channel was told of, if one was.
select e.data from notification_delivery d
join event e on e.id = d.event_id
where d.team_id = @team_id and d.subject = @subject
order by d.created_at desc, d.id desc
limit 1;

-- name: PurgeMessages :execrows
-- Removes messages that ended long ago, and the log of what was in them.
delete from notification_message
where id in (
    select m.id from notification_message m
    where m.ended_at <= @ended_before::timestamptz
    order by m.ended_at
    limit @rows_max::int
);

-- name: OpenMessage :one
-- The open message of an address, created if there is none. A new one is due at soonest, but not before spacing_seconds
-- after the previous one, and not while messages_max were due within period_seconds.
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
-- What a try needs to know. behind: an earlier message to the same address may still be tried.
select
    m.team_id, m.channel, m.target, m.lane, m.tries, m.tries_max, m.created_at, m.due_at, m.closed_at, exists (
        select from notification_message o
        where o.team_id = m.team_id and o.channel = m.channel and o.target = m.target and o.status = 'pending'
            and o.closed_at is not null and o.id <> m.id
    ) as behind
from notification_message m
where m.id = @id and m.status = 'pending';

-- name: CloseMessage :exec
-- Closes a message, so that no event joins it any more. It waits for transactions that are adding events.
update notification_message set closed_at = coalesce(closed_at, @now::timestamptz)
where id = @id and status = 'pending';

-- name: WithholdNotifications :exec
-- Withholds all of a closed message from an email address that has not confirmed that it wants the team's mail. An
-- address that has unsubscribed is not asked either. It is a separate statement, because the one that closes the
-- message does not see the events that it waited for.
update notification_delivery d set withheld = case when c.status = 'unsubscribed' then c.status else 'unconfirmed' end
from notification_message m
left join mail_consent c on c.team_id = m.team_id and c.address = lower(m.target)
where m.id = @id and m.status = 'pending' and m.closed_at is not null and d.message_id = m.id
    and (c.status = 'unsubscribed' or m.channel = 'email' and c.status is distinct from 'confirmed');

-- name: EventsOfMessage :many
-- The events of a message, in the order in which they happened.
select d.event_id, d.subject, d.withheld, e.type, e.data, e.created_at
from notification_delivery d
join event e on e.id = d.event_id
where d.message_id = @message_id
order by e.created_at, e.id
limit @rows_max::int;

-- name: RecordMessages :many
-- Records tries and the new states of their messages, and returns the messages that have failed. A try that is recorded
-- already, or is not the next, changes nothing.
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
-- The events of messages, by subject, and the webhook address that the events name.
select
    m.id, m.team_id, d.subject, m.channel, m.target, m.tries, m.status_code, m.error,
    array_agg(d.event_id order by e.created_at, e.id)::text[] as events, coalesce(max(e.webhook), '')::text as webhook
from notification_message m
join notification_delivery d on d.message_id = m.id
join event e on e.id = d.event_id
where m.id = any(@ids::text[]) and d.withheld is null
group by m.id, d.subject;

-- name: ListNotifications :many
-- A team's notifications, newest first, after the given one or from the start.
select
    sqlc.embed(d), sqlc.embed(m), e.type,
    coalesce(d.withheld, m.status)::text as status
from notification_delivery d
join notification_message m on m.id = d.message_id
join event e on e.id = d.event_id
where d.team_id = @team_id
    and (sqlc.narg(subject)::text is null or d.subject = sqlc.narg(subject)::text)
    and (sqlc.narg(status)::text is null or coalesce(d.withheld, m.status) = sqlc.narg(status)::text)
    and (d.created_at, d.id) < (@before_created_at::timestamptz, @before_id::text)
order by d.created_at desc, d.id desc
limit @rows_max::int;

-- name: LockTeamForConsents :exec
-- Makes a team's consent requests run one at a time, so that its limit is exact.
select id from team where id = @team_id for no key update;

-- name: AskConsent :execrows
-- Records that an address is asked whether it wants a team's mail. No row: it has confirmed, was asked after since, is
-- not to be asked again, or asks_max unconfirmed addresses of the team were asked after since. The caller holds the
-- team's lock.
insert into mail_consent as c (team_id, address, status, asked_at)
select @team_id::text, @address::text, 'pending', @now::timestamptz
where (
    select count(*) from mail_consent o
    where o.team_id = @team_id::text and o.status <> 'confirmed' and o.asked_at > @since::timestamptz
) < @asks_max::bigint
on conflict (team_id, address) do update set status = 'pending', asked_at = excluded.asked_at, answered_at = null
where @again::bool and c.status <> 'confirmed' and c.asked_at <= @since::timestamptz;

-- name: ConfirmConsent :execrows
-- Only the link in the latest mail that asked confirms, for a limited time, and not after the address has unsubscribed.
-- Confirming again changes nothing.
update mail_consent set status = 'confirmed', answered_at = coalesce(answered_at, @now::timestamptz)
where team_id = @team_id and address = @address and asked_at = @asked_at
    and (status = 'confirmed' or status = 'pending' and asked_at > @since::timestamptz);

-- name: EndConsent :exec
insert into mail_consent (team_id, address, status, asked_at, answered_at)
select t.id, @address::text, 'unsubscribed', @now::timestamptz, @now::timestamptz
from team t
where t.id = @team_id
on conflict (team_id, address) do update set status = 'unsubscribed', answered_at = excluded.answered_at
where mail_consent.status <> 'unsubscribed';

-- name: Consent :one
-- The consent of an address to a team's mail, and the team's display name.
select c.status, c.asked_at, coalesce(nullif(t.name, ''), t.id)::text as team
from team t
left join mail_consent c on c.team_id = t.id and c.address = @address
where t.id = @team_id;

-- name: ListConsents :many
select address, status, asked_at from mail_consent
where team_id = @team_id and address = any(@addresses::text[]);

-- name: PurgeMessages :execrows
-- Deletes messages that ended long ago, with the log of their events.
delete from notification_message
where id in (
    select m.id from notification_message m
    where m.ended_at <= @ended_before::timestamptz
    order by m.ended_at
    limit @rows_max::int
);

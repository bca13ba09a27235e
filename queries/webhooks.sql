-- name: AddDeliveries :exec
insert into webhook_delivery (id, event_id, team_id, url, lane, tries_max, created_at, next_at)
select
    unnest(@ids::text[]), unnest(@events::text[]), unnest(@teams::text[]), unnest(@urls::text[]), unnest(@lanes::text[]),
    @tries_max::int, @now::timestamptz, @now::timestamptz;

-- name: AddRedelivery :exec
insert into webhook_delivery (id, event_id, team_id, url, lane, tries_max, redelivers, created_at, next_at)
values (
    @id, @event_id, @team_id, @url, @lane, @tries_max, @redelivers::text, @now::timestamptz, @now::timestamptz
);

-- name: DeliveryToSend :one
-- What a try needs to know. A team that has not changed its secret has the first one.
select
    d.event_id, d.url, d.tries, d.tries_max, e.type, e.data, coalesce(k.version, 1)::int as key_version,
    k.rotated_at as key_rotated_at
from webhook_delivery d
join event e on e.id = d.event_id
left join webhook_key k on k.team_id = d.team_id
where d.id = @id and d.status = 'pending';

-- name: RecordTries :exec
-- Records tries and the new states of their deliveries. A try already recorded, or not the next one, changes nothing.
with told as (
    select
        unnest(@ids::text[]) as id, unnest(@tries::int[]) as tries, unnest(@statuses::text[]) as status,
        unnest(@ats::timestamptz[]) as at, unnest(@tooks_ms::int[]) as took_ms, unnest(@status_codes::int[]) as status_code,
        unnest(@errors::text[]) as error, unnest(@nexts::timestamptz[]) as next_at
),

tried as (
    update webhook_delivery d
    set tries = d.tries + 1, status = told.status,
        next_at = case when told.status = 'pending' then told.next_at end,
        ended_at = case when told.status <> 'pending' then @now::timestamptz end
    from told
    where d.id = told.id and d.status = 'pending' and d.tries = told.tries
    returning d.id, d.tries
)

insert into webhook_try (delivery_id, n, at, took_ms, status_code, error)
select tried.id, tried.tries, told.at, told.took_ms, nullif(told.status_code, 0), nullif(told.error, '')
from tried
join told on told.id = tried.id;

-- name: Delivery :one
select sqlc.embed(d), e.type, e.subject
from webhook_delivery d
join event e on e.id = d.event_id
where d.id = @id and d.team_id = @team_id;

-- name: ListDeliveries :many
-- A team's deliveries, newest first, after the given one or from the start.
select sqlc.embed(d), e.type, e.subject
from webhook_delivery d
join event e on e.id = d.event_id
where d.team_id = @team_id
    and (sqlc.narg(status)::text is null or d.status = sqlc.narg(status)::text)
    and (d.created_at, d.id) < (@before_created_at::timestamptz, @before_id::text)
order by d.created_at desc, d.id desc
limit @rows_max::int;

-- name: ListTries :many
select * from webhook_try
where delivery_id = any(@deliveries::text[])
order by delivery_id, n;

-- name: HastenDelivery :exec
update webhook_delivery set next_at = @now::timestamptz
where id = @id and status = 'pending';

-- name: PurgeDeliveries :execrows
-- Deletes deliveries that ended long ago, with the log of their tries.
delete from webhook_delivery
where id in (
    select d.id from webhook_delivery d
    where d.ended_at <= @ended_before::timestamptz
    order by d.ended_at
    limit @rows_max::int
);

-- name: WebhookKey :one
select version, rotated_at from webhook_key where team_id = @team_id;

-- name: RotateWebhookKey :one
insert into webhook_key as k (team_id, version, rotated_at) values (@team_id, 2, @now::timestamptz)
on conflict (team_id) do update set version = k.version + 1, rotated_at = excluded.rotated_at
returning version;

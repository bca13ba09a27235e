-- +goose Up

-- What happened, written in the transaction in which it did, for those who tell of it.
-- webhook is the address that was asked to be told, if one was.
create table event (
    id            text primary key check (id like 'event\_%'),
    team_id       text not null references team (id),
    type          text not null check (type ~ '^[a-z]+\.[a-z_]+$'), -- batch.completed
    subject       text not null check (subject <> ''), -- the id of what it happened to
    data          json not null, -- as it is sent, to the byte
    webhook       text check (webhook <> ''),
    created_at    timestamptz not null default now(),
    not_before    timestamptz, -- set where a listener refused it: when it is shown again
    dispatched_at timestamptz,
    expires_at    timestamptz not null
);

create index event_new on event (created_at) where dispatched_at is null;
create index event_expiry on event (expires_at) where dispatched_at is not null;

-- An event on its way to an address. A redelivery is a row of its own, of the same event.
create table webhook_delivery (
    id         text primary key check (id like 'delivery\_%'),
    event_id   text not null references event (id),
    team_id    text not null references team (id),
    url        text not null,
    lane       text not null, -- whom it waits behind: the deliveries of the team to the address
    status     text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
    tries      int not null default 0 check (tries >= 0),
    tries_max  int not null check (tries_max > 0),
    redelivers text, -- the delivery that was asked to be made again
    created_at timestamptz not null,
    next_at    timestamptz, -- when the next try is due; null once it has ended
    ended_at   timestamptz,
    check ((status = 'pending') = (ended_at is null)),
    check ((status = 'pending') = (next_at is not null)),
    check (tries <= tries_max)
) with (fillfactor = 80);

create index webhook_delivery_of_team on webhook_delivery (team_id, created_at desc, id desc);
create index webhook_delivery_of_event on webhook_delivery (event_id);
create index webhook_delivery_ended on webhook_delivery (ended_at) where ended_at is not null;

-- The log: one row for each try.
create table webhook_try (
    delivery_id text not null references webhook_delivery (id) on delete cascade,
    n           int not null check (n > 0),
    at          timestamptz not null,
    took_ms     int not null check (took_ms >= 0),
    status_code int, -- null: there was no answer
    error       text, -- why there was none
    primary key (delivery_id, n),
    check ((status_code is null) = (error is not null))
);

-- Which of its secrets a team signs with: they are derived from the number. A team
-- without a row has not changed its secret and has the first.
create table webhook_key (
    team_id    text primary key references team (id),
    version    int not null check (version > 1),
    rotated_at timestamptz not null
);

-- +goose Down
drop table webhook_key;
drop table webhook_try;
drop table webhook_delivery;
drop table event;

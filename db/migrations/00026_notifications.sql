-- +goose Up

-- What is sent to an address at once: one event, or those that came while it waited.
create table notification_message (
    id          text primary key check (id like 'message\_%'),
    team_id     text not null references team (id),
    channel     text not null check (channel in ('email', 'slack')),
    target      text not null check (target <> ''),
    lane        text not null, -- whom it waits behind: what else the team sends to the address
    status      text not null default 'pending' check (status in ('pending', 'delivered', 'logged', 'failed')),
    tries       int not null default 0 check (tries >= 0),
    tries_max   int not null check (tries_max > 0),
    created_at  timestamptz not null,
    due_at      timestamptz not null, -- until when it takes further events, at least
    closed_at   timestamptz, -- since when it takes none
    next_at     timestamptz, -- when the next try is due; null once it has ended
    ended_at    timestamptz,
    status_code int, -- what the last try was answered
    error       text, -- why it failed
    check ((status = 'pending') = (ended_at is null)),
    check ((status = 'pending') = (next_at is not null)),
    check (status = 'pending' or closed_at is not null),
    check (tries <= tries_max)
) with (fillfactor = 80);

-- An address has one message that takes events.
create unique index notification_message_open on notification_message (team_id, channel, target) where closed_at is null;
create index notification_message_rate on notification_message (team_id, channel, target, due_at desc);
create index notification_message_ended on notification_message (ended_at) where ended_at is not null;

-- An event on its way to a channel.
create table notification_delivery (
    id           text primary key check (id like 'notification\_%'),
    event_id     text not null references event (id),
    message_id   text not null references notification_message (id) on delete cascade,
    team_id      text not null references team (id),
    subject      text not null, -- the id of what it happened to
    channel      text not null,
    target       text not null,
    unsubscribed boolean not null default false, -- it is in no message: the address wants none of the subject
    created_at   timestamptz not null,
    unique (event_id, channel, target)
);

create index notification_delivery_of_team on notification_delivery (team_id, created_at desc, id desc);
create index notification_delivery_of_subject on notification_delivery (team_id, subject, created_at desc, id desc);
create index notification_delivery_of_message on notification_delivery (message_id);

-- Addresses, in lower case, that want no mail of a subject.
create table notification_refusal (
    team_id    text not null references team (id),
    subject    text not null,
    address    text not null check (address = lower(address)),
    created_at timestamptz not null,
    primary key (team_id, subject, address)
);

-- +goose Down
drop table notification_refusal;
drop table notification_delivery;
drop table notification_message;

-- +goose Up

-- What a team has watched. jti is the id of the request that made it: unique, so that a
-- request that is repeated makes nothing. The plan is null until there is one. state_key is
-- where it lies in the blob store what the next run is held against, and state_run is the
-- run that left it. Whoever changes what is known of a monitor does so under the lock of
-- its row, which comes before those of lanes, holds and accounts.
create table monitor (
    id             text primary key check (id like 'monitor\_%'),
    team_id        text not null references team (id),
    jti            text not null unique,
    request_sha256 bytea not null check (length(request_sha256) = 32),
    agent_id       text not null unique check (agent_id like 'agent\_%'),
    query          text not null check (query <> ''),
    source_policy  jsonb not null default '{}',
    output_schema  json,
    frequency      text not null check (frequency <> ''),
    cron           text not null check (cron <> ''),
    schedule_text  text not null, -- the cron in words
    schedule_id    text, -- that of its calls; null until it is planned
    offset_seconds int not null default 0 check (offset_seconds >= 0), -- how much later than the cron says they come
    notification   jsonb not null default '{}', -- events and channels
    webhook        text check (webhook <> ''),
    metadata       jsonb not null default '{}',
    status         text not null default 'provisioning'
        check (status in ('provisioning', 'active', 'paused', 'failed', 'deleted')),
    error_message  text,
    plan           json, -- as package plan writes it
    planned        boolean not null default false, -- it can be run
    state_key      text,
    state_run      text,
    running        text unique, -- the run that is under way: there is one at a time
    provisionings  int not null default 1 check (provisionings > 0), -- how often a plan was asked for
    failures       int not null default 0 check (failures >= 0), -- runs that failed since one did not
    runs           bigint not null default 0 check (runs >= 0), -- how many there ever were
    events         bigint not null default 0 check (events >= 0), -- likewise, also those that are deleted by now
    credits_run    bigint check (credits_run >= 0), -- what a run costs as a rule
    created_at     timestamptz not null,
    updated_at     timestamptz not null,
    deleted_at     timestamptz,
    check ((status = 'failed') = (error_message is not null)),
    check ((status = 'deleted') = (deleted_at is not null)),
    check (status <> 'active' or planned),
    check (not planned or plan is not null),
    check (status <> 'provisioning' or running is null),
    check ((state_key is null) = (state_run is null))
) with (fillfactor = 60);

create index monitor_team on monitor (team_id, created_at desc, id desc);
create index monitor_deleted on monitor (deleted_at) where deleted_at is not null;

-- What provisioning tells of itself, for those who follow it. It is deleted a while after.
create table monitor_progress (
    n          bigint generated always as identity primary key,
    monitor_id text not null references monitor (id) on delete cascade,
    kind       text not null check (kind in ('phase', 'reasoning_token', 'error')),
    data       json not null,
    created_at timestamptz not null
);

create index monitor_progress_of on monitor_progress (monitor_id, n);
create index monitor_progress_age on monitor_progress (created_at);

-- One execution of a plan. n counts a monitor's runs from 1. snapshot_key is where what it
-- read lies in the blob store.
create table monitor_run (
    id           text primary key check (id like 'run\_%'),
    monitor_id   text not null references monitor (id) on delete cascade,
    team_id      text not null,
    n            bigint not null check (n > 0),
    status       text not null default 'in_progress' check (status in ('in_progress', 'completed', 'failed', 'skipped')),
    changed      boolean not null default false,
    baseline     boolean not null default false, -- there was nothing to hold it against
    error        text,
    summary      text not null default '',
    steps        json not null default '[]',
    diff         json,
    credits      bigint not null default 0 check (credits >= 0),
    snapshot_key text,
    started_at   timestamptz not null, -- when it was asked for
    ended_at     timestamptz,
    unique (monitor_id, n),
    check ((status = 'in_progress') = (ended_at is null)),
    check (status in ('failed', 'skipped') or error is null),
    check (not changed or status = 'completed')
) with (fillfactor = 80);

create index monitor_run_age on monitor_run (started_at);
create unique index monitor_run_under_way on monitor_run (monitor_id) where status = 'in_progress';

-- What teams are told of a run. seq counts a monitor's events from 1, and is the place in
-- the list: later ones come before.
create table monitor_event (
    id           text primary key check (id like 'event\_%'),
    monitor_id   text not null references monitor (id) on delete cascade,
    team_id      text not null,
    run_id       text not null unique references monitor_run (id) on delete cascade,
    seq          bigint not null check (seq > 0),
    status       text not null check (status in ('completed', 'failed', 'skipped')),
    changed      boolean not null,
    summary      text not null,
    snapshot_key text,
    created_at   timestamptz not null,
    unique (monitor_id, seq)
);

-- +goose Down
drop table monitor_event;
drop table monitor_run;
drop table monitor_progress;
drop table monitor;

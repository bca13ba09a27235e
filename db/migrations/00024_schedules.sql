-- +goose Up

-- One call that is to be made when it is time. next_run_at is when, null where it is not due any more: paused, removed, or a
-- single time that is over. offset_seconds puts off the times of the expression, where nobody named one. open_run is the run
-- that has not ended, if there is one: while it has not, the next one is passed over. managed are those that a feature
-- keeps, as monitors do. jti is the identity that asked for it: the work of one is done once.
-- payload is json, not jsonb: it is sent as it was written.
create table schedule (
    id                  text primary key check (id like 'schedule\_%'),
    team_id             text not null references team (id),
    type                text not null check (type in ('recurring', 'onetime')),
    state               text not null default 'ENABLED' check (state in ('ENABLED', 'DISABLED', 'DELETED')),
    method              text not null check (method in ('GET', 'POST')),
    endpoint            text not null check (endpoint like 'v1/%'),
    payload             json,
    cron_expression     text,
    execute_at          timestamptz,
    expression_timezone text not null,
    text                text not null default '',
    schedule_name       text not null default '',
    schedule_group      text not null default '',
    managed             boolean not null default false,
    jti                 text,
    offset_seconds      int not null default 0 check (offset_seconds >= 0),
    next_run_at         timestamptz,
    open_run            uuid,
    created_at          timestamptz not null,
    updated_at          timestamptz not null,
    check ((type = 'recurring') = (cron_expression is not null)),
    check ((type = 'onetime') = (execute_at is not null)),
    check (next_run_at is null or state = 'ENABLED')
) with (fillfactor = 80);

create index schedule_due on schedule (next_run_at) where next_run_at is not null;
create index schedule_team on schedule (team_id, created_at);
create unique index schedule_identity on schedule (jti) where jti is not null;
create index schedule_deleted on schedule (updated_at) where state = 'DELETED';

-- One time that a schedule was due. id is the identity under which the call is made, and its hold's: whoever makes the call
-- a second time, after a first who is gone, makes the same. held is what was set aside, null before; http_status, cost and
-- made say what came of it; cost is null where what was made goes on and is charged for what it finishes.
-- There is no reference to schedule: rows come from the statement that has just updated it, and a million at a time.
create table schedule_run (
    schedule_id text not null,
    due_at      timestamptz not null,
    id          uuid not null,
    team_id     text not null,
    state       text not null default 'waiting' check (state in ('waiting', 'running', 'succeeded', 'failed', 'unpaid')),
    attempt     int not null default 0 check (attempt >= 0),
    ready_at    timestamptz not null,
    lease_until timestamptz,
    held        bigint check (held >= 0),
    started_at  timestamptz,
    ended_at    timestamptz,
    http_status int,
    cost        bigint check (cost >= 0),
    made        text,
    error       text,
    primary key (schedule_id, due_at),
    check ((state = 'running') = (lease_until is not null)),
    check ((state in ('waiting', 'running')) = (ended_at is null))
) with (fillfactor = 80);

create index schedule_run_waiting on schedule_run (team_id, ready_at) where state = 'waiting';
create index schedule_run_running on schedule_run (lease_until) where state = 'running';

-- +goose Down
drop table schedule_run, schedule;

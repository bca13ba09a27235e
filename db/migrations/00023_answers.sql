-- +goose Up

-- One answer to a task. Its JSON and its citations are in blob storage, for a time; here
-- is what is needed to answer for it. jti is the id of the hold or claim that paid:
-- unique, so that the work of one payment is done once, by however many replicas.
-- request and result are json, not jsonb: they are only read back whole, and jsonb cannot
-- hold every string that a page may carry.
create table answer (
    id               text primary key check (id like 'answer\_%'),
    team_id          text not null references team (id),
    jti              text not null unique,
    status           text not null default 'running' check (status in ('running', 'succeeded', 'failed')),
    attempt          int not null default 1,
    request          json not null,
    request_sha256   bytea not null check (length(request_sha256) = 32),
    metadata         jsonb not null default '{}',
    result           json,
    credits_consumed bigint not null default 0 check (credits_consumed >= 0),
    error_code       text,
    created_at       timestamptz not null,
    started_at       timestamptz not null,
    finished_at      timestamptz,
    expires_at       timestamptz not null,
    purged_at        timestamptz,
    check ((status = 'succeeded') = (result is not null)),
    check ((status = 'running') = (finished_at is null))
) with (fillfactor = 70);

create index answer_team on answer (team_id, created_at);
create index answer_expiry on answer (expires_at) where purged_at is null;

-- +goose Down
drop table answer;

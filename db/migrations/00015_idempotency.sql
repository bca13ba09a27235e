-- +goose Up

-- What became of a request with an Idempotency-Key: who it is of, what it asked, and
-- its answer once it has one. identity is the id under which the work is done once,
-- which is the first attempt's whoever goes on with it. token is who may write the
-- answer: an attempt whose lease has ended is fenced off by its successor's.
-- An answer without a body was too large to be kept, and is made again.
create table idempotency (
    team_id        text not null references team (id),
    route          text not null check (length(route) <= 1024),
    key            text not null check (length(key) between 1 and 255),
    request_sha256 bytea not null check (length(request_sha256) = 32),
    identity       text not null,
    token          uuid not null,
    state          text not null default 'running' check (state in ('running', 'done')),
    status         int check (status between 200 and 499),
    body           bytea check (length(body) <= 65536),
    locked_until   timestamptz not null,
    created_at     timestamptz not null,
    expires_at     timestamptz not null,
    primary key (team_id, route, key),
    check ((state = 'done') = (status is not null)),
    check (body is null or state = 'done')
);

create index idempotency_expiry on idempotency (expires_at);

-- +goose Down
drop table idempotency;

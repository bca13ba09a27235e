-- +goose Up

-- A team's parser: a name, and which of its versions are the current ones. The row
-- is what concurrent creations of one name wait for each other at. A parser that is
-- deleted keeps its count, so that a version's name is never given twice:
-- first_version is the first one since.
create table parser (
    team_id           text not null references team (id),
    name              text collate "C" not null check (name ~ '^[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?$'),
    version           int not null default 1 check (version > 0),
    first_version     int not null default 1 check (first_version > 0),
    definition_sha256 bytea not null check (length(definition_sha256) = 32),
    created_at        timestamptz not null,
    updated_at        timestamptz not null,
    deleted_at        timestamptz,
    primary key (team_id, name),
    check (first_version <= version)
);

-- One version, which never changes. definition is json, not jsonb: it is only read
-- back whole, as it was written.
create table parser_version (
    id          text primary key check (id like 'parser\_%'),
    team_id     text not null,
    name        text collate "C" not null,
    version     int not null check (version > 0),
    description text not null,
    definition  json not null,
    created_at  timestamptz not null,
    unique (team_id, name, version),
    foreign key (team_id, name) references parser (team_id, name)
);

-- One paid trial of a parser, for as long as its identity may come again. jti is the
-- id of the hold or claim that paid: the work of one payment is done once.
create table parser_trial (
    jti            text primary key,
    team_id        text not null references team (id),
    request_sha256 bytea not null check (length(request_sha256) = 32),
    attempt        int not null default 1,
    status         text not null default 'running' check (status in ('running', 'succeeded', 'failed')),
    answer         json,
    started_at     timestamptz not null,
    expires_at     timestamptz not null,
    check ((status = 'succeeded') = (answer is not null))
);

create index parser_trial_expiry on parser_trial (expires_at);

-- +goose Down
drop table parser_trial;
drop table parser_version;
drop table parser;

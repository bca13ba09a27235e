-- +goose Up

-- A file that a team uploads in two steps. The content lies in the blob store, each
-- upload under a key of its own, and upload_key is the last whole one. expires_at is
-- when the file's time is over, in whatever state it is then: content that may be
-- there is deleted from then on.
create table file (
    id           text primary key check (id like 'file\_%'),
    team_id      text not null references team (id),
    filename     text not null check (filename <> ''),
    purpose      text not null check (purpose in ('context', 'batch')),
    status       text not null default 'pending' check (status in ('pending', 'completed', 'expired')),
    upload_key   text,
    bytes        bigint not null default 0 check (bytes >= 0),
    items        bigint check (items >= 0),
    created_at   timestamptz not null,
    upload_until timestamptz not null,
    completed_at timestamptz,
    expires_at   timestamptz not null,
    deleted_at   timestamptz,
    purged_at    timestamptz,
    check (status <> 'completed' or (upload_key is not null and completed_at is not null)),
    check (items is null or completed_at is not null)
);

create index file_of_team on file (team_id, created_at desc, id desc) where deleted_at is null and purged_at is null;
create index file_expiry on file (expires_at) where purged_at is null;
create index file_purged on file (purged_at) where purged_at is not null;

-- +goose Down
drop table file;

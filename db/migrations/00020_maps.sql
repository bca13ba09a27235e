-- +goose Up

-- The URLs of a site, as they were found. The row is written when they are: what did not
-- come so far was not made and cost nothing. The URLs themselves are in blob storage, in
-- pieces, of which chunks says how many URLs each has; they are all there from ready_at on,
-- and before that there is no map, only something to be deleted in the end. jti is the id
-- of the hold or claim that paid.
create table map (
    id             text primary key check (id like 'map\_%'),
    team_id        text not null references team (id),
    jti            text not null unique,
    request_sha256 bytea not null check (length(request_sha256) = 32),
    request        json not null, -- as it was asked for, without a cursor
    url            text not null,
    urls_count     int not null check (urls_count >= 0),
    chunks         json not null,
    truncated      boolean not null, -- there was no time, or no room, for more
    credits        bigint not null default 0 check (credits >= 0), -- what the first answer cost
    created_at     timestamptz not null,
    ready_at       timestamptz,
    expires_at     timestamptz not null,
    purged_at      timestamptz,
    check (expires_at >= created_at)
);

create index map_team on map (team_id, created_at desc, id desc);
create index map_expiry on map (expires_at) where purged_at is null;

-- The answers that came after the first, by who paid for them: a repetition is answered the
-- same, and not paid for.
create table map_read (
    jti     text primary key,
    map_id  text not null references map (id) on delete cascade,
    first   int not null check (first >= 0),
    urls    int not null check (urls >= 0),
    credits bigint not null check (credits >= 0)
);

create index map_read_map on map_read (map_id);

-- +goose Down
drop table map_read;
drop table map;

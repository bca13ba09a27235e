-- +goose Up

-- A host and port that is fetched from, by whatever process: whether another
-- request may start is decided on this one row, which each who asks must lock.
-- leases are the requests under way, each with the moment at which it counts no
-- more, in Unix milliseconds: what a killed process left behind lapses. They are
-- in the row, not in rows of their own, since a statement that waited for a lock
-- sees the row anew, and nothing else. Unlogged: what is here is worth less than a
-- flush to disk, twice for each fetch, and after a crash of the server hosts start
-- with a clean sheet.
create unlogged table fetch_host (
    host              text primary key check (length(host) between 1 and 300),
    seen_at           timestamptz not null,
    -- when the next request would be due, were they spread evenly
    next_at           timestamptz not null,
    leases            jsonb not null default '{}',
    -- what the host's robots.txt asks for
    crawl_delay_ms    bigint not null default 0 check (crawl_delay_ms >= 0),
    crawl_delay_until timestamptz,
    -- 429 and 503 in a row, and until when nobody asks again
    refusals          int not null default 0 check (refusals >= 0),
    blocked_until     timestamptz
) with (fillfactor = 50);

-- A host's robots.txt as last fetched. body is kept only where it holds rules; the
-- rest is a verdict: everything is allowed (there is none), or nothing (it cannot
-- be had).
create table fetch_robots (
    origin            text primary key check (length(origin) between 1 and 310),
    verdict           text not null check (verdict in ('rules', 'allow', 'disallow')),
    body              bytea not null default '' check (length(body) <= 512000),
    fetched_at        timestamptz not null,
    expires_at        timestamptz not null,
    unreachable_since timestamptz,
    check ((verdict = 'disallow') = (unreachable_since is not null)),
    check (expires_at <= fetched_at + interval '24 hours')
);

-- What a team has fetched and may ask about again: has it changed? The body is in
-- blob storage, its hash here, so that a body that another request replaced in
-- between is not taken for this one. response is json, as in scrape.
create table fetch_copy (
    team_id       text not null references team (id),
    url_sha256    bytea not null check (length(url_sha256) = 32),
    etag          text not null,
    last_modified text not null,
    response      json not null,
    body_sha256   bytea not null check (length(body_sha256) = 32),
    blob_key      text not null,
    expires_at    timestamptz not null,
    primary key (team_id, url_sha256),
    check (etag <> '' or last_modified <> '')
);

create index fetch_copy_expiry on fetch_copy (expires_at);

-- +goose Down
drop table fetch_copy;
drop table fetch_robots;
drop table fetch_host;

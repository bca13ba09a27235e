-- +goose Up

-- One search. jti is the id of the hold or claim that paid: unique, so that the work of one
-- payment is done once. What was found is in links, without the pages' content, which is in
-- blob storage under retrieve_ids: one for each link that may be scraped, given away before
-- the first attempt, so that whatever any attempt leaves behind can be found and deleted.
-- request and links are json, not jsonb: they are only read back whole, and jsonb cannot
-- hold every string that a page may carry.
create table search (
    id               text primary key check (id like 'search\_%'),
    team_id          text not null references team (id),
    jti              text not null unique,
    status           text not null default 'running' check (status in ('running', 'succeeded', 'failed')),
    attempt          int not null default 1 check (attempt > 0),
    request          json not null,
    request_sha256   bytea not null check (length(request_sha256) = 32),
    metadata         jsonb not null default '{}',
    retrieve_ids     text[] not null check (cardinality(retrieve_ids) <= 25),
    links            json,
    credits_consumed bigint not null default 0 check (credits_consumed >= 0),
    error_code       text,
    created_at       timestamptz not null,
    started_at       timestamptz not null,
    finished_at      timestamptz,
    expires_at       timestamptz not null,
    purged_at        timestamptz,
    check ((status = 'succeeded') = (links is not null)),
    check ((status = 'running') = (finished_at is null))
) with (fillfactor = 70);

create index search_team on search (team_id, created_at);
create index search_expiry on search (expires_at) where purged_at is null;

-- +goose Down
drop table search;

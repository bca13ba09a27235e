-- +goose Up

-- What is kept of a page, of whatever feature: the scrapes, the batches. The content
-- is in blob storage under retrieve_id, in a folder for each attempt, of which the
-- last one counts; outcome says what there is, and of what page. It is json, not
-- jsonb: it is only read back whole, and jsonb cannot hold every string that a page
-- may carry.
create table content (
    retrieve_id text primary key check (retrieve_id <> ''),
    team_id     text not null references team (id),
    source      text not null check (source <> ''),
    attempts    int not null check (attempts > 0),
    outcome     json not null,
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    purged_at   timestamptz
);

create index content_expiry on content (expires_at) where purged_at is null;
create index content_purged on content (purged_at) where purged_at is not null;

insert into content (retrieve_id, team_id, source, attempts, outcome, created_at, expires_at, purged_at)
select s.retrieve_id, s.team_id, 'scrape', s.attempt, s.result, s.created_at, s.expires_at, s.purged_at
from scrape s
where s.status = 'succeeded';

-- The content of scrapes that succeeded is now content's affair. What is left to a
-- scrape is what attempts that did not finish may have left behind.
drop index scrape_expiry;
create index scrape_unfinished on scrape (expires_at) where purged_at is null and status <> 'succeeded';

-- +goose Down
drop index scrape_unfinished;
create index scrape_expiry on scrape (expires_at) where purged_at is null;
drop table content;

-- +goose Up

-- Pages of a site that are found from one, while they are fetched. jti is the id of the
-- hold or claim that paid: unique, so that what one payment pays for is made once.
-- A URL is fetched only if there is a place for it: pages that are done and URLs that are
-- open are never more than max_pages, which the row itself refuses. seq is the last place
-- in the list of pages that was given away; found is the last number of a URL that was.
-- No index is on what changes while pages come in, so that updates stay on the page.
create table crawl (
    id             text primary key check (id like 'crawl\_%'),
    team_id        text not null references team (id),
    jti            text not null unique,
    request_sha256 bytea not null check (length(request_sha256) = 32),
    paid           text not null check (paid in ('credits', 'usdc')),
    unit_credits   bigint not null check (unit_credits >= 0), -- what a page costs
    claim_id       uuid, -- of a wallet: what is owed back where nothing could be fetched
    paid_usdc      bigint not null default 0 check (paid_usdc >= 0),
    start_url      text not null,
    request        json not null, -- as it was asked for: globs, scope, options
    max_pages      int not null check (max_pages between 1 and 100000),
    max_depth      int check (max_depth >= 0),
    metadata       jsonb not null default '{}',
    webhook        text,
    record         boolean not null default false, -- keep what was sent and received
    home           text, -- the host to which the start page redirected, where that is another
    noise          text[] not null default '{}', -- proofs that parts of URLs say nothing of the page
    status         text not null default 'in_progress' check (status in ('in_progress', 'completed')),
    outcome        text check (outcome in ('succeeded', 'failed', 'canceled')),
    found          int not null default 0 check (found >= 0),
    waiting        int not null default 0 check (waiting >= 0),
    open           int not null default 0 check (open >= 0),
    pages          int not null default 0 check (pages >= 0),
    failed         int not null default 0 check (failed >= 0),
    duplicates     int not null default 0 check (duplicates >= 0),
    skipped        int not null default 0 check (skipped >= 0),
    seq            int not null default 0 check (seq >= 0),
    depth          int not null default 0 check (depth >= 0), -- the level that is being fetched
    depth_max      int not null default 0 check (depth_max >= 0), -- the deepest page that is done
    credits        bigint not null default 0 check (credits >= 0), -- captured
    created_at     timestamptz not null,
    deadline_at    timestamptz not null,
    completed_at   timestamptz,
    purged_at      timestamptz,
    check ((status = 'completed') = (outcome is not null)),
    check ((status = 'completed') = (completed_at is not null)),
    check (status = 'in_progress' or (open = 0 and waiting = 0)),
    check (pages + open <= max_pages),
    check ((paid = 'usdc') = (claim_id is not null)),
    check (paid = 'credits' or unit_credits = 0)
) with (fillfactor = 50);

create index crawl_team on crawl (team_id, created_at desc, id desc);
create index crawl_expiry on crawl (completed_at) where purged_at is null and status = 'completed';

-- What a crawl knows of a URL, once for each key: how URLs are the same says package
-- frontier. A URL waits, is open while it has a task, and ends; what ends with a place
-- in the list is a page or a failure. attempts counts tries, each of which may have left
-- content behind.
create table crawl_url (
    crawl_id    text not null references crawl (id),
    n           int not null check (n >= 1),
    team_id     text not null,
    key         bytea not null check (length(key) = 16),
    url         text not null,
    host        int not null, -- its number in crawl_host
    depth       int not null check (depth >= 0),
    chain       smallint not null default 0 check (chain >= 0), -- how many links in a row stayed in one shape
    shape       bigint not null,
    external    boolean not null,
    relevance   real,
    state       text not null check (state in ('waiting', 'open', 'done', 'failed', 'duplicate', 'skipped')),
    seq         int,
    retrieve_id text,
    attempts    int not null default 0 check (attempts >= 0),
    status_code int,
    title       text,
    content_key bytea check (length(content_key) = 16),
    simhash     bigint,
    kin         bigint, -- the same for URLs that most sites answer with one page
    of_n        int, -- of what it is a duplicate, or will be
    patient     boolean not null default false, -- open although its host is left alone: it waits for that to end
    reason      text,
    finished_at timestamptz,
    primary key (crawl_id, n),
    unique (crawl_id, key),
    check ((seq is not null) = (state in ('done', 'failed'))),
    check (state <> 'failed' or reason is not null),
    check (state in ('waiting', 'duplicate', 'skipped') or retrieve_id is not null)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

create index crawl_url_waiting on crawl_url (crawl_id, host, depth, relevance desc nulls last, n) where state = 'waiting';
create index crawl_url_open on crawl_url (crawl_id, n) where state = 'open';
create unique index crawl_url_done on crawl_url (crawl_id, seq) where seq is not null;
create unique index crawl_url_content on crawl_url (crawl_id, content_key) where content_key is not null and state = 'done';
create index crawl_url_score on crawl_url (crawl_id, (-relevance), seq) where state = 'done' and relevance is not null;
create index crawl_url_failed on crawl_url (crawl_id, seq) where state = 'failed';
create index crawl_url_external on crawl_url (crawl_id, seq) where state = 'done' and external;
create index crawl_url_kin on crawl_url (crawl_id, kin, n) where kin is not null and state = 'done';

-- The hosts of a crawl. open_max is how many URLs of one may be open, so that those that
-- wait for their turn at a host take no other host's places. due_at is when the next may
-- be opened, by how far apart they are: hosts have their turns by it. A host that wants to
-- be left alone for long has nothing opened until then, but where there is nothing else to
-- do.
create table crawl_host (
    crawl_id      text not null references crawl (id),
    n             int not null check (n >= 1),
    host          text not null,
    waiting       int not null default 0 check (waiting >= 0),
    open          int not null default 0 check (open >= 0),
    open_max      int not null check (open_max >= 1),
    pages         int not null default 0 check (pages >= 0),
    interval_ms   int not null default 0 check (interval_ms >= 0), -- 0: there is no limit
    due_at        timestamptz not null default '-infinity',
    blocked_until timestamptz,
    primary key (crawl_id, n),
    unique (crawl_id, host),
    check (open <= open_max)
) with (fillfactor = 50);

create index crawl_host_next on crawl_host (crawl_id, due_at, n)
where waiting > 0 and open < open_max and blocked_until is null;
create index crawl_host_blocked on crawl_host (crawl_id, blocked_until) where waiting > 0 and blocked_until is not null;

-- URLs that differ in numbers, dates and ids alone, or in their parameters, by which
-- endless sites are known. mark is of the last page that was new, which is of_n.
create table crawl_shape (
    crawl_id     text not null references crawl (id),
    shape        bigint not null,
    seen         int not null default 0 check (seen >= 0),
    fresh        int not null default 0 check (fresh between 0 and seen),
    mark         bigint not null default 0,
    of_n         int,
    primary key (crawl_id, shape)
) with (fillfactor = 50);

-- +goose Down
drop table crawl_shape;
drop table crawl_host;
drop table crawl_url;
drop table crawl;

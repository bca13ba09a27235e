-- +goose Up

-- Kept content whose page is to be found by words, in the order in which it was kept. It
-- is written with the content, in the same statement, and is all that this costs whoever
-- keeps it; what is read and indexed of the page is done later. There may be several rows
-- of one retrieve_id: the content is then read several times, and counts once.
create table search_queue (
    n           bigint generated always as identity primary key,
    retrieve_id text not null
);

-- A page as it is found. scope says by whom: a team, or '' for all of an installation
-- whose operator shares. keys are the hashes of what it can be found by (terms, terms at
-- the levels of their impact, hosts), each with the scope hashed in: so that a search never
-- reads the postings of another scope, and scope is held in the statement again. The first
-- keys are the terms, by impact, and impacts has a byte for each of these. weight is what
-- it counts in search_key.
create table search_page (
    id          bigint generated always as identity primary key,
    scope       text not null,
    url_sha256  bytea not null check (length(url_sha256) = 32),
    retrieve_id text not null,
    keys        bigint[] not null,
    impacts     bytea not null check (length(impacts) <= cardinality(keys)),
    weight      int not null check (weight >= 0),
    host        bigint not null, -- a hash
    digest      bigint not null, -- of the text: pages that say the same are one result
    dated_at    timestamptz not null, -- when it was published, or else fetched
    expires_at  timestamptz not null,
    unique (scope, url_sha256)
) with (toast_tuple_target = 8160); -- keys are read with the row

-- The pending list is short, since each search reads all of it.
create index search_page_keys on search_page using gin (keys) with (fastupdate = on, gin_pending_list_limit = 256);
create index search_page_expiry on search_page (expires_at);

-- What is shown of a page: apart, since of many candidates few are shown.
create table search_text (
    page_id      bigint primary key references search_page (id) on delete cascade,
    url          text not null,
    title        text not null,
    text         text not null,
    published_at timestamptz
);

-- On how many pages a key is: of terms that tells what they are worth, and at which level
-- to look for them. In large scopes it is counted on a sample.
create table search_key (
    key   bigint primary key,
    pages bigint not null
) with (fillfactor = 80);

-- The terms that a misspelt word may have meant, with the hashes of their trigrams.
create table search_word (
    key   bigint primary key,
    word  text not null,
    grams bigint[] not null
);

create index search_word_grams on search_word using gin (grams) with (fastupdate = on, gin_pending_list_limit = 256);

-- +goose Down
drop table search_word;
drop table search_key;
drop table search_text;
drop table search_page;
drop table search_queue;

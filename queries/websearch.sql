-- Package local: the pages that are found by words.

-- name: LockSearchIndex :exec
-- Allows one writer at a time, because all writers count in the same rows.
select pg_advisory_xact_lock(hashtext('turnpike search index'));

-- name: TryLockSearchIndex :one
select pg_try_advisory_xact_lock(hashtext('turnpike search index'))::boolean as got;

-- name: TakeSearchQueue :many
-- Takes the next entries to index, with their content. outcome is '' if the content no longer exists.
with taken as (
    delete from search_queue
    where n in (select q.n from search_queue q order by q.n limit @rows_max::int)
    returning n, retrieve_id
)

select
    t.n, t.retrieve_id, coalesce(c.team_id, '')::text as team_id, coalesce(c.outcome::text, '')::text as outcome,
    coalesce(c.created_at, 'epoch')::timestamptz as created_at, coalesce(c.expires_at, 'epoch')::timestamptz as expires_at
from taken t
left join content c on c.retrieve_id = t.retrieve_id and c.purged_at is null
order by t.n;

-- name: EnglishStems :many
-- The stems of words by the English dictionary; '' for words without meaning (stop words).
select w.word::text as word, coalesce((ts_lexize('english_stem', w.word))[1], '')::text as stem
from unnest(@words::text[]) as w (word);

-- name: ReserveSearchPages :many
select nextval(pg_get_serial_sequence('search_page', 'id'))::bigint as id from generate_series(1, @pages::int);

-- name: RemoveSearchPages :execrows
-- Removes pages by their URLs, and subtracts them from the counts of their keys.
with gone as (
    delete from search_page p
    using (select unnest(@scopes::text[]) as scope, unnest(@urls_sha256::bytea[]) as url_sha256) as r
    where p.scope = r.scope and p.url_sha256 = r.url_sha256
    returning p.keys, p.weight
),

lost as (
    select k.key, sum(g.weight) as weight
    from gone g, unnest(g.keys) as k (key)
    where g.weight > 0
    group by k.key
    order by k.key
)

update search_key s set pages = greatest(s.pages - l.weight, 0)
from lost l
where s.key = l.key;

-- name: PurgeSearchPages :one
-- Removes pages with expired content, and subtracts them from the counts of their keys.
with due as (
    select id from search_page where expires_at <= @now::timestamptz order by expires_at limit @rows_max::int
),

gone as (
    delete from search_page where id in (select id from due) returning keys, weight
),

lost as (
    select k.key, sum(g.weight) as weight
    from gone g, unnest(g.keys) as k (key)
    where g.weight > 0
    group by k.key
),

counted as (
    update search_key s set pages = greatest(s.pages - l.weight, 0)
    from lost l
    where s.key = l.key
    returning 1
)

select (select count(*) from gone)::bigint as pages, (select count(*) from counted)::bigint as keys;

-- name: ForgetSearchKeys :execrows
-- Deletes keys that no page has any more, with their words.
with gone as (
    delete from search_key where key in (select k.key from search_key k where k.pages = 0 limit @rows_max::int) returning key
),

words as (
    delete from search_word w using gone where w.key = gone.key returning w.key
)

select gone.key from gone left join words on words.key = gone.key;

-- name: UnshareSearchPages :execrows
-- Removes the pages that all teams can find, after the operator has ended sharing.
with gone as (
    delete from search_page where id in (select p.id from search_page p where p.scope = '' limit @rows_max::int) returning keys, weight
),

lost as (
    select k.key, sum(g.weight) as weight
    from gone g, unnest(g.keys) as k (key)
    where g.weight > 0
    group by k.key
),

counted as (
    update search_key s set pages = greatest(s.pages - l.weight, 0)
    from lost l
    where s.key = l.key
    returning 1
)

select 1 from gone where (select count(*) from counted) >= 0;

-- name: InsertSearchPages :copyfrom
insert into search_page (id, scope, url_sha256, retrieve_id, keys, impacts, weight, host, digest, dated_at, expires_at)
overriding system value values (@id, @scope, @url_sha256, @retrieve_id, @keys, @impacts, @weight, @host, @digest, @dated_at, @expires_at);

-- name: InsertSearchTexts :copyfrom
insert into search_text (page_id, url, title, text, published_at) values (@page_id, @url, @title, @text, @published_at);

-- name: CountSearchKeys :many
-- Adds pages to the counts of keys, and says which keys are new.
insert into search_key as s (key, pages)
select k.key, k.pages from (select unnest(@keys::bigint[]) as key, unnest(@pages::bigint[]) as pages) as k
order by k.key
on conflict (key) do update set pages = s.pages + excluded.pages
returning key, (xmax = 0)::boolean as is_new;

-- name: InsertSearchWords :exec
insert into search_word (key, word, grams)
select w.key, w.word, w.grams::bigint[]
from (select unnest(@keys::bigint[]) as key, unnest(@words::text[]) as word, unnest(@grams::text[]) as grams) as w
on conflict (key) do nothing;

-- name: SearchKeyPages :many
select key, pages from search_key where key = any(@keys::bigint[]);

-- name: SetSearchPlan :one
-- Planner settings for one search's transaction. Only the keys' index is useful, and JIT takes longer than the
-- statement. Only bitmap scans read that index: for a clause of which few pages are wanted, and of which it knows
-- nothing, the planner would read all pages through another index, which never ends for a rare term.
select
    set_config('jit', 'off', true)::text as jit, set_config('enable_seqscan', 'off', true)::text as seqscan,
    set_config('enable_indexscan', 'off', true)::text as indexscan, set_config('enable_indexonlyscan', 'off', true)::text as indexonlyscan,
    set_config('work_mem', '32MB', true)::text as work_mem, set_config('max_parallel_workers_per_gather', '0', true)::text as workers;

-- name: FindSearchPages :many
-- The first pages_max pages of each clause, which must have all of its keys. impacts are those of terms.
select p.id, p.host, p.digest, p.dated_at, p.impacts::int [] as impacts
from unnest(@clauses::text[]) as c (keys)
cross join lateral (
    select
        s.id, s.host, s.digest, s.dated_at,
        array(
            select coalesce(get_byte(s.impacts, array_position(s.keys, t.key) - 1), 0) from unnest(@terms::bigint[]) as t (key)
        ) as impacts
    from search_page s
    where s.keys @> c.keys::bigint[] and s.scope = @scope and s.expires_at > @now::timestamptz
        and not s.keys && @excluded::bigint[]
    limit @pages_max::int
) as p;

-- name: FindSearchPagesAt :many
-- The same for pages that also have one of the hosts' keys.
select p.id, p.host, p.digest, p.dated_at, p.impacts::int [] as impacts
from unnest(@clauses::text[]) as c (keys)
cross join lateral (
    select
        s.id, s.host, s.digest, s.dated_at,
        array(
            select coalesce(get_byte(s.impacts, array_position(s.keys, t.key) - 1), 0) from unnest(@terms::bigint[]) as t (key)
        ) as impacts
    from search_page s
    where s.keys @> c.keys::bigint[] and s.keys && @hosts::bigint[] and s.scope = @scope and s.expires_at > @now::timestamptz
        and not s.keys && @excluded::bigint[]
    limit @pages_max::int
) as p;

-- name: SearchTexts :many
select t.page_id, t.url, t.title, t.text, t.published_at from search_text t
join search_page p on p.id = t.page_id
where t.page_id = any(@ids::bigint[]) and p.scope = any(@scopes::text[]);

-- name: SimilarWords :many
-- Words that share a trigram with an unknown word.
select key, word from search_word where grams && @grams::bigint[] limit @words_max::int;

-- name: SearchSizes :one
-- The size of the index on disk.
select
    pg_table_size('search_page')::bigint as pages, pg_relation_size('search_page_keys')::bigint as keys_index,
    pg_indexes_size('search_page')::bigint as page_indexes, pg_total_relation_size('search_text')::bigint as texts,
    (pg_total_relation_size('search_key') + pg_total_relation_size('search_word'))::bigint as dictionary;

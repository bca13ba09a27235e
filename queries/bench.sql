-- name: CommittedTransactions :one
-- What processes that have ended have committed, and most of what the others have.
select pg_stat_get_db_xact_commit(oid)::bigint from pg_catalog.pg_database where datname = current_database();

-- name: FrontierBytes :one
-- What the tables of crawls take on disk, and their indexes.
select
    pg_table_size('crawl_url')::bigint as urls, pg_indexes_size('crawl_url')::bigint as url_indexes, pg_total_relation_size('task')::bigint as tasks,
    pg_total_relation_size('crawl')::bigint as crawls;

-- name: OpenURLs :many
-- URLs of a crawl that have a task.
select n from crawl_url where crawl_id = @crawl_id and state = 'open' order by n limit @rows_max::int;

-- name: DropSearchKeysIndex :exec
-- For a search index that is filled at once: it is faster made anew than kept.
do $do$ begin drop index search_page_keys; end $do$;

-- name: CreateSearchKeysIndex :exec
create index search_page_keys on search_page using gin (keys) with (fastupdate = on, gin_pending_list_limit = 256);

-- name: AnalyseSearch :exec
analyze search_page, search_text, search_key, search_word;

-- name: SearchPageCount :one
select count(*)::bigint from search_page;

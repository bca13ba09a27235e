-- name: CommittedTransactions :one
-- How many transactions were committed: all those of ended server processes, and most of those of running ones.
select pg_stat_get_db_xact_commit(oid)::bigint from pg_catalog.pg_database where datname = current_database();

-- name: FrontierBytes :one
-- The size on disk of the crawl tables and their indexes.
select
    pg_table_size('crawl_url')::bigint as urls, pg_indexes_size('crawl_url')::bigint as url_indexes, pg_total_relation_size('task')::bigint as tasks,
    pg_total_relation_size('crawl')::bigint as crawls;

-- name: OpenURLs :many
-- URLs of a crawl that have a task.
select n from crawl_url where crawl_id = @crawl_id and state = 'open' order by n limit @rows_max::int;

-- name: DropSearchKeysIndex :exec
-- Drops the index before a bulk load, because creating it again is faster than updating it.
do $do$ begin drop index search_page_keys; end $do$;

-- name: CreateSearchKeysIndex :exec
create index search_page_keys on search_page using gin (keys) with (fastupdate = on, gin_pending_list_limit = 256);

-- name: AnalyseSearch :exec
analyze search_page, search_text, search_key, search_word;

-- name: SearchPageCount :one
select count(*)::bigint from search_page;

-- name: FillTeamsOfSchedules :exec
with given as (select unnest(@ns::int[]) as n)

insert into team (id, name)
select 'team_bench_' || given.n::text, 'bench' from given;

-- name: FillSchedules :exec
with given as (
    select unnest(@ids::text[]) as id, unnest(@teams::text[]) as team_id, unnest(@crons::text[]) as cron, unnest(@zones::text[]) as zone,
        unnest(@dues::timestamptz[]) as due_at
)

insert into schedule (
    id, team_id, type, method, endpoint, payload, cron_expression, expression_timezone, managed, next_run_at, created_at, updated_at
)
select
    given.id, given.team_id, 'recurring', 'POST', 'v1/scrapes', '{"url_to_scrape":"https://example.com/"}', given.cron, given.zone, true,
    given.due_at, given.due_at, given.due_at
from given;

-- name: AnalyseSchedules :exec
analyze schedule;

-- name: DueSchedules :many
select id, next_run_at::timestamptz as due_at from schedule where next_run_at <= @now::timestamptz;

-- name: EnqueuedRuns :many
-- All runs, and whether each is the open run of its schedule.
select r.schedule_id, r.due_at, (s.open_run is not distinct from r.id)::boolean as is_open
from schedule_run r
left join schedule s on s.id = r.schedule_id;

-- name: ClaimerActivity :one
-- What a claimer is doing, by the name of its session: how many such sessions there are, whether a statement is
-- running, and whether a transaction is open that has locked or written something.
select
    count(*)::int as claimers, coalesce(bool_or(state = 'active'), false)::boolean as is_active,
    coalesce(bool_or(state = 'idle in transaction' and backend_xid is not null), false)::boolean as is_open
from pg_catalog.pg_stat_activity
where application_name = @name::text;

-- name: CountUsageToFold :one
-- How many entries FoldUsage will add up: one for each account, key and operation of a batch.
select coalesce(sum(cardinality(m.account_ids)), 0)::bigint from meter_usage m;

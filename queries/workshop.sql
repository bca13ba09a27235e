-- For the tests of jobs (dev/workshop).

-- name: Unsettled :many
-- What must not exist when all jobs are over, whatever their kind or outcome.
select 'tasks left'::text as what, count(*)::bigint as n from task
union all
select 'lanes with something left', count(*) from lane where waiting <> 0 or running <> 0
union all
select 'holds left open', count(*) from hold where state <> 'closed'
union all
select 'credits still held', count(*) from ledger_open_hold where amount <> 0;

-- name: AddTestTeams :exec
insert into team (id) select unnest(sqlc.arg(ids)::text[]);

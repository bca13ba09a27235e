-- name: InsertBatch :execrows
-- Creates a batch, once per identity. No row: it exists already.
insert into batch (
    id, team_id, jti, round_jti, request_sha256, paid, unit_credits, claim_id, paid_usdc, options, metadata, webhook, file_id,
    total, open, created_at, deadline_at
)
values (
    @id, @team_id, @jti, @jti, @request_sha256, @paid, @unit_credits, sqlc.narg(claim_id), @paid_usdc, @options, @metadata,
    sqlc.narg(webhook), sqlc.narg(file_id), @total, @total, @created_at, @deadline_at
)
on conflict (jti) do nothing;

-- name: InsertBatchItems :exec
-- Adds a batch's items. An empty text for metadata means none.
insert into batch_item (batch_id, n, team_id, custom_id, url, metadata, retrieve_id)
select
    @batch_id, unnest(@ns::int[]), @team_id, unnest(@custom_ids::text[]), unnest(@urls::text[]),
    nullif(unnest(@metadata::text[]), '')::jsonb, unnest(@retrieve_ids::text[]);

-- name: BatchByIdentity :one
select * from batch where jti = $1;

-- name: BatchByID :one
-- A batch with the kind of team that owns it.
select sqlc.embed(b), t.kind as team_kind
from batch b
join team t on t.id = b.team_id
where b.id = $1;

-- name: LockBatch :one
-- Locks a batch. A transaction that ends a batch or its items takes this lock first, before the locks of lanes, tasks,
-- holds and accounts.
select * from batch where id = $1 for no key update;

-- name: ListBatches :many
-- A team's batches, newest first, after the given one or from the start.
select * from batch
where team_id = @team_id
    and (sqlc.narg(status)::text is null or status = sqlc.narg(status)::text)
    and (created_at, id) < (@before_created_at::timestamptz, @before_id::text)
order by created_at desc, id desc
limit @rows_max::int;

-- name: ListFinishedBatchItems :many
-- Items that have ended, in the order in which they ended, after a position in that list.
select n, custom_id, url, metadata, retrieve_id, state, seq::int as seq, error_code, error_detail
from batch_item
where batch_id = @batch_id and seq > @after_seq::int
    and (sqlc.narg(state)::text is null or state = sqlc.narg(state)::text)
order by seq
limit @rows_max::int;

-- name: BatchItemToRun :one
-- What to fetch for an item. No row: the item or the batch has ended.
select i.url, i.retrieve_id, i.attempts, b.team_id, b.options, b.deadline_at, b.paid
from batch_item i
join batch b on b.id = i.batch_id
where i.batch_id = @batch_id and i.n = @n and i.state = 'open' and b.status = 'in_progress';

-- name: FinishBatchItems :one
-- Ends open items, gives them the next positions in the list and counts them, under the batch's lock. No row: one of
-- them was not open, and the transaction must roll back.
with given as (
    select
        unnest(@ns::int[]) as n, unnest(@states::text[]) as state, unnest(@codes::text[]) as code,
        unnest(@details::text[]) as detail, unnest(@tries::int[]) as tries, generate_subscripts(@ns::int[], 1) as place
),

done as (
    update batch_item i
    set state = given.state, seq = b.seq + given.place, attempts = i.attempts + given.tries, error_code = nullif(given.code, ''),
        error_detail = nullif(given.detail, ''), finished_at = @finished_at::timestamptz
    from given, batch b
    where b.id = @batch_id and i.batch_id = @batch_id and i.n = given.n and i.state = 'open'
        and i.n = any(@ns::int[]) -- said for the planner: a few of ten thousand, whatever it knows of the table
    returning i.state
),

counted as (
    select count(*) filter (where done.state = 'completed')::int as completed, count(*)::int as n from done
)

update batch b
set seq = b.seq + c.n, open = b.open - c.n, completed = b.completed + c.completed, failed = b.failed + c.n - c.completed,
    credits = b.credits + c.completed * b.unit_credits
from counted c
where b.id = @batch_id and b.status = 'in_progress' and c.n = cardinality(@ns::int[])
returning b.open;

-- name: FailOpenBatchItems :exec
-- Ends all open items as failed, under the batch's lock. How often each was tried is unknown: tries is an upper bound.
with late as (
    select i.n, row_number() over (order by i.n)::int as place
    from batch_item i
    where i.batch_id = @batch_id and i.state = 'open'
),

done as (
    update batch_item i
    set state = 'failed', seq = b.seq + late.place, attempts = i.attempts + @tries::int, error_code = @code::text, error_detail = @detail::text, finished_at = @finished_at::timestamptz
    from late, batch b
    where b.id = @batch_id and i.batch_id = b.id and i.n = late.n
    returning i.n
)

update batch b
set seq = b.seq + c.n, open = b.open - c.n, failed = b.failed + c.n
from (select count(*)::int as n from done) c
where b.id = @batch_id and b.status = 'in_progress';

-- name: CancelOpenBatchItems :exec
-- Ends all open items as canceled, under the batch's lock. They get no position in the list.
with gone as (
    update batch_item i set state = 'canceled', attempts = i.attempts + @tries::int, finished_at = @finished_at::timestamptz
    where i.batch_id = @batch_id and i.state = 'open'
    returning i.n
)

update batch b set open = b.open - c.n
from (select count(*)::int as n from gone) c
where b.id = @batch_id and b.status = 'in_progress';

-- name: EndBatch :one
-- Ends a round that has no open items. If no outcome is given, it follows from the counts.
update batch
set status = 'completed', completed_at = @completed_at::timestamptz,
    outcome = coalesce(sqlc.narg(outcome)::text, case when completed > 0 then 'succeeded' else 'failed' end)
where id = @id and status = 'in_progress' and open = 0
returning *;

-- name: ReopenBatchItems :many
-- Reopens failed items. They leave the list and come back at its end.
update batch_item
set state = 'open', seq = null, error_code = null, error_detail = null, finished_at = null
where batch_id = @batch_id and state = 'failed'
returning n;

-- name: ReopenBatch :one
-- Starts another round with the items that were reopened.
update batch
set round = round + 1, round_jti = @jti, retried = retried + @n::int, failed = failed - @n::int, open = @n::int,
    status = 'in_progress', outcome = null, completed_at = null, deadline_at = @deadline_at, purged_at = null
where id = @id and status = 'completed' and outcome <> 'canceled' and failed = @n::int and @n::int > 0
returning *;

-- name: SetBatchMetadata :exec
update batch set metadata = @metadata where id = @id;

-- name: ListBatchesToPurge :many
-- Batches that ended long ago and may still have content of tries that did not count.
select id from batch
where purged_at is null and status = 'completed' and completed_at < @completed_before::timestamptz
order by completed_at
limit @rows_max::int;

-- name: ListUnfinishedContents :many
-- Failed and canceled items of a batch that were tried, after the given item.
select n, retrieve_id, attempts from batch_item
where batch_id = @batch_id and n > @after_n::int and state in ('failed', 'canceled') and attempts > 0
order by n
limit @rows_max::int;

-- name: MarkBatchPurged :exec
update batch set purged_at = @purged_at::timestamptz where id = @id and status = 'completed' and purged_at is null;

-- name: ListLateBatches :many
-- Those in progress whose deadline has passed, longest ago first.
select id
from batch
where status = 'in_progress' and deadline_at <= @now
order by deadline_at
limit @rows_max;

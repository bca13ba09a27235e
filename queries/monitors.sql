-- name: LockTeamForMonitors :exec
-- Makes a team's creations run one at a time, so that its limit is exact.
select id from team where id = @team_id for no key update;

-- name: InsertMonitor :execrows
-- Creates a monitor. No row: this request created it before, or the team has limit_rows monitors.
insert into monitor (
    id, team_id, jti, request_sha256, agent_id, query, source_policy, output_schema, frequency, cron, schedule_text, notification,
    webhook,
    metadata, created_at, updated_at
)
select
    @id::text, @team_id::text, @jti::text, @request_sha256::bytea, @agent_id::text, @query::text, @source_policy::jsonb,
    sqlc.narg(output_schema)::json, @frequency::text, @cron::text, @schedule_text::text, @notification::jsonb, sqlc.narg(webhook)::text,
    @metadata::jsonb, @now::timestamptz, @now::timestamptz
where (select count(*) from monitor m where m.team_id = @team_id::text and m.status <> 'deleted') < @limit_rows::bigint
on conflict (jti) do nothing;

-- name: MonitorByIdentity :one
select * from monitor where jti = $1;

-- name: MonitorByID :one
select * from monitor where id = @id and team_id = @team_id;

-- name: LockMonitor :one
-- Locks a monitor. A transaction that changes anything of a monitor takes this lock first, before the locks of lanes,
-- tasks, holds and accounts.
select * from monitor where id = $1 for no key update;

-- name: ListMonitors :many
-- A team's monitors, newest first, after the given one or from the start: at most rows_max, and fewer once they reach
-- bytes_max together. asked is their number without that.
with page as (
    select l.id, count(*) over () as asked,
        sum(l.bytes) over (order by l.created_at desc, l.id desc rows between unbounded preceding and 1 preceding) as bytes_before
    from (
        select
            b.id, b.created_at, octet_length(b.source_policy::text) + octet_length(b.notification::text) + octet_length(b.metadata::text)
            + coalesce(octet_length(b.output_schema::text), 0) + coalesce(octet_length(b.plan::text), 0) as bytes
        from monitor b
        where b.team_id = @team_id
            and (sqlc.narg(status)::text is null or b.status = sqlc.narg(status)::text)
            and (b.status <> 'deleted' or @include_deleted::bool)
            and (b.created_at, b.id) < (@before_created_at::timestamptz, @before_id::text)
        order by b.created_at desc, b.id desc
        limit @rows_max::int
    ) l
)

select sqlc.embed(m), page.asked
from page
join monitor m on m.id = page.id
where coalesce(page.bytes_before, 0) < @bytes_max::bigint
order by m.created_at desc, m.id desc;

-- name: UpdateMonitor :one
-- Applies all given changes or none. No row: the monitor is being provisioned, is deleted, or would have too many
-- metadata keys.
update monitor set
    frequency = coalesce(sqlc.narg(frequency)::text, frequency),
    cron = coalesce(sqlc.narg(cron)::text, cron),
    schedule_text = coalesce(sqlc.narg(schedule_text)::text, schedule_text),
    notification = notification || @notification::jsonb,
    webhook = case when @set_webhook::bool then sqlc.narg(webhook)::text else webhook end,
    metadata = (metadata || @metadata::jsonb) - @metadata_gone::text[],
    updated_at = @now::timestamptz
where id = @id and team_id = @team_id and status in ('active', 'paused', 'failed')
    and (select count(*) from jsonb_object_keys((metadata || @metadata::jsonb) - @metadata_gone::text[])) <= @metadata_keys_max::int
returning *;

-- name: PauseMonitor :one
-- Pauses a monitor. One that is already paused stays as it is.
update monitor set
    status = 'paused', error_message = null,
    updated_at = case when status = 'paused' then updated_at else @now::timestamptz end
where id = @id and team_id = @team_id and status in ('active', 'failed', 'paused')
returning *;

-- name: ResumeMonitor :one
-- Resumes a paused monitor. One without a plan is provisioned again.
update monitor set
    status = case when planned then 'active' else 'provisioning' end,
    provisionings = provisionings + case when planned then 0 else 1 end,
    failures = 0, updated_at = @now::timestamptz
where id = @id and team_id = @team_id and status = 'paused'
returning *;

-- name: DeleteMonitor :one
-- Deletes a monitor, and returns it with the run that must be aborted, if there is one.
update monitor set status = 'deleted', error_message = null, updated_at = @now::timestamptz, deleted_at = @now::timestamptz
where id = @id and team_id = @team_id and status <> 'deleted'
returning *;

-- name: MonitorToProvision :one
select * from monitor where id = @id and status = 'provisioning' and provisionings = @provisioning;

-- name: AskModelPlan :execrows
-- Records that a model is asked for a plan that nothing has paid for. No row: the team has had plans_max such plans
-- after since. The caller holds the team's lock.
insert into monitor_unpaid_plan (monitor_id, team_id, asked_at)
select @monitor_id::text, @team_id::text, @now::timestamptz
where (
    select count(*) from monitor_unpaid_plan p where p.team_id = @team_id::text and p.asked_at > @since::timestamptz
) < @plans_max::bigint;

-- name: PayModelPlans :exec
delete from monitor_unpaid_plan where monitor_id = $1;

-- name: DeleteOldModelPlans :execrows
delete from monitor_unpaid_plan where asked_at <= @before::timestamptz;

-- name: FinishProvisioning :one
-- Stores a plan and activates its monitor. No row: the monitor was deleted meanwhile.
update monitor set status = 'active', planned = true, plan = @plan::json, credits_run = @credits_run::bigint, updated_at = @now::timestamptz
where id = @id and status = 'provisioning' and provisionings = @provisioning
returning *;

-- name: SetMonitorSchedule :one
update monitor set schedule_id = @schedule_id::text, offset_seconds = @offset_seconds where id = @id returning *;

-- name: FailProvisioning :one
update monitor set
    status = 'failed', plan = coalesce(sqlc.narg(plan)::json, plan), error_message = @error_message::text, updated_at = @now::timestamptz
where id = @id and status = 'provisioning' and provisionings = @provisioning
returning *;

-- name: AddMonitorProgress :exec
insert into monitor_progress (monitor_id, kind, data, created_at)
select @monitor_id::text, p.kind, p.data::json, @now::timestamptz
from (select unnest(@kinds::text[]) as kind, unnest(@data::text[]) as data) as p;

-- name: ListMonitorProgress :many
select n, kind, data from monitor_progress
where monitor_id = @monitor_id and n > @after_n::bigint
order by n
limit @rows_max::int;

-- name: BeginMonitorRun :one
-- Starts a run. No row: the monitor is not active, or has a run in progress.
with m as (
    update monitor b set running = @run_id::text, runs = b.runs + 1
    where b.id = @monitor_id and b.team_id = @team_id and b.status = 'active' and b.running is null
    returning b.id, b.team_id, b.runs
)
insert into monitor_run (id, monitor_id, team_id, n, started_at)
select @run_id::text, m.id, m.team_id, m.runs, @now::timestamptz from m
returning *;

-- name: MonitorRunToExecute :one
-- A run in progress, with its monitor.
select sqlc.embed(r), sqlc.embed(m)
from monitor_run r
join monitor m on m.id = r.monitor_id
where r.id = @run_id and r.status = 'in_progress' and m.running = r.id;

-- name: EndMonitorRun :one
update monitor_run set
    status = @status, changed = @changed, baseline = @baseline, error = sqlc.narg(error)::text, summary = @summary,
    steps = @steps::json, diff = sqlc.narg(diff)::json, credits = @credits, snapshot_key = sqlc.narg(snapshot_key)::text,
    ended_at = @now::timestamptz
where id = @run_id and status = 'in_progress'
returning *;

-- name: CutMonitorRun :exec
-- Ends the run of a deleted monitor. Nobody is notified of it.
update monitor_run set status = 'failed', error = @error::text, ended_at = @now::timestamptz
where id = @run_id and status = 'in_progress';

-- name: CountMonitorRun :one
-- Records on the monitor that its run has ended. A completed run sets what the next one is compared with, failures_max
-- failures in a row fail the monitor, and a skipped run does neither.
update monitor set
    running = null, events = events + 1,
    failures = case @status::text when 'completed' then 0 when 'failed' then failures + 1 else failures end,
    status = case when @status::text = 'failed' and status = 'active' and failures + 1 >= @failures_max::int then 'failed' else status end,
    error_message = case when @status::text = 'failed' and status = 'active' and failures + 1 >= @failures_max::int
        then @error_message::text else error_message end,
    updated_at = case when @status::text = 'failed' and status = 'active' and failures + 1 >= @failures_max::int
        then @now::timestamptz else updated_at end,
    state_key = coalesce(sqlc.narg(state_key)::text, state_key),
    state_run = case when sqlc.narg(state_key)::text is not null then @run_id::text else state_run end
where id = @monitor_id and running = @run_id::text
returning *;

-- name: InsertMonitorEvent :one
insert into monitor_event (id, monitor_id, team_id, run_id, seq, status, changed, summary, snapshot_key, created_at)
values (@id, @monitor_id, @team_id, @run_id, @seq, @status, @changed, @summary, sqlc.narg(snapshot_key), @now)
returning *;

-- name: ListMonitorEvents :many
-- A monitor's events, newest first, before the given one.
select * from monitor_event
where monitor_id = @monitor_id and seq < @before_seq::bigint
order by seq desc
limit @rows_max::int;

-- name: MonitorEventDiff :one
select e.id, e.run_id, e.changed, e.summary, r.diff
from monitor_event e
join monitor_run r on r.id = e.run_id
where e.id = @id and e.monitor_id = @monitor_id;

-- name: ListMonitorRuns :many
-- A monitor's runs without their steps and diffs, newest first, before the given one.
select id, n, status, changed, baseline, error, summary, credits, snapshot_key, started_at, ended_at from monitor_run
where monitor_id = @monitor_id and n < @before_n::bigint
order by n desc
limit @rows_max::int;

-- name: MonitorRun :one
select * from monitor_run where id = @id and monitor_id = @monitor_id;

-- name: LastMonitorRun :one
-- The latest run that has ended.
select id, status, changed, started_at, ended_at from monitor_run
where monitor_id = @monitor_id and status <> 'in_progress'
order by n desc
limit 1;

-- name: ListOldMonitorRuns :many
-- Expired runs, oldest first, except a monitor's last run and the one that the next is compared with.
select r.id, r.monitor_id
from monitor_run r
join monitor m on m.id = r.monitor_id
where r.started_at < @before::timestamptz and r.status <> 'in_progress' and r.n < m.runs and r.id is distinct from m.state_run
order by r.started_at
limit @rows_max::int;

-- name: ListSurplusMonitorRuns :many
-- Likewise the runs beyond the latest runs_max of each monitor.
select r.id, r.monitor_id
from monitor m
cross join lateral (
    select o.id, o.monitor_id from monitor_run o
    where o.monitor_id = m.id and o.n <= m.runs - @runs_max::bigint and o.status <> 'in_progress' and o.id is distinct from m.state_run
    order by o.n
    limit @rows_max::int
) as r
where m.runs > @runs_max::bigint
limit @rows_max::int;

-- name: DeleteMonitorRuns :execrows
-- Deletes runs with their events.
delete from monitor_run where id = any(@ids::text[]);

-- name: ListGoneMonitors :many
select id from monitor where deleted_at < @before::timestamptz order by deleted_at limit @rows_max::int;

-- name: DropMonitors :execrows
-- Deletes monitors with all their data.
delete from monitor where id = any(@ids::text[]) and status = 'deleted';

-- name: DeleteMonitorProgress :execrows
delete from monitor_progress where created_at < @before::timestamptz;

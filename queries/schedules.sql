-- name: LockTeamForSchedules :exec
-- Makes a team's creations run one at a time, so that its limit is exact.
select id from team where id = @team_id for no key update;

-- name: InsertSchedule :one
-- Creates a schedule. No row: its identity has created one already, or the team would have more than limit_rows of its
-- own, or more than limit_bytes of payloads, all of which a list returns.
insert into schedule (
    id, team_id, type, method, endpoint, payload, cron_expression, execute_at, expression_timezone, text, schedule_name, schedule_group,
    managed, jti, offset_seconds, next_run_at, created_at, updated_at
)
select
    @id::text, @team_id::text, @type::text, @method::text, @endpoint::text, sqlc.narg('payload')::json, sqlc.narg('cron_expression')::text,
    sqlc.narg('execute_at')::timestamptz, @expression_timezone::text, @text::text, @schedule_name::text, @schedule_group::text,
    @managed::boolean, sqlc.narg('jti')::text, @offset_seconds::int, @next_run_at::timestamptz, @now::timestamptz, @now::timestamptz
where @managed::boolean or exists (
    select from (
        select count(*) as n, coalesce(sum(octet_length(s.payload::text)), 0) as payload_bytes
        from schedule s where s.team_id = @team_id::text and s.state <> 'DELETED' and not s.managed
    ) own
    where own.n < @limit_rows::bigint
        and own.payload_bytes + coalesce(octet_length(sqlc.narg('payload')::json::text), 0) <= @limit_bytes::bigint
)
on conflict do nothing
returning id;

-- name: ScheduleByIdentity :one
select id from schedule where jti = @jti::text and team_id = @team_id;

-- name: ScheduleByID :one
select sqlc.embed(s), coalesce(r.run, 'null')::json as last_run
from schedule s
left join lateral (
    select row_to_json(l) as run from schedule_run l where l.schedule_id = s.id order by l.due_at desc limit 1
) r on true
where s.id = @id and s.team_id = @team_id;

-- name: ListSchedules :many
-- A team's schedules, newest first.
select sqlc.embed(s), coalesce(r.run, 'null')::json as last_run
from schedule s
left join lateral (
    select row_to_json(l) as run from schedule_run l where l.schedule_id = s.id order by l.due_at desc limit 1
) r on true
where s.team_id = @team_id and (@include_deleted::boolean or s.state <> 'DELETED')
order by s.created_at desc, s.id desc
limit @rows_max::int;

-- name: ReplaceSchedule :one
-- Gives a schedule that is not removed another expression. A paused schedule stays paused.
update schedule set
    cron_expression = @cron_expression::text, text = @text, offset_seconds = @offset_seconds, updated_at = @now,
    next_run_at = case when state = 'ENABLED' then @next_run_at::timestamptz end
where id = @id and team_id = @team_id and type = 'recurring' and state <> 'DELETED'
returning state;

-- name: PauseSchedule :execrows
update schedule set state = 'DISABLED', next_run_at = null, updated_at = @now
where id = @id and team_id = @team_id and state <> 'DELETED';

-- name: ScheduleToResume :one
select cron_expression, expression_timezone, offset_seconds from schedule
where id = @id and team_id = @team_id and type = 'recurring' and state <> 'DELETED'
for update;

-- name: ResumeSchedule :one
-- Resumes a schedule. One that was not paused keeps its next time.
update schedule set state = 'ENABLED', next_run_at = coalesce(next_run_at, @next_run_at::timestamptz), updated_at = @now
where id = @id and team_id = @team_id and state <> 'DELETED'
returning next_run_at::timestamptz;

-- name: RemoveSchedule :execrows
-- Removes a schedule for good. A schedule that a feature manages is removed by that feature alone.
update schedule set state = 'DELETED', next_run_at = null, updated_at = case when state = 'DELETED' then updated_at else @now::timestamptz end
where id = @id and team_id = @team_id and managed = @managed;

-- name: DropWaitingRun :exec
-- Deletes a schedule's run if its call has never started.
with dropped as (
    delete from schedule_run r where r.schedule_id = @id and r.state = 'waiting' and r.attempt = 0
    returning r.id
)

update schedule s set open_run = null from dropped where s.id = @id and s.open_run = dropped.id;

-- name: ForgetPayload :exec
-- Deletes the payload of a removed schedule once its run has ended, since it makes no more calls.
update schedule set payload = null where id = @id and state = 'DELETED' and open_run is null and payload is not null;

-- name: LockDueSchedules :many
-- Locks due schedules, those that have waited longest first, except those that another replica has locked.
select id, cron_expression, expression_timezone, offset_seconds, next_run_at::timestamptz as due_at, (open_run is not null)::boolean as is_open
from schedule
where next_run_at <= @now::timestamptz
order by next_run_at
limit @rows_max::int
for update skip locked;

-- name: PlanForClaims :exec
-- Makes the planner find rows by their ids in this transaction. It knows nothing of the ids it will get, takes a
-- thousand for very many, and would otherwise read all schedules.
select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true);

-- name: AdvanceSchedules :one
-- Sets when schedules are due next ('epoch': never), and enqueues a run for each that was given a run id, unless it
-- already had its run of that time: a replaced schedule may be set to a time that was claimed meanwhile. The
-- transaction has locked the rows.
with given as (
    select g.id, g.due_at, g.next_run_at,
        case when not exists (select from schedule_run r where r.schedule_id = g.id and r.due_at = g.due_at)
            then nullif(g.run, '00000000-0000-0000-0000-000000000000') end as run
    from (
        select unnest(@ids::text[]) as id, unnest(@dues::timestamptz[]) as due_at, unnest(@nexts::timestamptz[]) as next_run_at,
            unnest(@runs::uuid[]) as run
    ) g
),

advanced as (
    update schedule s set
        next_run_at = nullif(g.next_run_at, 'epoch'),
        state = case when g.next_run_at = 'epoch' then 'DISABLED' else s.state end,
        open_run = coalesce(s.open_run, g.run)
    from given g
    where s.id = g.id
    returning s.id, s.team_id, g.due_at, g.run
),

enqueued as (
    insert into schedule_run (schedule_id, due_at, id, team_id, ready_at)
    select a.id, a.due_at, a.run, a.team_id, a.due_at from advanced a
    where a.run is not null
    returning 1
)

select (select count(*) from advanced)::int as advanced, (select count(*) from enqueued)::int as enqueued;

-- name: TakeRuns :many
-- Takes one run from each of several teams, in the order of team ids from after_team on, so that a team with a thousand
-- runs gets one turn for each turn of the other teams.
with recursive waiting as (
    (select r.team_id from schedule_run r where r.state = 'waiting' and r.team_id > @after_team::text order by r.team_id limit 1)
    union all
    select (select r.team_id from schedule_run r where r.state = 'waiting' and r.team_id > w.team_id order by r.team_id limit 1)
    from waiting w where w.team_id is not null
),

turn as materialized (
    select w.team_id from waiting w
    where w.team_id is not null and w.team_id <> all(@busy::text[])
        and exists (select 1 from schedule_run r where r.team_id = w.team_id and r.state = 'waiting' and r.ready_at <= @now::timestamptz)
    limit @teams_max::int
),

taken as materialized (
    select p.schedule_id, p.due_at
    from turn
    cross join lateral (
        select r.schedule_id, r.due_at from schedule_run r
        where r.team_id = turn.team_id and r.state = 'waiting' and r.ready_at <= @now::timestamptz
        order by r.ready_at
        limit 1
        for update skip locked
    ) p
),

begun as (
    update schedule_run r set
        state = 'running', attempt = r.attempt + 1, lease_until = @lease_until::timestamptz, started_at = coalesce(r.started_at, @now::timestamptz)
    from taken t
    where r.schedule_id = t.schedule_id and r.due_at = t.due_at
    returning r.schedule_id, r.due_at, r.id, r.team_id, r.attempt, r.held
)

select b.schedule_id, b.due_at, b.id, b.team_id, b.attempt, b.held, s.method, s.endpoint, s.payload
from begun b
join schedule s on s.id = b.schedule_id
order by b.team_id;

-- name: RenewRuns :many
-- Extends the leases of running calls, and returns the runs that their processes still have.
update schedule_run r set lease_until = @lease_until::timestamptz
from (select unnest(@schedule_ids::text[]) as schedule_id, unnest(@dues::timestamptz[]) as due_at, unnest(@attempts::int[]) as attempt) g
where r.schedule_id = g.schedule_id and r.due_at = g.due_at and r.attempt = g.attempt and r.state = 'running'
returning r.id;

-- name: ReturnLostRuns :execrows
-- Makes runs whose leases have ended available to other processes.
update schedule_run set state = 'waiting', lease_until = null, ready_at = @now::timestamptz
where state = 'running' and lease_until < @now::timestamptz;

-- name: HoldForRun :execrows
-- Records that the run has a hold, in the transaction that opens it, so that later attempts use the same one.
update schedule_run set held = @held::bigint
where schedule_id = @schedule_id and due_at = @due_at and attempt = @attempt and state = 'running' and held is null;

-- name: PostponeRun :execrows
update schedule_run set
    state = 'waiting', lease_until = null, ready_at = @ready_at, http_status = sqlc.narg('http_status'), error = sqlc.narg('error')
where schedule_id = @schedule_id and due_at = @due_at and attempt = @attempt and state = 'running';

-- name: EndScheduleRun :one
-- Records the result of a run, for the attempt that still has it, and allows the schedule its next run. Deletes runs
-- before the last keep_runs, and the payload of a schedule that was removed meanwhile.
with ended as (
    update schedule_run r set
        state = @state::text, lease_until = null, ended_at = @now::timestamptz, http_status = sqlc.narg('http_status'), cost = sqlc.narg('cost'),
        made = sqlc.narg('made'), error = sqlc.narg('error')
    where r.schedule_id = @schedule_id and r.due_at = @due_at and r.attempt = @attempt and r.state = 'running'
    returning r.id, r.schedule_id
),

forgotten as (
    delete from schedule_run r
    using ended e
    where r.schedule_id = e.schedule_id and r.state not in ('waiting', 'running')
        and r.due_at <= (select o.due_at from schedule_run o where o.schedule_id = e.schedule_id order by o.due_at desc offset @keep_runs::int limit 1)
)
,

let_go as (
    update schedule s set open_run = null, payload = case when s.state <> 'DELETED' then s.payload end
    from ended e
    where s.id = e.schedule_id and s.open_run = e.id
)

select count(*)::int from ended;

-- name: PurgeSchedules :execrows
-- Deletes schedules that were removed before a time, and their runs.
with gone as (
    delete from schedule s
    where s.id in (
        select d.id from schedule d where d.state = 'DELETED' and d.updated_at < @removed_before::timestamptz and d.open_run is null
        order by d.updated_at limit @rows_max::int
    )
    returning s.id
),

runs as (delete from schedule_run r using gone g where r.schedule_id = g.id)

select id from gone;

-- name: SchedulesDepth :one
-- For metrics: how many schedules are due and unclaimed, how many runs are waiting and running, and since when the
-- first schedule has been due and the first run has waited.
select
    (select count(*) from schedule where next_run_at <= @now::timestamptz)::bigint as due,
    coalesce((select min(next_run_at) from schedule where next_run_at <= @now::timestamptz), @now::timestamptz)::timestamptz as due_since,
    (select count(*) from schedule_run where state = 'waiting' and ready_at <= @now::timestamptz)::bigint as waiting,
    coalesce((select min(ready_at) from schedule_run where state = 'waiting' and ready_at <= @now::timestamptz), @now::timestamptz)::timestamptz as waiting_since,
    (select count(*) from schedule_run where state = 'running')::bigint as running;

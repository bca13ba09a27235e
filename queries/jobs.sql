-- name: EnqueueTasks :exec
-- Adds tasks to their lanes, and creates missing lanes. Each entry of of_work gives the work (lane, team, group) that
-- the number beside it belongs to. Lanes stay locked until the transaction ends, so that the lane's clock, behind which
-- the new tasks are ranked, is still right when they become visible.
with work as (
    select
        unnest(@lanes::text[]) as lane, unnest(@teams::text[]) as team_id, unnest(@groups::text[]) as group_id,
        unnest(@running_maxima::int[]) as running_max, generate_subscripts(@lanes::text[], 1) as ord
),

item as (
    select w.lane, w.team_id, w.group_id, i.n, row_number() over (partition by w.lane order by i.ord) as place
    from (
        select unnest(@ns::int[]) as n, unnest(@of_work::int[]) as work, generate_subscripts(@ns::int[], 1) as ord
    ) as i
    join work as w on w.ord = i.work
),

locked as (
    insert into lane as l (queue, lane, team_id, waiting, running_max)
    select @queue, w.lane, min(w.team_id), (select count(*) from item as i where i.lane = w.lane)::int, max(w.running_max)
    from work as w
    group by w.lane
    order by w.lane
    on conflict (queue, lane) do update set waiting = l.waiting + excluded.waiting
    returning l.lane, l.clock
)

insert into task (group_id, n, queue, lane, team_id, rank)
select i.group_id, i.n, @queue, i.lane, i.team_id, locked.clock + i.place
from item as i
join locked on locked.lane = i.lane;

-- name: WorkThere :one
-- Whether a lane has its turn, and whether a delayed task is due. Most polls of a queue end with this statement.
select
    exists (select from lane as l where l.queue = @queue and l.waiting > 0 and l.running < l.running_max) as has_turn,
    exists (select from task as t where t.queue = @queue and t.not_before <= clock_timestamp()) as has_due;

-- name: LockTurns :many
-- Locks the lanes whose turn it is, longest unserved first, except those that others have locked. The commit need not
-- wait for the disk: if a server crash loses the promotion, the tasks are ready again, and the tokens of those that run are
-- not theirs any more.
select l.lane, set_config('synchronous_commit', 'off', true)::text as synchronous_commit
from lane as l
where l.queue = @queue and l.waiting > 0 and l.running < l.running_max
order by l.served_at
limit @lanes_max
for update skip locked;

-- name: BoundLockWait :exec
select set_config('lock_timeout', @wait::text, true);

-- name: AwaitTurn :many
-- Like LockTurns, but waits for the lock of the lane that has waited longest. It locks only that lane: to wait for
-- several in the order of turns could deadlock, because all others lock lanes in another order.
select l.lane, set_config('synchronous_commit', 'off', true)::text as synchronous_commit
from lane as l
where l.queue = @queue and l.waiting > 0 and l.running < l.running_max
    and l.lane = (
        select o.lane from lane as o
        where o.queue = @queue and o.waiting > 0 and o.running < o.running_max
        order by o.served_at
        limit 1
    )
for update;

-- name: TakeTasks :many
-- Promotes tasks of lanes that the transaction has locked, the same number from each, within its limit. It is a
-- separate statement because its snapshot must be newer than the locks: otherwise it misses a task that was added in
-- between, the clock passes that task, and it is never found again.
with turn as (
    select l.lane, l.clock, least(l.running_max - l.running, greatest(1, sqlc.arg(room)::int / count(*) over ()))::int as most
    from lane as l
    where l.queue = @queue and l.lane = any(@lanes::text[])
),

pick as materialized (
    select i.group_id, i.n
    from turn
    cross join lateral (
        select next.group_id, next.n
        from (
            select t.group_id, t.n, t.rank
            from task as t
            where t.queue = @queue and t.lane = turn.lane and t.token is null and t.not_before is null and t.rank >= turn.clock
            order by t.rank
            limit sqlc.arg(room) -- it changes no result: without it the planner takes a tenth of the lane for what comes out here
        ) as next
        order by next.rank
        limit turn.most
    ) as i
),

taken as (
    update task as t
    set token = gen_random_uuid(), lease_until = clock_timestamp() + interval '1 millisecond' * @lease_ms::bigint
    from pick
    where t.group_id = pick.group_id and t.n = pick.n and t.token is null
    returning t.group_id, t.n, t.lane, t.team_id, t.rank, t.token, t.attempt, t.takeovers, t.stalled_at, t.created_at
),

moved as (
    update lane as l
    set waiting = l.waiting - c.n, running = l.running + c.n, clock = greatest(l.clock, c.rank), served_at = clock_timestamp()
    from (
        select turn.lane, coalesce(sums.n, 0) as n, coalesce(sums.rank, 0) as rank
        from turn
        left join (select taken.lane, count(*)::int as n, max(taken.rank) as rank from taken group by taken.lane) as sums
            on sums.lane = turn.lane
    ) as c
    where l.queue = @queue and l.lane = c.lane
)

select
    taken.group_id, taken.n, taken.lane, taken.team_id, taken.token, taken.attempt, taken.takeovers, taken.stalled_at,
    taken.created_at
from taken;

-- name: CompleteTasks :many
-- Ends promoted tasks for the holders of their tokens, and returns the tokens. An outdated token ends nothing, even beside
-- the valid one of the same task: after a crash of the server a process may hold results of both.
--
-- Here and below the lane's counters come from the locked row: an update first tries the row of the statement's
-- snapshot, which may be older than the lock, and a check would refuse the difference before it is computed again.
with locked as materialized (
    select l.lane, l.running from lane as l
    where l.queue = @queue and l.lane = any(@lanes::text[])
    order by l.lane
    for update
),

gone as (
    delete from task as t
    using (select unnest(@groups::text[]) as group_id, unnest(@ns::int[]) as n, unnest(@tokens::uuid[]) as token) as d
    where t.group_id = d.group_id and t.n = d.n and t.token = d.token
        and (select count(*) from locked) > 0 -- the locks come first
    returning t.token, t.lane
),

less as (
    update lane as l set running = c.running - c.n
    from (
        select locked.lane, locked.running, sums.n
        from locked
        join (select gone.lane, count(*)::int as n from gone group by gone.lane) as sums on sums.lane = locked.lane
    ) as c
    where l.queue = @queue and l.lane = c.lane
)

select gone.token::uuid as token from gone;

-- name: PostponeTasks :many
-- Makes promoted tasks wait, for the holders of their tokens, and returns the tokens. counts is 1 if the try counts,
-- and 0 if the task was only put off.
with locked as materialized (
    select l.lane, l.running from lane as l
    where l.queue = @queue and l.lane = any(@lanes::text[])
    order by l.lane
    for update
),

valid as materialized (
    select t.group_id, t.n, t.token, d.after_ms, d.counts
    from (
        select
            unnest(@groups::text[]) as group_id, unnest(@ns::int[]) as n, unnest(@tokens::uuid[]) as token,
            unnest(@after_ms::bigint[]) as after_ms, unnest(@counts::int[]) as counts
    ) as d
    join task as t on t.group_id = d.group_id and t.n = d.n and t.token = d.token
    where (select count(*) from locked) > 0
    for update of t
),

late as (
    update task as t
    set token = null, lease_until = null, attempt = t.attempt + valid.counts,
        stalled_at = case when valid.counts = 0 then coalesce(t.stalled_at, now()) end,
        not_before = clock_timestamp() + interval '1 millisecond' * valid.after_ms
    from valid
    where t.group_id = valid.group_id and t.n = valid.n
    returning t.lane
),

less as (
    update lane as l set running = c.running - c.n
    from (
        select locked.lane, locked.running, sums.n
        from locked
        join (select late.lane, count(*)::int as n from late group by late.lane) as sums on sums.lane = locked.lane
    ) as c
    where l.queue = @queue and l.lane = c.lane
)

select valid.token::uuid as token from valid;

-- name: HandBackTasks :execrows
-- Makes promoted tasks ready again for the holders of their tokens, as if not started, and first in their lanes.
with locked as materialized (
    select l.lane, l.clock, l.running, l.waiting from lane as l
    where l.queue = @queue and l.lane = any(@lanes::text[])
    order by l.lane
    for update
),

back as (
    update task as t
    set token = null, lease_until = null, rank = locked.clock
    from (select unnest(@groups::text[]) as group_id, unnest(@ns::int[]) as n, unnest(@tokens::uuid[]) as token) as d, locked
    where t.group_id = d.group_id and t.n = d.n and t.token = d.token and locked.lane = t.lane
    returning t.lane
)

update lane as l set running = c.running - c.n, waiting = c.waiting + c.n
from (
    select locked.lane, locked.running, locked.waiting, sums.n
    from locked
    join (select back.lane, count(*)::int as n from back group by back.lane) as sums on sums.lane = locked.lane
) as c
where l.queue = @queue and l.lane = c.lane;

-- name: RipenTasks :one
-- Makes due delayed tasks ready, first in their lanes, and counts them. Tasks of locked lanes wait for the next call.
with due as materialized (
    select t.group_id, t.n, t.lane
    from task as t
    where t.queue = @queue and t.not_before <= clock_timestamp()
    order by t.not_before
    limit @tasks_max
),

locked as materialized (
    select l.lane, l.clock, l.waiting from lane as l
    where l.queue = @queue and l.lane in (select due.lane from due)
    order by l.lane
    for update skip locked
),

ripe as (
    update task as t
    set not_before = null, rank = locked.clock
    from due, locked
    where t.group_id = due.group_id and t.n = due.n and locked.lane = due.lane and t.not_before <= clock_timestamp()
    returning t.lane
),

more as (
    update lane as l set waiting = c.waiting + c.n
    from (
        select locked.lane, locked.waiting, sums.n
        from locked
        join (select ripe.lane, count(*)::int as n from ripe group by ripe.lane) as sums on sums.lane = locked.lane
    ) as c
    where l.queue = @queue and l.lane = c.lane
)

select count(*) from ripe;

-- name: RenewLeases :many
-- Extends leases and returns the tokens that are still valid. It waits for no lock: a task that is just being ended
-- needs no longer lease.
with mine as materialized (
    select unnest(@groups::text[]) as group_id, unnest(@ns::int[]) as n, unnest(@tokens::uuid[]) as token
),

locked as materialized (
    select t.group_id, t.n
    from task as t
    join mine on mine.group_id = t.group_id and mine.n = t.n and mine.token = t.token
    for update of t skip locked
),

renewed as (
    update task as t set lease_until = clock_timestamp() + interval '1 millisecond' * @lease_ms::bigint
    from locked
    where t.group_id = locked.group_id and t.n = locked.n
)

select mine.token::uuid as token
from mine
join task as t on t.group_id = mine.group_id and t.n = mine.n and t.token = mine.token;

-- name: TakeOverTasks :one
-- Makes tasks whose leases have ended ready again, first in their lanes, and counts them. Of concurrent calls only one
-- takes over a task; the others find it without a lease.
with lost as materialized (
    select t.group_id, t.n, t.lane
    from lane as l
    join task as t on t.queue = l.queue and t.lane = l.lane and t.rank <= l.clock
    where l.queue = @queue and l.running > 0 and t.lease_until < clock_timestamp()
    order by t.lease_until
    limit @tasks_max
),

locked as materialized (
    select l.lane, l.clock, l.running, l.waiting from lane as l
    where l.queue = @queue and l.lane in (select lost.lane from lost)
    order by l.lane
    for update skip locked
),

held as materialized (
    select t.group_id, t.n, locked.clock
    from task as t
    join lost on lost.group_id = t.group_id and lost.n = t.n
    join locked on locked.lane = lost.lane
    where t.lease_until < clock_timestamp()
    for update of t skip locked
),

freed as (
    update task as t
    set token = null, lease_until = null, takeovers = t.takeovers + 1, rank = held.clock
    from held
    where t.group_id = held.group_id and t.n = held.n and t.lease_until < clock_timestamp()
    returning t.lane
),

moved as (
    update lane as l set running = c.running - c.n, waiting = c.waiting + c.n
    from (
        select locked.lane, locked.running, locked.waiting, sums.n
        from locked
        join (select freed.lane, count(*)::int as n from freed group by freed.lane) as sums on sums.lane = locked.lane
    ) as c
    where l.queue = @queue and l.lane = c.lane
)

select count(*) from freed;

-- name: CancelTasks :one
-- Deletes the remaining tasks of a group, in any state, and counts them.
with locked as materialized (
    select l.running, l.waiting from lane as l where l.queue = @queue and l.lane = @lane for update
),

gone as (
    delete from task as t
    where t.group_id = @group_id and t.queue = @queue and t.lane = @lane and (select count(*) from locked) > 0
    returning t.token is not null as running, t.not_before is not null as delayed
),

less as (
    update lane as l set running = c.running, waiting = c.waiting
    from (
        select
            (select locked.running from locked) - (count(*) filter (where gone.running))::int as running,
            (select locked.waiting from locked) - (count(*) filter (where not gone.running and not gone.delayed))::int as waiting
        from gone
    ) as c
    where l.queue = @queue and l.lane = @lane
)

select count(*) from gone;

-- name: HastenTasks :execrows
-- Makes the delayed tasks of a group due now.
with locked as materialized (
    select l.lane from lane as l where l.queue = @queue and l.lane = @lane for update
)

update task as t set not_before = clock_timestamp()
where t.group_id = @group_id and t.queue = @queue and t.lane = @lane and t.not_before > clock_timestamp()
    and (select count(*) from locked) > 0;

-- name: LockLanes :exec
-- Locks lanes for a transaction with several statements about their tasks.
select 1 from lane as l where l.queue = @queue and l.lane = any(@lanes::text[]) order by l.lane for update;

-- name: SetLanesMax :exec
-- Sets the running maxima of lanes that the transaction has locked.
update lane as l set running_max = d.running_max
from (select unnest(@lanes::text[]) as lane, unnest(@running_maxima::int[]) as running_max) as d
where l.queue = @queue and l.lane = d.lane and l.running_max <> d.running_max;

-- name: DropIdleLanes :execrows
delete from lane as l
where l.waiting = 0 and l.running = 0 and l.served_at < now() - interval '1 day'
    and not exists (select from task as t where t.queue = l.queue and t.lane = l.lane);

-- name: LanesOutOfLine :many
-- Lanes whose counters differ from their tasks, or that have a ready task below the clock or a promoted one above it,
-- which would never be found. Only a bug can cause this.
select l.queue, l.lane
from lane as l
left join (
    select
        t.queue, t.lane,
        count(*) filter (where t.token is not null) as running,
        count(*) filter (where t.token is null and t.not_before is null) as waiting,
        min(t.rank) filter (where t.token is null and t.not_before is null) as ready_least,
        max(t.rank) filter (where t.token is not null) as promoted_most
    from task as t
    group by t.queue, t.lane
) as c on c.queue = l.queue and c.lane = l.lane
where l.waiting <> coalesce(c.waiting, 0) or l.running <> coalesce(c.running, 0)
    or c.ready_least < l.clock or c.promoted_most > l.clock
order by l.queue, l.lane;

-- name: LockLane :exec
select 1 from lane as l where l.queue = @queue and l.lane = @lane for update;

-- name: MendLane :exec
-- Corrects a lane that the transaction has locked, so that it matches its tasks.
with moved as (
    update task as t set rank = l.clock
    from lane as l
    where l.queue = @queue and l.lane = @lane and t.queue = l.queue and t.lane = l.lane
        and ((t.token is null and t.not_before is null and t.rank < l.clock) or (t.token is not null and t.rank > l.clock))
)

update lane as l
set waiting = (
        select count(*) from task as t where t.queue = l.queue and t.lane = l.lane and t.token is null and t.not_before is null
    ),
    running = (select count(*) from task as t where t.queue = l.queue and t.lane = l.lane and t.token is not null)
where l.queue = @queue and l.lane = @lane;

-- name: QueueDepth :one
-- How many tasks of a queue wait, run and are delayed, and the age of the oldest of the lanes' next waiting tasks.
select
    coalesce(sum(l.waiting), 0)::bigint as waiting,
    coalesce(sum(l.running), 0)::bigint as running,
    (select count(*) from task as t where t.queue = @queue and t.not_before is not null)::bigint as delayed,
    coalesce(extract(epoch from now() - min(next.created_at)), 0)::float8 as oldest_seconds
from lane as l
left join lateral (
    select t.created_at
    from task as t
    where t.queue = l.queue and t.lane = l.lane and t.token is null and t.not_before is null and t.rank >= l.clock
        and l.waiting > 0
    order by t.rank
    limit 1
) as next on true
where l.queue = @queue;

-- name: TakeDuePeriodic :many
-- Takes the periodic work that is due, for one process, and returns its names. Work without a row is due.
insert into periodic as p (name, next_at)
select w.name, now() + interval '1 millisecond' * w.every_ms
from (select unnest(@names::text[]) as name, unnest(@every_ms::bigint[]) as every_ms) as w
where not exists (select from periodic as later where later.name = w.name and later.next_at > now())
order by w.name
on conflict (name) do update set next_at = excluded.next_at where p.next_at <= now()
returning p.name;

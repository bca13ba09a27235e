-- name: TakeReconcileTurn :execrows
-- Takes the turn for one process if it is due, and sets the next one. No row: it is not due.
update reconcile_turn
set next_at = now() + @every::interval
where next_at <= now();

-- name: NoteReconcileCheck :exec
-- Records a check. One that could not be made keeps its earlier result.
insert into reconcile_check as c (name, tried_at, ran_at, differences, failure)
values (@name, now(), case when @failure::text = '' then now() end, @differences, @failure)
on conflict (name) do update
set tried_at = excluded.tried_at, ran_at = coalesce(excluded.ran_at, c.ran_at), failure = excluded.failure,
    differences = case when excluded.failure = '' then excluded.differences else c.differences end;

-- name: ListReconcileChecks :many
select
    name, differences, (failure <> '')::bool as failed,
    coalesce(extract(epoch from now() - ran_at), -1)::float8 as age_seconds
from reconcile_check
order by name;

-- name: TakeReconcileTurn :execrows
-- One process has the turn when it is due, and the next one is so much later.
update reconcile_turn
set next_at = now() + @every::interval
where next_at <= now();

-- name: NoteReconcileCheck :exec
-- A check that could not be made keeps what it has found before.
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

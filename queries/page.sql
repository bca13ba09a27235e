-- Table content: what is kept of pages, by whichever feature.

-- name: KeepContents :exec
-- Makes content readable, in the transaction that counts the pages as done, and queues searchable content for indexing.
with kept as (
    insert into content (retrieve_id, team_id, source, attempts, outcome, created_at, expires_at)
    select k.retrieve_id, @team_id, @source, k.attempts, k.outcome::json, @created_at, k.expires_at
    from (
        select
            unnest(@retrieve_ids::text[]) as retrieve_id, unnest(@attempts::int[]) as attempts,
            unnest(@outcomes::text[]) as outcome, unnest(@expiries::timestamptz[]) as expires_at
    ) as k
    on conflict (retrieve_id) do update set
        attempts = excluded.attempts, outcome = excluded.outcome, created_at = excluded.created_at,
        expires_at = excluded.expires_at, purged_at = null
    returning retrieve_id, outcome
)

insert into search_queue (retrieve_id)
select retrieve_id from kept where outcome -> 'search' is not null;

-- name: ContentByRetrieveID :one
-- Content that exists, with the kind of team that owns it.
select c.retrieve_id, c.team_id, t.kind as team_kind, c.outcome, c.expires_at
from content c
join team t on t.id = c.team_id
where c.retrieve_id = $1 and c.purged_at is null;

-- name: ListContents :many
-- Those of a team's given contents that exist.
select retrieve_id, outcome, expires_at from content
where retrieve_id = any(@retrieve_ids::text[]) and team_id = @team_id and purged_at is null;

-- name: ListExpiredContents :many
-- Content that is due for deletion, oldest first.
select retrieve_id, attempts from content
where purged_at is null and expires_at < @expired_before::timestamptz
order by expires_at
limit @rows_max::int;

-- name: MarkContentsPurged :exec
-- Marks content as deleted, except content that was stored again meanwhile.
update content set purged_at = @now::timestamptz
where retrieve_id = any(@retrieve_ids::text[]) and expires_at < @now::timestamptz;

-- name: ForgetContents :execrows
-- Deletes the rows of content that was deleted long ago.
delete from content
where retrieve_id in (
    select c.retrieve_id from content c
    where c.purged_at < @purged_before::timestamptz
    order by c.purged_at
    limit @rows_max::int
);

-- name: LockTeamKeys :one
-- Keys of a team are made one at a time, so that what is counted stays true
-- until the end of the transaction.
select t.id from team t
where t.id = @team_id and t.kind = 'subscriber'
for no key update;

-- name: CreateKey :one
-- A key for a team, on the team's credit account. Without scopes it may read and
-- write, and the first of a team everything. Under live_max, if that is given.
-- A key that makes another (made_by) hands out no scope that it lacks, and none
-- once it has ended.
insert into api_key (public_id, team_id, account_id, name, hash, display, scopes, expires_at)
select
    @public_id, a.team_id, a.id, @name, @hash, @display,
    case
        when cardinality(@scopes::text[]) > 0 then @scopes::text[]
        when exists (select from api_key k where k.team_id = a.team_id) then '{read,write}'::text[]
        else '{read,write,billing}'::text[]
    end,
    sqlc.narg('expires_at')
from ledger_account a
where a.team_id = @team_id::text and a.kind = 'customer' and a.unit = 'credit'
    and (sqlc.narg('live_max')::bigint is null or sqlc.narg('live_max')::bigint > (
        select count(*) from api_key k
        where k.team_id = a.team_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    ))
    and (sqlc.narg('made_by')::text is null or exists (
        select from api_key m
        where m.public_id = sqlc.narg('made_by')::text and m.team_id = a.team_id
            and m.revoked_at is null and (m.expires_at is null or m.expires_at > now())
            and @scopes::text[] <@ m.scopes
    ))
returning id, scopes, created_at;

-- name: RotateKey :one
-- Makes a key like another, which ends after the overlap, or at once, and no
-- later than it would have. The new one lives as long as the old one was meant to.
with old as (
    select k.id, k.public_id, k.team_id, k.account_id, k.name, k.scopes, k.expires_at - k.created_at as life
    from api_key k
    where k.public_id = @old_id and k.team_id = @team_id
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
        and not exists (select from api_key r where r.rotated_from = k.id)
        and (@overlap_seconds::bigint = 0 or @live_max::bigint > (
            select count(*) from api_key l
            where l.team_id = k.team_id and l.revoked_at is null and (l.expires_at is null or l.expires_at > now())
        ))
        and (sqlc.narg('made_by')::text is null or exists (
            select from api_key m
            where m.public_id = sqlc.narg('made_by')::text and m.team_id = k.team_id
                and m.revoked_at is null and (m.expires_at is null or m.expires_at > now())
                and k.scopes <@ m.scopes
        ))
),

made as (
    insert into api_key (public_id, team_id, account_id, name, hash, display, scopes, expires_at, rotated_from)
    select @public_id, old.team_id, old.account_id, old.name, @hash, @display, old.scopes, now() + old.life, old.id
    from old
    returning rotated_from, name, scopes, created_at, expires_at
),

ended as (
    update api_key k
    set expires_at = least(k.expires_at, now() + make_interval(secs => @overlap_seconds::bigint)),
        revoked_at = coalesce(k.revoked_at, case when @overlap_seconds::bigint = 0 then now() end)
    from made
    where k.id = made.rotated_from
    returning k.id, k.hash, k.expires_at
)

select
    made.name, made.scopes, made.created_at, made.expires_at, ended.expires_at::timestamptz as old_expires_at,
    pg_notify('turnpike_key_changed', encode(ended.hash, 'hex'))::text as notified
from made, ended
where ended.id = made.rotated_from;

-- name: KeyFacts :one
-- A key whatever its state: what says why CreateKey or RotateKey did nothing.
select
    k.scopes, k.expires_at, k.revoked_at, r.public_id as replaced_by,
    (k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))::bool as live
from api_key k
left join api_key r on r.rotated_from = k.id
where k.public_id = @id and k.team_id = @team_id;

-- name: KeyTeam :one
select team_id from api_key where public_id = $1;

-- name: KeysByHash :many
-- All look-ups that wait, in one statement.
select k.hash, k.id, k.public_id, k.team_id, k.account_id, k.scopes, k.expires_at, k.revoked_at
from api_key k
where k.hash = any(@hashes::bytea[]);

-- name: ListenForChangedKeys :exec
-- The channel on which RevokeKey and RotateKey tell hashes, in hexadecimal.
listen turnpike_key_changed;

-- name: ListKeys :many
-- A team's keys: those that live, then those that have ended, each from the newest.
select
    k.public_id, k.name, k.display, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
    old.public_id as rotated_from, new.public_id as replaced_by
from api_key k
left join api_key old on old.id = k.rotated_from
left join api_key new on new.rotated_from = k.id
where k.team_id = @team_id
order by (k.revoked_at is null and (k.expires_at is null or k.expires_at > now())) desc, k.id desc
limit @rows_max;

-- name: RevokeKey :one
-- Revoking twice keeps the first time. Tells the edges' caches. With a team, its keys only.
with revoked as (
    update api_key u set revoked_at = coalesce(u.revoked_at, now())
    where u.public_id = @id and (sqlc.narg('team_id')::text is null or u.team_id = sqlc.narg('team_id')::text)
    returning
        u.id, u.public_id, u.name, u.display, u.scopes, u.created_at, u.expires_at, u.revoked_at, u.last_used_at, u.rotated_from,
        pg_notify('turnpike_key_changed', encode(u.hash, 'hex'))::text as notified
)

select
    k.public_id, k.name, k.display, k.scopes, k.created_at, k.expires_at, k.revoked_at::timestamptz as revoked_at, k.last_used_at,
    old.public_id as rotated_from, new.public_id as replaced_by, k.notified
from revoked k
left join api_key old on old.id = k.rotated_from
left join api_key new on new.rotated_from = k.id;

-- name: NoteKeyUse :exec
-- When keys were last used, as one edge saw it; another may have seen it later.
-- Rows are locked in one order, so that edges do not wait for each other in a ring.
with used as (
    select u.id, max(u.at) as at
    from (select unnest(@ids::bigint[]) as id, unnest(@times::timestamptz[]) as at) u
    group by u.id
),

locked as (
    select k.id, used.at
    from api_key k
    join used on used.id = k.id
    where k.last_used_at is null or k.last_used_at < used.at
    order by k.id
    for no key update of k
)

update api_key k set last_used_at = greatest(k.last_used_at, locked.at)
from locked
where k.id = locked.id;

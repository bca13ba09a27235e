-- name: LockTeamKeys :one
-- Locks a team so that its keys are created one at a time: the number of keys stays right until the transaction ends.
select t.id from team t
where t.id = @team_id and t.kind = 'subscriber'
for no key update;

-- name: CreateKey :one
-- Creates a key for a team, on its credit account. Without scopes, a team's first key gets all scopes and any other
-- gets read and write. No row: the team has live_max live keys (if that is given), or the key that creates this one
-- (made_by) has ended or lacks one of the scopes.
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
-- Creates a key like the old one, which ends after the overlap or at once, but never later than it would have. The new
-- key lives as long as the old one was meant to. No row: the old key has ended or was rotated before, made_by has ended
-- or lacks a scope, or the team has live_max live keys (this counts only with an overlap).
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
-- A key in any state, to explain why CreateKey or RotateKey did nothing.
select
    k.scopes, k.expires_at, k.revoked_at, r.public_id as replaced_by,
    (k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))::bool as live
from api_key k
left join api_key r on r.rotated_from = k.id
where k.public_id = @id and k.team_id = @team_id;

-- name: KeyTeam :one
select team_id from api_key where public_id = $1;

-- name: KeysByHash :many
-- Runs all waiting look-ups in one statement.
select k.hash, k.id, k.public_id, k.team_id, k.account_id, k.scopes, k.expires_at, k.revoked_at
from api_key k
where k.hash = any(@hashes::bytea[]);

-- name: ListenForChangedKeys :exec
-- Subscribes to the channel on which RevokeKey and RotateKey send the hashes of keys, in hexadecimal.
listen turnpike_key_changed;

-- name: ListKeys :many
-- A team's keys: first the live ones, then the ended ones, each newest first.
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
-- Revokes a key and notifies the edges' caches. Revoking again keeps the first time. team_id limits it to one team.
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
-- Records when one edge last saw keys in use; a later time from another edge stays. Rows are locked in one order, so
-- that edges do not deadlock.
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

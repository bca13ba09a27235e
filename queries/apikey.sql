-- name: CreateKey :one
-- A key for a team, on the team's credit account.
insert into api_key (public_id, team_id, account_id, name, hash, display, scopes, expires_at)
select @public_id, a.team_id, a.id, @name, @hash, @display, @scopes, sqlc.narg('expires_at')
from ledger_account a
where a.team_id = @team_id::text and a.kind = 'customer' and a.unit = 'credit'
returning id, created_at;

-- name: KeysByHash :many
-- All look-ups that wait, in one statement.
select k.hash, k.id, k.public_id, k.team_id, k.account_id, k.scopes, k.expires_at, k.revoked_at
from api_key k
where k.hash = any(@hashes::bytea[]);

-- name: ListenForRevokedKeys :exec
-- The channel on which RevokeKey tells hashes, in hexadecimal.
listen turnpike_key_revoked;

-- name: ListKeys :many
select k.public_id, k.name, k.display, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.last_used_at
from api_key k
where k.team_id = $1
order by k.id;

-- name: RevokeKey :one
-- Revoking twice keeps the first time. Tells the edges' caches.
with revoked as (
    update api_key set revoked_at = coalesce(revoked_at, now())
    where public_id = $1
    returning public_id, team_id, revoked_at, hash
)

select public_id, team_id, revoked_at::timestamptz as revoked_at, pg_notify('turnpike_key_revoked', encode(hash, 'hex'))::text as notified
from revoked;

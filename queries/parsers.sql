-- name: CreateParserVersion :one
-- Creates the next version of a team's parser, or the first one. No row: the definition equals the latest version, or
-- there are too many parsers or versions. Concurrent calls wait for the parser's row, so that versions are consecutive.
with n as (
    insert into parser as p (team_id, name, definition_sha256, created_at, updated_at)
    select @team_id, @name, @definition_sha256, @now::timestamptz, @now::timestamptz
    where (select count(*) from parser as o where o.team_id = @team_id) < @parsers_max::int
        or exists (select 1 from parser as o where o.team_id = @team_id and o.name = @name)
    on conflict (team_id, name) do update set
        version = p.version + 1, definition_sha256 = excluded.definition_sha256, updated_at = excluded.updated_at,
        first_version = case when p.deleted_at is null then p.first_version else p.version + 1 end,
        deleted_at = null
    where (p.definition_sha256 <> excluded.definition_sha256 or p.deleted_at is not null) and p.version < @versions_max::int
    returning p.team_id, p.name, p.version
)

insert into parser_version (id, team_id, name, version, description, definition, created_at)
select @id, n.team_id, n.name, n.version, @description, @definition, @now::timestamptz from n
returning id, version;

-- name: LatestParser :one
-- The latest version of a team's parser that is not deleted.
select v.id, v.name, v.version, v.description, v.definition, v.created_at, p.definition_sha256
from parser p
join parser_version v on v.team_id = p.team_id and v.name = p.name and v.version = p.version
where p.team_id = @team_id and p.name = @name and p.deleted_at is null;

-- name: ParserVersion :one
-- One version of a team's parser by its number, and whether it has been deleted since.
select
    v.id, v.name, v.version, v.description, v.definition, v.created_at,
    (p.deleted_at is not null or v.version < p.first_version)::boolean as deleted
from parser_version v
join parser p on p.team_id = v.team_id and p.name = v.name
where v.team_id = @team_id and v.name = @name and v.version = @version;

-- name: ParserVersionByID :one
select
    v.id, v.name, v.version, v.description, v.definition, v.created_at,
    (p.deleted_at is not null or v.version < p.first_version)::boolean as deleted
from parser_version v
join parser p on p.team_id = v.team_id and p.name = v.name
where v.id = @id and v.team_id = @team_id;

-- name: ListParsers :many
-- The latest versions of a team's parsers, by name.
select v.id, v.name, v.version, v.description, v.created_at
from parser p
join parser_version v on v.team_id = p.team_id and v.name = p.name and v.version = p.version
where p.team_id = @team_id and p.name > @after and p.deleted_at is null
order by p.name
limit @rows_max::int;

-- name: ListParserVersions :many
-- The versions of a team's parser, latest first.
select v.id, v.name, v.version, v.description, v.created_at
from parser p
join parser_version v on v.team_id = p.team_id and v.name = p.name and v.version >= p.first_version
where p.team_id = @team_id and p.name = @name and p.deleted_at is null and v.version < @before::int
order by v.version desc
limit @rows_max::int;

-- name: DeleteParser :one
update parser set deleted_at = @now::timestamptz
where team_id = @team_id and name = @name and deleted_at is null
returning version;

-- name: StartParserTrial :one
-- Claims the work of one identity, for the first attempt or the next one after a failure or after a process died
-- (before stale_before). No row: another attempt is running or has succeeded, or the team differs.
insert into parser_trial as t (jti, team_id, request_sha256, started_at, expires_at)
values (@jti, @team_id, @request_sha256, @now::timestamptz, @expires_at)
on conflict (jti) do update set
    status = 'running', attempt = t.attempt + 1, request_sha256 = excluded.request_sha256, started_at = excluded.started_at,
    expires_at = excluded.expires_at
where t.team_id = excluded.team_id
    and (t.status = 'failed' or (t.status = 'running' and t.started_at < @stale_before::timestamptz))
returning attempt;

-- name: ParserTrial :one
select team_id, request_sha256, status, answer from parser_trial where jti = $1;

-- name: FinishParserTrial :execrows
-- Only the current attempt can finish. No row: this attempt was considered dead, and another took over.
update parser_trial set status = 'succeeded', answer = @answer
where jti = @jti and attempt = @attempt and status = 'running';

-- name: FailParserTrial :execrows
update parser_trial set status = 'failed' where jti = @jti and attempt = @attempt and status = 'running';

-- name: DeleteExpiredParserTrials :execrows
delete from parser_trial where jti in (
    select e.jti from parser_trial as e where e.expires_at < @expired_before::timestamptz limit @rows_max::int
);

-- name: CreateFile :execrows
-- Creates a file. No row: the team has files_max files. Concurrent requests may create a few more.
insert into file (id, team_id, filename, purpose, created_at, upload_until, expires_at)
select @id, @team_id, @filename, @purpose, @created_at::timestamptz, @upload_until, @expires_at
where (
    select count(*) from file f where f.team_id = @team_id and f.deleted_at is null and f.purged_at is null
) < @files_max::int;

-- name: FileByID :one
select * from file
where id = @id and deleted_at is null;

-- name: ListCompletedFiles :many
-- A team's files that are usable at a time, newest first, after the given one or from the start.
select * from file
where team_id = @team_id and status = 'completed' and deleted_at is null and purged_at is null
    and expires_at > @now::timestamptz
    and (sqlc.narg(purpose)::text is null or purpose = sqlc.narg(purpose)::text)
    and (created_at, id) < (@before_created_at::timestamptz, @before_id::text)
order by created_at desc, id desc
limit @rows_max::int;

-- name: AttachUpload :one
-- Makes an upload the content of a file that still waits for one, and returns the key of the upload that it replaces.
-- Of concurrent uploads the last one wins.
with earlier as (
    select f.id, f.upload_key from file f
    where f.id = @id and f.status = 'pending' and f.deleted_at is null and f.upload_until > @now::timestamptz
    for update
)

update file set upload_key = @upload_key::text, bytes = @bytes
from earlier
where file.id = earlier.id
returning earlier.upload_key;

-- name: CompleteFile :execrows
-- Only the upload that was found valid completes a file. No row: another upload replaced it, or the file is gone.
update file set
    status = 'completed', items = sqlc.narg(items)::bigint, completed_at = @now::timestamptz, expires_at = @expires_at
where id = @id and team_id = @team_id and status = 'pending' and deleted_at is null and upload_key = @upload_key::text
    and expires_at > @now::timestamptz;

-- name: DeleteFile :one
-- Deletes a file. What running uploads may still leave behind is purged when none can be running any more.
update file set
    deleted_at = @now::timestamptz,
    expires_at = greatest(@now::timestamptz, upload_until + make_interval(secs => @grace_seconds::float))
where id = @id and team_id = @team_id and deleted_at is null
returning upload_key;

-- name: ListFilesToPurge :many
-- Expired files whose content may still exist, oldest first.
select id from file
where purged_at is null and expires_at <= @now::timestamptz
order by expires_at
limit @rows_max::int;

-- name: MarkFilesPurged :exec
update file set status = 'expired', purged_at = @now::timestamptz
where id = any(@ids::text[]) and purged_at is null;

-- name: ForgetFiles :execrows
-- Deletes the rows of files whose content was deleted long ago.
delete from file
where id in (
    select f.id from file f
    where f.purged_at < @purged_before::timestamptz
    order by f.purged_at
    limit @rows_max::int
);

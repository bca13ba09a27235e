-- name: CreateFile :execrows
-- No row: the team has as many files as it may. Of several at once a few more may pass.
insert into file (id, team_id, filename, purpose, created_at, upload_until, expires_at)
select @id, @team_id, @filename, @purpose, @created_at::timestamptz, @upload_until, @expires_at
where (
    select count(*) from file f where f.team_id = @team_id and f.deleted_at is null and f.purged_at is null
) < @files_max::int;

-- name: FileByID :one
select * from file
where id = @id and deleted_at is null;

-- name: ListCompletedFiles :many
-- A team's files that can be used at a time, latest first, after one of them or from the first.
select * from file
where team_id = @team_id and status = 'completed' and deleted_at is null and purged_at is null
    and expires_at > @now::timestamptz
    and (sqlc.narg(purpose)::text is null or purpose = sqlc.narg(purpose)::text)
    and (created_at, id) < (@before_created_at::timestamptz, @before_id::text)
order by created_at desc, id desc
limit @rows_max::int;

-- name: AttachUpload :one
-- Makes an upload the content of a file that still waits for one, and returns the
-- key of the upload that it replaces. Of several at once the last one counts.
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
-- Only the upload that was found valid completes a file: another may have come meanwhile.
update file set
    status = 'completed', items = sqlc.narg(items)::bigint, completed_at = @now::timestamptz, expires_at = @expires_at
where id = @id and team_id = @team_id and status = 'pending' and deleted_at is null and upload_key = @upload_key::text
    and expires_at > @now::timestamptz;

-- name: DeleteFile :one
-- Takes a file away. What uploads under way may still leave behind is purged when none
-- can be under way any more.
update file set
    deleted_at = @now::timestamptz,
    expires_at = greatest(@now::timestamptz, upload_until + make_interval(secs => @grace_seconds::float))
where id = @id and team_id = @team_id and deleted_at is null
returning upload_key;

-- name: ListFilesToPurge :many
-- Files whose time is over and whose content may still be there, oldest first.
select id from file
where purged_at is null and expires_at <= @now::timestamptz
order by expires_at
limit @rows_max::int;

-- name: MarkFilesPurged :exec
update file set status = 'expired', purged_at = @now::timestamptz
where id = any(@ids::text[]) and purged_at is null;

-- name: ForgetFiles :execrows
-- Removes the rows of files whose content has long been deleted.
delete from file
where id in (
    select f.id from file f
    where f.purged_at < @purged_before::timestamptz
    order by f.purged_at
    limit @rows_max::int
);

-- +goose Up

-- A scrape with max_age reads the newest content of its team that was fetched for the same URL with the same options, which
-- copy_sha256 is the hash of. It is null for content that is no copy to read: error pages, and copies themselves.
alter table scrape add column copy_sha256 bytea check (length(copy_sha256) = 32);
create index scrape_copy on scrape (team_id, copy_sha256, started_at) where copy_sha256 is not null;

-- +goose Down
drop index scrape_copy;
alter table scrape drop column copy_sha256;

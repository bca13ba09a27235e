-- +goose Up

-- What the whole installation does repeatedly, in one process at a time: whoever moves next_at runs it.
create table periodic (
    name    text primary key,
    next_at timestamptz not null
);

-- What is late is found by its own time.
create index batch_late on batch (deadline_at) where status = 'in_progress';
create index crawl_late on crawl (deadline_at) where status = 'in_progress';

-- The queue of earlier versions. Tasks that were in it are taken over when their leases expire, and the ends of batches and
-- crawls are found by the indexes above.
drop schema if exists river cascade;

-- +goose Down
create schema river;
drop index crawl_late;
drop index batch_late;
drop table periodic;

-- +goose Up

-- Where River keeps what is about to run; its own migrations make what is in it.
create schema if not exists river;

-- Who shares a queue fairly: a team's pages, the deliveries to one endpoint. A lane
-- has its turn when it has waited longest since the last one, and never more than
-- running_max tasks under way. The counters are of the tasks below, changed by the
-- statement that changes the task; whoever changes tasks locks their lanes first, in
-- the order of their names, and so no two ever wait for each other.
create table lane (
    queue       text not null,
    lane        text not null,
    team_id     text not null,
    waiting     int not null default 0 check (waiting >= 0), -- ready tasks, not the delayed ones
    running     int not null default 0 check (running >= 0), -- promoted ones
    running_max int not null check (running_max > 0),
    -- the highest rank that was promoted: no ready task of the lane is below it, so
    -- that looking for the next passes over what the index still has of earlier ones
    clock       bigint not null default 0,
    served_at   timestamptz not null default '-infinity',
    primary key (queue, lane)
) with (fillfactor = 50);

create index lane_ready on lane (queue, served_at) where waiting > 0 and running < running_max;

-- One item of work that is not finished. What is finished is deleted, so that the
-- table stays as small as the backlog. A task is ready, or delayed (not_before), or
-- promoted: whoever holds its token may finish it, until the lease is over.
create table task (
    group_id    text not null, -- the batch or crawl that it belongs to
    n           int not null,
    queue       text not null,
    lane        text not null,
    team_id     text not null,
    rank        bigint not null, -- its place in the lane
    attempt     int not null default 0 check (attempt >= 0), -- tries that have ended and count
    takeovers   int not null default 0 check (takeovers >= 0), -- workers that were lost with it
    not_before  timestamptz,
    stalled_at  timestamptz, -- since when it has been put off by tries that do not count
    token       uuid,
    lease_until timestamptz,
    created_at  timestamptz not null default now(),
    primary key (group_id, n),
    check ((token is null) = (lease_until is null)),
    check (token is null or not_before is null)
) with (fillfactor = 45); -- a promotion's new version of the row has its place beside the first

-- Ready tasks are at the lane's clock or above, promoted ones at it or below. Neither
-- index knows of tokens and leases: a promotion changes no index.
create index task_place on task (queue, lane, rank);
create index task_delayed on task (queue, not_before) where not_before is not null;

-- +goose Down
drop table task;
drop table lane;
drop schema river cascade;

-- +goose Up

-- Plans of monitors that a language model was asked for and no run has paid for yet. A team
-- may have so many in a day. What is older counts no more, and is deleted.
create table monitor_unpaid_plan (
    monitor_id text not null references monitor (id) on delete cascade,
    team_id    text not null references team (id),
    asked_at   timestamptz not null
);

create index monitor_unpaid_plan_of_monitor on monitor_unpaid_plan (monitor_id);
create index monitor_unpaid_plan_of_team on monitor_unpaid_plan (team_id, asked_at);

-- +goose Down
drop table monitor_unpaid_plan;

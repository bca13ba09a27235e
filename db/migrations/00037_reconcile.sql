-- +goose Up

-- When the books are next held against each other. The process that moves next_at on has
-- the turn; nobody else has it before then.
create table reconcile_turn (
    one     boolean primary key default true check (one),
    next_at timestamptz not null default now()
);
insert into reconcile_turn default values;

-- What each comparison has found when it was last made.
create table reconcile_check (
    name        text primary key,
    tried_at    timestamptz not null,
    ran_at      timestamptz, -- when it last ran to its end
    differences bigint not null default 0,
    failure     text not null default '' -- why it could not be made when it was last tried
);

-- +goose Down
drop table reconcile_check;
drop table reconcile_turn;

-- +goose Up

-- Pages that are fetched together. jti is the id of the hold or claim that paid for the
-- batch: unique, so that what one payment pays for is made once. A round is the creation
-- or a retry, each with a hold of its own; round_jti is what paid for the present one.
-- seq is the last place in the list of finished items that was given away, and changes
-- only under the row's lock: who commits first stands first, and no place is filled in later.
create table batch (
    id             text primary key check (id like 'batch\_%'),
    team_id        text not null references team (id),
    jti            text not null unique,
    request_sha256 bytea not null check (length(request_sha256) = 32),
    paid           text not null check (paid in ('credits', 'usdc')),
    unit_credits   bigint not null check (unit_credits >= 0), -- what a completed item costs
    claim_id       uuid, -- of a wallet: what is owed back where nothing could be fetched
    paid_usdc      bigint not null default 0 check (paid_usdc >= 0),
    options        json not null, -- how each page is fetched, as it was asked for
    metadata       jsonb not null default '{}',
    webhook        text,
    file_id        text,
    status         text not null default 'in_progress' check (status in ('in_progress', 'completed')),
    outcome        text check (outcome in ('succeeded', 'failed', 'canceled')),
    round          int not null default 0 check (round >= 0),
    round_jti      text not null,
    retried        int not null default 0 check (retried >= 0),
    seq            int not null default 0 check (seq >= 0),
    total          int not null check (total between 1 and 10000),
    open           int not null check (open >= 0),
    completed      int not null default 0 check (completed >= 0),
    failed         int not null default 0 check (failed >= 0),
    credits        bigint not null default 0 check (credits >= 0), -- captured, of all rounds
    created_at     timestamptz not null,
    deadline_at    timestamptz not null,
    completed_at   timestamptz,
    purged_at      timestamptz,
    check ((status = 'completed') = (outcome is not null)),
    check ((status = 'completed') = (completed_at is not null)),
    check (status = 'in_progress' or open = 0),
    check (open + completed + failed <= total),
    check ((paid = 'usdc') = (claim_id is not null)),
    check (paid = 'credits' or unit_credits = 0)
) with (fillfactor = 70);

create index batch_team on batch (team_id, created_at desc, id desc);
create index batch_expiry on batch (completed_at) where purged_at is null and status = 'completed';

-- One page of a batch. attempts counts the tries of all rounds, each of which may have
-- left content behind.
create table batch_item (
    batch_id     text not null references batch (id),
    n            int not null check (n >= 1),
    team_id      text not null,
    custom_id    text not null,
    url          text not null,
    metadata     jsonb,
    retrieve_id  text not null,
    state        text not null default 'open' check (state in ('open', 'completed', 'failed', 'canceled')),
    seq          int,
    attempts     int not null default 0 check (attempts >= 0),
    error_code   text,
    error_detail text,
    finished_at  timestamptz,
    primary key (batch_id, n),
    unique (batch_id, custom_id),
    check ((seq is not null) = (state in ('completed', 'failed'))),
    check ((state = 'failed') = (error_code is not null)),
    check ((state = 'open') = (finished_at is null))
) with (fillfactor = 70);

create unique index batch_item_done on batch_item (batch_id, seq) where seq is not null;

-- +goose Down
drop table batch_item;
drop table batch;

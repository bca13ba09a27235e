-- +goose Up

-- Money that was charged is kept beside the credits that were granted for it, in
-- its own unit, so that the ledger can be held against Stripe to the cent.
insert into ledger_account (kind, unit) values ('stripe_clearing', 'usd_cent'), ('revenue', 'usd_cent');

-- A team's customer at Stripe, and its saved card. Test and live customers are
-- different people to Stripe. Purchases of a team queue up on this row.
create table stripe_customer (
    team_id           text not null references team (id),
    livemode          boolean not null,
    customer_id       text not null unique,
    email             text not null default '',
    payment_method_id text,
    card_set_at       timestamptz,
    last_attempt_at   timestamptz,
    created_at        timestamptz not null,
    primary key (team_id, livemode)
);

-- One purchase of a pack, with one payment at Stripe. It holds everything that was
-- sent, since a request may only be repeated with the same parameters. saved_card:
-- charged without its owner. hosted: paid by its owner on a page of Stripe's.
create table topup (
    id                text primary key check (id like 'topup\_%'),
    team_id           text not null references team (id),
    kind              text not null check (kind in ('saved_card', 'hosted')),
    livemode          boolean not null,
    credits           bigint not null check (credits > 0),
    amount_cents      bigint not null check (amount_cents > 0),
    customer_id       text not null,
    payment_method_id text,
    receipt_email     text not null default '',
    idem_key          text,
    request_hash      bytea check (length(request_hash) = 32),
    state             text not null default 'pending' check (state in (
        'pending', 'unknown', 'processing', 'action_required', 'succeeded', 'failed', 'mismatch'
    )),
    payment_intent_id text unique,
    -- The id of the hosted purchase that may follow, chosen before Stripe is told of it.
    hosted_id         text unique,
    session_id        text unique,
    action_url        text not null default '',
    error_code        text not null default '',
    decline_code      text not null default '',
    error_message     text not null default '',
    refunded_cents    bigint not null default 0 check (refunded_cents >= 0),
    disputed_cents    bigint not null default 0 check (disputed_cents >= 0),
    version           bigint not null default 0,
    looks             int not null default 0,
    next_look_at      timestamptz,
    created_at        timestamptz not null,
    paid_at           timestamptz,
    updated_at        timestamptz not null default now(),
    check ((kind = 'saved_card') = (payment_method_id is not null and hosted_id is not null)),
    check ((kind = 'hosted') = (session_id is not null)),
    check (idem_key is null or request_hash is not null),
    check (state <> 'succeeded' or (payment_intent_id is not null and paid_at is not null))
) with (fillfactor = 70);

-- A team has one purchase at a time that may still be charged.
create unique index topup_open on topup (team_id, livemode)
    where state in ('pending', 'unknown', 'processing', 'action_required');
create unique index topup_idem on topup (team_id, idem_key) where idem_key is not null;
create index topup_due on topup (next_look_at)
    where state in ('pending', 'unknown', 'processing', 'action_required');
create index topup_team on topup (team_id, created_at);

-- Money that was taken and could not be credited: for a person to look into.
create table topup_mismatch (
    payment_intent_id text primary key,
    topup_id          text not null,
    amount_received   bigint not null,
    currency          text not null,
    customer_id       text not null,
    livemode          boolean not null,
    reason            text not null,
    created_at        timestamptz not null,
    resolved_at       timestamptz
);

-- Events of Stripe's that are done with.
create table stripe_event (
    id          text primary key,
    type        text not null,
    received_at timestamptz not null
);

create index stripe_event_received on stripe_event (received_at);

-- +goose Down
drop table stripe_event, topup_mismatch, topup, stripe_customer;
delete from ledger_account where unit = 'usd_cent' and kind in ('stripe_clearing', 'revenue');

-- +goose Up

-- A team owns everything. A wallet that pays by x402 is a team of kind wallet,
-- known by its network and address.
create table team (
    id         text primary key check (id like 'team\_%'),
    kind       text not null default 'subscriber' check (kind in ('subscriber', 'wallet')),
    name       text not null default '',
    network    text,
    address    text,
    created_at timestamptz not null default now(),
    check ((kind = 'wallet') = (network is not null and address is not null))
);

create unique index team_wallet on team (network, address) where kind = 'wallet';

-- Only a hash of a key is stored. The number is for hot tables, the text id for people.
create table api_key (
    id           bigint generated always as identity primary key,
    public_id    text not null unique check (public_id like 'key\_%'),
    team_id      text not null references team (id),
    account_id   bigint not null,
    name         text not null default '',
    hash         bytea not null unique check (length(hash) = 32),
    display      text not null,
    scopes       text[] not null default '{read,write}',
    created_at   timestamptz not null default now(),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);

create index api_key_team on api_key (team_id);

-- Only customer accounts keep a balance: revenue, promo and clearing accounts
-- would be one hot row for the whole service, so they are sums of their transfers.
create table ledger_account (
    id         bigint generated always as identity primary key,
    team_id    text references team (id),
    kind       text not null check (kind in ('customer', 'revenue', 'promo', 'stripe_clearing', 'x402_clearing')),
    unit       text not null check (unit in ('credit', 'usdc6', 'usd_cent')),
    balance    bigint not null default 0,
    held       bigint not null default 0,
    owed       bigint not null default 0,
    version    bigint not null default 0,
    created_at timestamptz not null default now(),
    check ((kind = 'customer') = (team_id is not null)),
    check (balance >= 0 and held >= 0 and held <= balance and owed >= 0),
    check (kind = 'customer' or (balance = 0 and held = 0 and owed = 0))
) with (fillfactor = 50);

create unique index ledger_account_customer on ledger_account (team_id, unit) where kind = 'customer';
create unique index ledger_account_house on ledger_account (kind, unit) where kind <> 'customer';

alter table api_key add foreign key (account_id) references ledger_account (id);

insert into ledger_account (kind, unit)
values ('revenue', 'credit'), ('promo', 'credit'), ('stripe_clearing', 'credit'),
       ('revenue', 'usdc6'), ('x402_clearing', 'usdc6');

-- One row is one movement: it debits one account and credits another, so an
-- unbalanced entry cannot be written. n is the number of requests that an
-- aggregated usage row stands for. There are no foreign keys here or on hold:
-- their share locks on the account row would serialise the meter's batches, and
-- the statements that write these rows join the account anyway.
create table ledger_transfer (
    id             bigint generated always as identity primary key,
    debit_account  bigint not null,
    credit_account bigint not null check (credit_account <> debit_account),
    amount         bigint not null check (amount > 0),
    unit           text not null,
    kind           text not null check (kind in ('grant', 'topup', 'usage', 'reversal', 'x402')),
    idem_key       text,
    hold_id        uuid,
    key_id         bigint,
    operation      text,
    n              int not null default 1 check (n > 0),
    reverses       bigint,
    note           text,
    created_at     timestamptz not null default now()
);

create unique index ledger_transfer_idem on ledger_transfer (kind, idem_key) where idem_key is not null;
create unique index ledger_transfer_reverses on ledger_transfer (reverses) where reverses is not null;
create index ledger_transfer_debit on ledger_transfer (debit_account, created_at);
create index ledger_transfer_money_in on ledger_transfer (credit_account, created_at) where kind <> 'usage';

-- +goose StatementBegin
create function ledger_transfer_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'ledger_transfer is append-only: mend a mistake with a reversing transfer';
end
$$;
-- +goose StatementEnd

create trigger ledger_transfer_append_only before update or delete on ledger_transfer
    for each row execute function ledger_transfer_is_append_only();
create trigger ledger_transfer_no_truncate before truncate on ledger_transfer
    for each statement execute function ledger_transfer_is_append_only();

-- An edge that meters. Its heartbeat tells the sweeper whose open holds are orphans.
create table edge (
    id           uuid primary key,
    started_at   timestamptz not null default now(),
    heartbeat_at timestamptz not null default now()
);

-- An authorisation of one request or job. Open, it counts in its account's held.
create table hold (
    id         uuid primary key,
    account_id bigint not null,
    key_id     bigint,
    edge_id    uuid,
    job_id     text,
    operation  text not null,
    amount     bigint not null check (amount >= 0),
    captured   bigint not null default 0 check (captured >= 0 and captured <= amount),
    state      text not null default 'open' check (state in ('open', 'captured', 'voided', 'expired')),
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    closed_at  timestamptz
) with (fillfactor = 70);

create unique index hold_job on hold (job_id) where job_id is not null;
create index hold_open on hold (edge_id, created_at) where state = 'open';

-- +goose Down
drop table hold, edge, ledger_transfer cascade;
drop function ledger_transfer_is_append_only();
alter table api_key drop constraint api_key_account_id_fkey;
drop table ledger_account, api_key, team;

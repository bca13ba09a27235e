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

-- Keys that have an end: few, so that the meter looks for them among a batch's
-- keys in one probe, instead of reading each key's row.
create index api_key_ending on api_key (id) where revoked_at is not null or expires_at is not null;

-- Only customer accounts keep a balance: revenue, promo and clearing accounts
-- would be one hot row for the whole service, so they are sums of their transfers.
create table ledger_account (
    id         bigint generated always as identity primary key,
    team_id    text references team (id),
    kind       text not null,
    unit       text not null,
    balance    bigint not null default 0,
    held       bigint not null default 0,
    owed       bigint not null default 0,
    version    bigint not null default 0,
    taken      bigint not null default 0, -- by the meter's last batch: what its update can return of a decision
    created_at timestamptz not null default now(),
    -- What is owed is paid from whatever is free, before anything else. A house account
    -- keeps no balance. This is one check, and a short one, since Postgres reads a
    -- table's checks anew in each statement that updates it: each of the meter's.
    constraint ledger_account_money check (
        held >= 0 and held <= balance and owed >= 0 and (owed = 0 or balance = held) and (team_id is not null or balance + owed = 0)
    )
) with (fillfactor = 50);

-- Whose an account is, its kind and its unit are checked when it is made, and never change.
-- +goose StatementBegin
create function ledger_account_is_valid() returns trigger language plpgsql as $$
begin
    if new.kind not in ('customer', 'revenue', 'promo', 'stripe_clearing', 'x402_clearing') then
        raise exception 'ledger_account: there is no kind %', new.kind using errcode = 'check_violation';
    elsif new.unit not in ('credit', 'usdc6', 'usd_cent') then
        raise exception 'ledger_account: there is no unit %', new.unit using errcode = 'check_violation';
    elsif (new.kind = 'customer') <> (new.team_id is not null) then
        raise exception 'ledger_account: a customer''s account has a team, and no other has one' using errcode = 'check_violation';
    end if;
    return new;
end $$;
-- +goose StatementEnd

create trigger ledger_account_valid before insert on ledger_account
for each row execute function ledger_account_is_valid();

-- +goose StatementBegin
create function ledger_account_is_fixed() returns trigger language plpgsql as $$
begin
    raise exception 'ledger_account: whose an account is, its kind and its unit never change' using errcode = 'restrict_violation';
end $$;
-- +goose StatementEnd

create trigger ledger_account_fixed before update of id, team_id, kind, unit on ledger_account
for each statement execute function ledger_account_is_fixed();

-- Nearly all updates are of columns that no index has, and pages are pruned as they
-- are written: a vacuum finds nothing to do on it but to read it.
alter table ledger_account set (autovacuum_vacuum_scale_factor = 5, autovacuum_analyze_scale_factor = 5);

create unique index ledger_account_customer on ledger_account (team_id, unit) where kind = 'customer';
create unique index ledger_account_house on ledger_account (kind, unit) where kind <> 'customer';

alter table api_key add foreign key (account_id) references ledger_account (id);

insert into ledger_account (kind, unit)
values ('revenue', 'credit'), ('promo', 'credit'), ('stripe_clearing', 'credit'),
       ('revenue', 'usdc6'), ('x402_clearing', 'usdc6');

-- Money into accounts and out of them again: grants, top-ups, refunds, disputes,
-- reversals. One row is one movement: it debits one account and credits another,
-- so an unbalanced entry cannot be written. The table stays whole, so that an
-- idempotency key is unique for ever. There are no foreign keys here, on usage or
-- on holds: their share locks on the account row would serialise the meter's
-- batches, and the statements that write these rows meet the account anyway.
create table ledger_transfer (
    id             bigint generated always as identity primary key,
    debit_account  bigint not null,
    credit_account bigint not null check (credit_account <> debit_account),
    amount         bigint not null check (amount > 0),
    unit           text not null,
    kind           text not null check (kind in ('grant', 'topup', 'refund', 'dispute', 'dispute_won', 'reversal', 'x402')),
    idem_key       text not null,
    operation      text,
    reverses       bigint,
    note           text,
    created_at     timestamptz not null default now()
);

create unique index ledger_transfer_idem on ledger_transfer (kind, idem_key);
create unique index ledger_transfer_reverses on ledger_transfer (reverses) where reverses is not null;
create index ledger_transfer_debit on ledger_transfer (debit_account, created_at);
create index ledger_transfer_credit on ledger_transfer (credit_account, created_at);

-- What was used: movements from customers to revenue, in partitions by month. A
-- row may stand for n requests of one key and operation. The id is unique because
-- nothing but the sequence makes it: an index to say so would be the dearest
-- part of a row.
create table ledger_usage (
    id             bigint generated always as identity (cache 64),
    debit_account  bigint not null,
    credit_account bigint not null,
    amount         bigint not null,
    key_id         bigint,
    n              int not null default 1,
    operation      text not null,
    hold_id        uuid,
    created_at     timestamptz not null default now(),
    check (amount > 0 and n > 0 and credit_account <> debit_account)
) partition by range (created_at);

create index ledger_usage_debit on ledger_usage (debit_account, created_at);

-- Takes what no month takes, so that metering never stops for want of a partition.
create table ledger_usage_default partition of ledger_usage default;

-- +goose StatementBegin
create function ledger_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only: mend a mistake with a reversing transfer', tg_table_name
        using errcode = 'restrict_violation';
end
$$;
-- +goose StatementEnd

create trigger ledger_transfer_append_only before update or delete on ledger_transfer
    for each row execute function ledger_is_append_only();
create trigger ledger_transfer_no_truncate before truncate on ledger_transfer
    for each statement execute function ledger_is_append_only();
create trigger ledger_usage_append_only before update or delete on ledger_usage
    for each row execute function ledger_is_append_only();
create trigger ledger_usage_no_truncate before truncate on ledger_usage
    for each statement execute function ledger_is_append_only();
create trigger ledger_usage_no_truncate before truncate on ledger_usage_default
    for each statement execute function ledger_is_append_only();

-- Units never mix. Usage is in credits alone, and too hot to look up accounts for.
-- +goose StatementBegin
create function ledger_has_one_unit() returns trigger language plpgsql as $$
begin
    if (select count(*) from ledger_account a where a.id in (new.debit_account, new.credit_account) and a.unit = new.unit) <> 2 then
        raise exception 'a transfer in % wants two accounts in it', new.unit using errcode = 'check_violation';
    end if;
    return new;
end
$$;
-- +goose StatementEnd

create trigger ledger_transfer_one_unit before insert on ledger_transfer
    for each row execute function ledger_has_one_unit();

-- The triggers stop everybody; besides, nobody has the right, not even the owner.
-- A role for the programs needs select and insert on these.
revoke update, delete, truncate on ledger_transfer, ledger_usage, ledger_usage_default from public, current_user;

-- Makes the partition of the month that lies months_ahead of now, if it is not
-- there. It is made beside the table and then attached, since that locks out
-- nobody who reads or writes.
-- +goose StatementBegin
create function ledger_usage_ensure_month(months_ahead int) returns void language plpgsql as $$
declare
    first timestamptz := date_trunc('month', now() at time zone 'utc') at time zone 'utc';
    lower_end timestamptz := (first at time zone 'utc' + make_interval(months => months_ahead)) at time zone 'utc';
    upper_end timestamptz := (first at time zone 'utc' + make_interval(months => months_ahead + 1)) at time zone 'utc';
    part text := 'ledger_usage_' || to_char(lower_end at time zone 'utc', 'YYYY_MM');
begin
    if to_regclass(part) is not null then
        return;
    end if;
    -- One maker at a time; the second finds it made. It is a table's lock since
    -- taking one has the session hear of tables that others have made, which an
    -- advisory lock does not; and a quiet table's, on which the owner still has the
    -- right that it takes.
    lock table team in share update exclusive mode;
    if to_regclass(part) is not null then
        return;
    end if;
    execute format('create table %I (like ledger_usage including defaults including constraints)', part);
    execute format('create trigger ledger_usage_no_truncate before truncate on %I for each statement execute function ledger_is_append_only()', part);
    execute format('revoke update, delete, truncate on %I from public, current_user', part);
    execute format('alter table ledger_usage attach partition %I for values from (%L) to (%L)', part, lower_end, upper_end);
end
$$;
-- +goose StatementEnd

select ledger_usage_ensure_month(0), ledger_usage_ensure_month(1), ledger_usage_ensure_month(2);

-- All movements, as they are summed.
create view ledger_entry as
select t.debit_account, t.credit_account, t.amount, t.unit, t.kind, t.created_at from ledger_transfer t
union all
select u.debit_account, u.credit_account, u.amount, 'credit', 'usage', u.created_at from ledger_usage u;

-- An edge that meters. Its heartbeat tells the sweeper whose open holds are orphans.
create table edge (
    id           uuid primary key,
    started_at   timestamptz not null default now(),
    heartbeat_at timestamptz not null default now()
);

-- What one commit of an edge's meter accepted: a hold for each slot, from slot 0.
-- A hold's id is the batch's, whose last 16 bits are 0, with the slot in them. A
-- slot whose bit is not set in ended is open and counts in its account's held;
-- slots of requests that were not accepted, and those past the last, are ended
-- from the start. captured marks those that were charged for. The bit strings are
-- of one length so that they can be combined. One row for some hundred requests
-- is what makes a durable hold cheap; the arrays are written once, and lie out of
-- the way where they are long.
create table meter_batch (
    id             uuid primary key,
    edge_id        uuid not null,
    account_ids    bigint[] not null,
    key_ids        bigint[] not null,
    amounts        bigint[] not null,
    operations     text[] not null,     -- the distinct ones
    operation_nums smallint[] not null, -- by slot, a position in operations, from 1
    ended          bit(1024) not null,
    captured       bit(1024) not null default repeat('0', 1024)::bit(1024),
    done           boolean not null default false,
    created_at     timestamptz not null default now()
) with (fillfactor = 70);

-- Compressing what is a few kilobytes costs more than writing it.
alter table meter_batch alter column account_ids set storage external;
alter table meter_batch alter column key_ids set storage external;
alter table meter_batch alter column amounts set storage external;
alter table meter_batch alter column operation_nums set storage external;

create index meter_batch_open on meter_batch (edge_id, created_at) where not done;

-- The hold of a job, adopted from a request's or opened for scheduled work. Open,
-- its amount counts in its account's held; captures add up here, and the account
-- settles when it closes.
create table hold (
    id         uuid primary key,
    account_id bigint not null,
    key_id     bigint,
    job_id     text not null unique,
    operation  text not null,
    amount     bigint not null check (amount >= 0),
    captured   bigint not null default 0 check (captured >= 0 and captured <= amount),
    captures   int not null default 0,
    state      text not null default 'open' check (state in ('open', 'closed', 'expired')),
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    closed_at  timestamptz,
    check ((state = 'open') = (closed_at is null))
) with (fillfactor = 70);

create index hold_open on hold (expires_at) where state = 'open';

-- +goose Down
drop view ledger_entry;
drop table hold, meter_batch, edge, ledger_usage, ledger_transfer cascade;
drop function ledger_usage_ensure_month;
drop function ledger_is_append_only;
drop function ledger_has_one_unit;
alter table api_key drop constraint api_key_account_id_fkey;
drop table ledger_account, api_key, team;
drop function ledger_account_is_valid, ledger_account_is_fixed;

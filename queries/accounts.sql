-- name: CreateTeam :one
-- Creates a team and its account in one step, so that neither exists without the other.
with t as (
    insert into team (id, name, email) values (@id, @name, sqlc.narg('email')) returning id
)

insert into ledger_account (team_id, kind, unit)
select t.id, 'customer', 'credit' from t
returning id;

-- name: Team :one
select id, kind, name, email, created_at from team where id = $1;

-- name: ListTeams :many
select
    t.id, t.kind, t.name, t.email, t.created_at,
    (coalesce(a.available, 0) + coalesce(h.held, 0))::bigint as balance, coalesce(h.held, 0)::bigint as held
from team t
left join ledger_account a on a.team_id = t.id and a.unit = 'credit'
left join (
    select o.account_id, sum(o.amount) as held from ledger_open_hold o group by o.account_id
) h on h.account_id = a.id
where t.kind = 'subscriber'
order by t.created_at, t.id;

-- name: EnsureWallet :one
-- The team of a wallet, created when the wallet first pays.
insert into team (id, kind, network, address) values (@id, 'wallet', @network, @address)
on conflict (network, address) where kind = 'wallet' do update set network = excluded.network
returning id;

-- name: WalletTeam :one
-- Run before EnsureWallet, so that only a wallet's first payment writes anything.
select id from team where kind = 'wallet' and network = @network::text and address = @address::text;

-- name: UnspentCredits :many
-- The newest purchases and grants that together make up the balance, since the oldest credits are spent first.
select t.id, t.kind, t.amount, least(t.amount, sqlc.arg(balance)::bigint - t.newer)::bigint as remaining
from (
    select
        lt.id, lt.kind, lt.amount, lt.credit_account,
        (sum(lt.amount) over (order by lt.id desc) - lt.amount)::bigint as newer
    from ledger_transfer lt
    where lt.credit_account = @account_id and lt.kind in ('grant', 'topup')
) t
where t.newer < sqlc.arg(balance)::bigint
order by t.id;

-- name: UsageBy :many
-- What a team's requests cost between two times, by UTC day, operation or key. Work without a key has no key_id.
with account as materialized (
    select a.id from ledger_account a where a.team_id = @team_id::text and a.kind = 'customer' and a.unit = 'credit'
),

used as (
    select
        case @group_by::text
            when 'day' then (u.created_at at time zone 'utc')::date::text
            when 'endpoint' then u.operation
            else u.key_id::text
        end as label,
        sum(u.amount)::bigint as credits, sum(u.n)::bigint as requests
    from account
    cross join lateral (
        select lu.amount, lu.n, lu.operation, lu.key_id, lu.created_at
        from ledger_used lu
        where lu.debit_account = account.id and account.id = any(lu.accounts)
            and lu.created_at >= @from_time and lu.created_at < @to_time
    ) u
    group by 1
)

select coalesce(used.label, '')::text as label, used.credits, used.requests, k.public_id as key_id, k.name as key_name
from used
left join api_key k on k.id = case when @group_by::text = 'key' then used.label::bigint end
order by case when @group_by::text = 'day' then used.label end, used.credits desc, used.label;

-- name: CreateTeam :one
-- A team with its account in one step: there is never one without the other.
with t as (
    insert into team (id, name, email) values (@id, @name, sqlc.narg('email')) returning id
)

insert into ledger_account (team_id, kind, unit)
select t.id, 'customer', 'credit' from t
returning id;

-- name: Team :one
select id, kind, name, email, created_at from team where id = $1;

-- name: ListTeams :many
select t.id, t.kind, t.name, t.email, t.created_at, coalesce(a.balance, 0)::bigint as balance, coalesce(a.held, 0)::bigint as held
from team t
left join ledger_account a on a.team_id = t.id and a.unit = 'credit'
where t.kind = 'subscriber'
order by t.created_at, t.id;

-- name: EnsureWallet :one
-- The team of a wallet, made when the wallet first pays.
insert into team (id, kind, network, address) values (@id, 'wallet', @network, @address)
on conflict (network, address) where kind = 'wallet' do update set network = excluded.network
returning id;

-- name: WalletTeam :one
-- Read before EnsureWallet: all but a wallet's first payment write nothing.
select id from team where kind = 'wallet' and network = @network::text and address = @address::text;

-- name: CreditBalance :one
select id, balance, held, owed from ledger_account
where team_id = @team_id::text and kind = 'customer' and unit = 'credit';

-- name: UnspentCredits :many
-- The newest purchases and grants that together make up what is left: the oldest
-- credits are spent first.
select t.id, t.kind, t.amount, least(t.amount, a.balance - t.newer)::bigint as remaining
from (
    select
        lt.id, lt.kind, lt.amount, lt.credit_account,
        (sum(lt.amount) over (order by lt.id desc) - lt.amount)::bigint as newer
    from ledger_transfer lt
    where lt.credit_account = @account_id and lt.kind in ('grant', 'topup')
) t
join ledger_account a on a.id = t.credit_account
where t.newer < a.balance
order by t.id;

-- +goose Up

-- What the settlement of a claim may cost in gas, in 10⁻⁹ of the network's coin, at the most as it was offered when the
-- payment was claimed. The day's budget holds it while the claim is open.
alter table x402_claim add column gas bigint not null default 0;

-- What mined transactions of our signers have cost on a network within a day (UTC), in 10⁻⁹ of the network's coin.
create table x402_gas (
    network text not null,
    day     date not null,
    spent   bigint not null check (spent >= 0),
    primary key (network, day)
);

-- x402_gas_held is what today's settlements on a network have cost, and what those of open claims may. As long as a
-- thousand claims more would fit into the budget, claims do not wait for one another. Near its end each waits for those
-- before it, and counts them.
-- +goose StatementBegin
create function x402_gas_held(of_network text, cost bigint, budget bigint) returns bigint language plpgsql as $$
declare
    held bigint;
begin
    for try in 1..2 loop
        held := coalesce((select g.spent from x402_gas g where g.network = of_network and g.day = (now() at time zone 'utc')::date), 0)
            + coalesce((
                select sum(c.gas) from x402_claim c
                where c.network = of_network and c.state in ('claimed', 'served', 'settling', 'unknown')
            ), 0);
        exit when try = 2 or cost <= (budget - held) / 1000;
        perform pg_advisory_xact_lock(hashtextextended(of_network, 403));
    end loop;
    return held;
end
$$;
-- +goose StatementEnd

-- +goose Down
drop function x402_gas_held;
drop table x402_gas;
alter table x402_claim drop column gas;

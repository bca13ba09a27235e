-- For tests with claims (dev/claimstest).

-- name: AddTestInstance :exec
insert into edge (id) values (@id);

-- name: SetTestSettles :exec
update edge set settles = @settles::text[] where id = @id;

-- name: AddTestGas :exec
-- Adds to what transactions on a network cost some days ago.
insert into x402_gas as g (network, day, spent)
values (@network, (now() at time zone 'utc')::date - @days_ago::int, @cost)
on conflict (network, day) do update set spent = g.spent + excluded.spent;

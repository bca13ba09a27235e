-- +goose Up

-- x402_unpaid_tries is how many payments of a payer of the last hour are not settled: those that are open, and those
-- whose settlement has failed. It locks the payer as x402_in_flight does, so that of several claims each counts those
-- before it.
-- +goose StatementBegin
create function x402_unpaid_tries(of_network text, of_asset text, of_payer text) returns bigint language plpgsql as $$
declare
    tries bigint;
begin
    perform pg_advisory_xact_lock(hashtextextended(of_network || '/' || of_asset || '/' || of_payer, 402));
    select count(*) into tries
    from x402_claim c
    where c.payer = of_payer and c.created_at > now() - interval '1 hour' and c.network = of_network and c.asset = of_asset
        and c.state in ('claimed', 'served', 'settling', 'unknown', 'failed');
    return tries;
end
$$;
-- +goose StatementEnd

-- +goose Down
drop function x402_unpaid_tries;

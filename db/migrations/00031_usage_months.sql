-- +goose Up

-- Makes the partition of the month that lies months_ahead of now, if it is not
-- there. It is made beside the table and then attached, since that locks out
-- nobody who reads or writes. Where usage of the month lies in ledger_usage_default already, since nobody made the month in
-- time, it is not made: rows are never moved, and that table goes on taking them.
-- +goose StatementBegin
create or replace function ledger_usage_ensure_month(months_ahead int) returns void language plpgsql as $$
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
exception
    when check_violation then
        raise notice 'usage of % lies in ledger_usage_default, and goes on doing so', part;
end
$$;
-- +goose StatementEnd

-- +goose Down

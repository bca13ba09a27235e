-- +goose Up

-- What a transaction changes of an account is done as it commits. Where somebody else keeps the account locked, it waits no
-- longer than this (55P03): each that waits has a session of the database, and a pooler gives all processes a few.
alter function ledger_pending_apply() set lock_timeout = '1s';

-- +goose Down
alter function ledger_pending_apply() reset lock_timeout;

-- name: SessionSettings :one
-- The role and timeouts of this session, and whether its commits are durable.
select
    current_user::text as role, current_setting('statement_timeout')::text as statement_timeout,
    current_setting('idle_in_transaction_session_timeout')::text as idle_timeout, current_setting('synchronous_commit')::text as synchronous_commit;

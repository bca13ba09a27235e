-- +goose Up

-- +goose StatementBegin
create function topup_mismatch_is_kept() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only: what was found and decided stays written', tg_table_name
        using errcode = 'restrict_violation';
end
$$;
-- +goose StatementEnd

-- What a person has decided about money that could not be credited: once, and for
-- ever to be read. That there is no row is what makes a mismatch wait.
create table topup_mismatch_resolution (
    payment_intent_id text primary key references topup_mismatch (payment_intent_id),
    note              text not null check (length(btrim(note)) > 0),
    resolved_by       text not null check (length(btrim(resolved_by)) > 0),
    database_role     text not null default session_user, -- nobody can say another
    resolved_at       timestamptz not null
);

insert into topup_mismatch_resolution (payment_intent_id, note, resolved_by, resolved_at)
select payment_intent_id, 'resolved before notes were kept', 'unknown', resolved_at
from topup_mismatch where resolved_at is not null;

alter table topup_mismatch drop column resolved_at;

create trigger topup_mismatch_append_only before update or delete on topup_mismatch
    for each row execute function topup_mismatch_is_kept();
create trigger topup_mismatch_no_truncate before truncate on topup_mismatch
    for each statement execute function topup_mismatch_is_kept();
create trigger topup_mismatch_resolution_append_only before update or delete on topup_mismatch_resolution
    for each row execute function topup_mismatch_is_kept();
create trigger topup_mismatch_resolution_no_truncate before truncate on topup_mismatch_resolution
    for each statement execute function topup_mismatch_is_kept();

-- Not on topup_mismatch: checking the reference takes a lock that needs the right.
revoke update, delete, truncate on topup_mismatch_resolution from public, current_user;

-- +goose Down
alter table topup_mismatch add column resolved_at timestamptz;
drop trigger topup_mismatch_append_only on topup_mismatch;
drop trigger topup_mismatch_no_truncate on topup_mismatch;
update topup_mismatch m set resolved_at = r.resolved_at
from topup_mismatch_resolution r where r.payment_intent_id = m.payment_intent_id;
drop table topup_mismatch_resolution;
drop function topup_mismatch_is_kept;

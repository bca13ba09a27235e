-- +goose Up

-- Where receipts go.
alter table team add column email text check (length(email) between 3 and 254 and email like '_%@%_');

-- A key that a rotation made names the key that it replaces; a key is replaced once.
alter table api_key add column rotated_from bigint references api_key (id);
alter table api_key set (fillfactor = 80); -- last_used_at is written often, to no index
alter table api_key add check (cardinality(scopes) > 0 and scopes <@ '{read,write,billing}'::text[]);
alter table api_key add check (length(name) <= 100);
create unique index api_key_rotated_from on api_key (rotated_from) where rotated_from is not null;

-- +goose Down
drop index api_key_rotated_from;
alter table api_key drop constraint api_key_name_check, drop constraint api_key_scopes_check, drop column rotated_from;
alter table api_key reset (fillfactor);
alter table team drop column email;

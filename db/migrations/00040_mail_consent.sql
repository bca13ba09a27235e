-- +goose Up

-- Whether an address, in lower case, wants mail of a team. One without a row was never asked,
-- and gets none: the addresses that got mail before this migration are asked when there is
-- something to tell them. Those that had unsubscribed stay so.
create table mail_consent (
    team_id     text not null references team (id),
    address     text not null check (address = lower(address)),
    status      text not null check (status in ('pending', 'confirmed', 'unsubscribed')),
    asked_at    timestamptz not null, -- is in the one link that confirms
    answered_at timestamptz,
    primary key (team_id, address),
    check ((status = 'pending') = (answered_at is null))
);

insert into mail_consent (team_id, address, status, asked_at, answered_at)
select r.team_id, r.address, 'unsubscribed', max(r.created_at), max(r.created_at)
from notification_refusal r
group by r.team_id, r.address;

drop table notification_refusal;

-- Why an event is in no message: the address has not confirmed, or has unsubscribed.
alter table notification_delivery add column withheld text check (withheld in ('unconfirmed', 'unsubscribed'));
update notification_delivery set withheld = 'unsubscribed' where unsubscribed;
alter table notification_delivery drop column unsubscribed;

-- A message of the channel confirmation asks its address.
alter table notification_message drop constraint notification_message_channel_check;
alter table notification_message add constraint notification_message_channel_check
check (channel in ('email', 'slack', 'confirmation'));

-- +goose Down

-- Who has unsubscribed wants no mail of all that the team has told of.
create table notification_refusal (
    team_id    text not null references team (id),
    subject    text not null,
    address    text not null check (address = lower(address)),
    created_at timestamptz not null,
    primary key (team_id, subject, address)
);

insert into notification_refusal (team_id, subject, address, created_at)
select distinct c.team_id, d.subject, c.address, c.answered_at
from mail_consent c
join notification_delivery d on d.team_id = c.team_id and lower(d.target) = c.address
where c.status = 'unsubscribed';

drop table mail_consent;

delete from notification_message where channel = 'confirmation';
alter table notification_message drop constraint notification_message_channel_check;
alter table notification_message add constraint notification_message_channel_check check (channel in ('email', 'slack'));

alter table notification_delivery add column unsubscribed boolean not null default false;
update notification_delivery set unsubscribed = true where withheld is not null;
alter table notification_delivery drop column withheld;

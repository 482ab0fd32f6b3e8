-- Requests for help. A case comes before a beneficiary: it becomes one when the team agrees to help.
create table help_case (
  number         text primary key check (number ~ '^[0-9A-HJKMNP-TV-Z]{4,6}$'),
  kind           text not null check (kind <> ''),
  -- Who needs the help: the person who asks, a relative, somebody else.
  for_whom       text not null check (for_whom <> ''),
  district       text not null check (district <> ''),
  state          text not null check (state <> ''),
  language       text not null check (language <> ''),
  asked_paise    bigint check (asked_paise > 0),
  needed_by      date,
  -- Words, name, phone, mail address, and the words of a refusal, sealed with 'help_case:' || number. Empty once they are deleted.
  sealed         bytea,
  -- A keyed hash of the phone number, by which the desk sees that somebody asked before.
  phone_mac      bytea,
  stage          text not null default 'new' check (stage <> ''),
  -- Set at a check.
  urgency        text check (urgency <> ''),
  agreed_paise   bigint check (agreed_paise > 0),
  -- Why it was refused.
  reason         text check (reason <> ''),
  assigned_to    bigint references member (id),
  beneficiary_id uuid references beneficiary (id),
  -- The payment that was asked for last.
  outlay_id      uuid unique references outlay (id),
  version        int not null default 1,
  asked_at       timestamptz not null default roz_now(),
  stage_at       timestamptz not null default roz_now(),
  -- The newest act of the team.
  touched_at     timestamptz not null default roz_now(),
  check ((sealed is null) = (phone_mac is null)),
  check (stage not in ('agreed', 'waiting', 'helped', 'followed_up') or beneficiary_id is not null),
  check ((beneficiary_id is null) = (agreed_paise is null)),
  check ((stage = 'refused') = (reason is not null))
);
create index help_case_by_phone on help_case (phone_mac) where phone_mac is not null;
create index help_case_open on help_case (touched_at) where stage in ('new', 'called', 'checked', 'agreed', 'waiting');
create index help_case_kept on help_case (stage_at) where sealed is not null;
create index help_case_sealed_with on help_case (sealing_key_of(sealed));
create index help_case_beneficiary on help_case (beneficiary_id) where beneficiary_id is not null;
create index help_case_assigned on help_case (assigned_to) where assigned_to is not null;
select app_may('select, insert, update', 'help_case');

-- What was done, by whom, when and how. Only the note is ever emptied.
create table help_case_step (
  id          uuid primary key,
  number      text not null references help_case (number),
  step        text not null check (step <> ''),
  how         text check (how <> ''),
  -- For the team alone, sealed with 'help_case_step:' || id.
  sealed_note bytea,
  done_by     bigint not null references member (id),
  at          timestamptz not null default roz_now()
);
create index help_case_step_of on help_case_step (number, at);
create index help_case_step_by on help_case_step (done_by);
create index help_case_step_sealed_with on help_case_step (sealing_key_of(sealed_note));
select app_may('select, insert, update', 'help_case_step');

create function help_case_step_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or new.sealed_note is not null and old.sealed_note is null
     or (new.id, new.number, new.step, new.how, new.done_by, new.at) is distinct from (old.id, old.number, old.step, old.how, old.done_by, old.at) then
    raise exception 'step %: this is no way to go', old.id using errcode = 'RZ003', constraint = 'help_case_step_moves';
  end if;
  return new;
end $$;
create trigger help_case_step_moves before update or delete on help_case_step for each row execute function help_case_step_moves();

-- Members, their sessions and single-use links, throttles, and the audit log.
-- Invariants: one living account per mail address, in any case; tokens are stored as hashes only;
-- the audit log is append-only; every time is roz_now().

create table member (
  id                    bigint generated always as identity (start with 1001) primary key,
  -- The id outside: unguessable, without an order.
  public_id             uuid not null default gen_random_uuid() unique,
  name                  text not null,
  -- As it was given; compared by lower(). Null once the identity is erased.
  email                 text check (length(email) between 3 and 254),
  phone                 text check (phone ~ '^[6-9][0-9]{9}$'),
  -- Path of the picture below the server, or null.
  avatar                text,
  language              text not null default 'en' check (language in ('en', 'hi')),
  public_name           text not null default 'initial' check (public_name in ('initial', 'anonymous')),
  role                  text not null default 'member' check (role in ('member', 'admin')),
  staff_role            text check (staff_role in ('owner', 'finance', 'editor', 'support', 'auditor')),
  -- Argon2id in PHC form; null for an account that only knows Google.
  password_hash         text,
  google_sub            text unique,
  email_verified_at     timestamptz,
  -- When the verification mail was last sent again; null before the first time.
  verification_resent_at timestamptz,
  terms_version         text,
  terms_accepted_at     timestamptz,
  -- Scheme and host of the member's last sign-in: where links in mails without a request lead.
  link_origin           text,
  suspended_at          timestamptz,
  deleted_at            timestamptz,
  created_at            timestamptz not null default roz_now(),
  check ((role = 'admin') = (staff_role is not null)),
  check (email is not null or deleted_at is not null),
  check ((terms_version is null) = (terms_accepted_at is null))
);
create unique index member_email on member (lower(email));
create index member_newest on member (created_at desc, id desc);

select app_may('select, insert, update', 'member');

create table session (
  -- SHA-256 of the opaque token.
  token_hash   bytea primary key check (octet_length(token_hash) = 32),
  member_id    bigint not null references member (id),
  kind         text not null check (kind in ('member', 'admin')),
  created_at   timestamptz not null default roz_now(),
  last_used_at timestamptz not null default roz_now(),
  -- Slides with use: 30 days for a member, 15 minutes for an admin, who also meets last_at.
  expires_at   timestamptz not null,
  last_at      timestamptz,
  check ((kind = 'admin') = (last_at is not null))
);
create index session_of_member on session (member_id);
create index session_ended on session (expires_at);

select app_may('select, insert, update, delete', 'session');

-- Links sent by mail. The token is derived from the row's id by a key that is not in the database.
create table mail_token (
  id         uuid primary key,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  member_id  bigint not null references member (id),
  purpose    text not null check (purpose in ('verify', 'reset')),
  created_at timestamptz not null default roz_now(),
  expires_at timestamptz not null,
  used_at    timestamptz
);
create index mail_token_of_member on mail_token (member_id, purpose);
create index mail_token_ended on mail_token (expires_at);

select app_may('select, insert, update, delete', 'mail_token');

-- Known browsers, by a digest of address block and user agent. Each has its own limit, so nobody can
-- lock another out.
create table known_browser (
  member_id bigint not null references member (id),
  digest    bytea not null check (octet_length(digest) = 32),
  seen_at   timestamptz not null default roz_now(),
  primary key (member_id, digest)
);
create index known_browser_old on known_browser (seen_at);

select app_may('select, insert, update, delete', 'known_browser');

-- A throttle's bucket: the instants of its last hits, oldest first.
create table throttle (
  bucket  bytea primary key check (octet_length(bucket) = 32),
  hits    timestamptz[] not null default '{}',
  last_at timestamptz not null default roz_now()
);
create index throttle_old on throttle (last_at);

select app_may('select, insert, update, delete', 'throttle');

-- Takes one hit from every bucket, or from none and says how long to wait. The rows are locked in one
-- order; of several calls at once exactly as many pass as the limit allows.
create function throttle_take(p_buckets bytea[], p_max int[], p_window_seconds int[])
returns table (taken_at timestamptz, wait_seconds double precision)
language plpgsql as $$
declare
  v_now timestamptz;
  v_wait double precision := null;
  v_hits timestamptz[];
  v_item record;
begin
  insert into throttle (bucket) select b from unnest(p_buckets) b order by b on conflict (bucket) do nothing;
  perform 1 from throttle where bucket = any (p_buckets) order by bucket for update;
  v_now := roz_now();
  for v_item in
    select u.bucket, u.max_hits, make_interval(secs => u.window_seconds) as span
    from unnest(p_buckets, p_max, p_window_seconds) as u (bucket, max_hits, window_seconds)
  loop
    select coalesce(array_agg(h order by h), '{}') into v_hits
    from throttle t, unnest(t.hits) h
    where t.bucket = v_item.bucket and h > v_now - v_item.span and h <= v_now;
    if cardinality(v_hits) >= v_item.max_hits then
      v_wait := greatest(coalesce(v_wait, 0),
        extract(epoch from v_hits[cardinality(v_hits) - v_item.max_hits + 1] + v_item.span - v_now));
    end if;
    update throttle set hits = v_hits, last_at = v_now where bucket = v_item.bucket;
  end loop;
  if v_wait is null then
    update throttle set hits = hits || v_now where bucket = any (p_buckets);
  end if;
  return query select case when v_wait is null then v_now end, v_wait;
end $$;

-- The audit log: actor, action, subject, values before and after. Never changed, never removed.
create table audit_log (
  id         bigint generated always as identity primary key,
  at         timestamptz not null default roz_now(),
  -- The acting account; null for the system itself.
  actor_id   bigint references member (id),
  action     text not null check (action ~ '^[a-z_]+(\.[a-z_]+)*$'),
  subject    text not null,
  before     jsonb,
  after      jsonb
);
create index audit_log_subject on audit_log (subject, id desc);
create index audit_log_actor on audit_log (actor_id, id desc);

select append_only('audit_log');
select app_may('select, insert', 'audit_log');

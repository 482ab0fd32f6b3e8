-- A refused call writes nothing: whoever is refused can ask for ever with ever new keys, and would fill the disk.
create or replace function throttle_take(p_buckets bytea[], p_max int[], p_window_seconds int[])
returns table (taken_at timestamptz, wait_seconds double precision)
language plpgsql as $$
declare
  v_now timestamptz := roz_now();
  v_wait double precision := null;
  v_hits timestamptz[];
  v_item record;
begin
  -- A look without a lock. What changes meanwhile is judged below.
  select max(extract(epoch from full_until - v_now)) into v_wait
    from unnest(p_buckets, p_max, p_window_seconds) as u (bucket, max_hits, window_seconds)
    join throttle t using (bucket)
    cross join lateral (select make_interval(secs => u.window_seconds) as span) s
    cross join lateral (
      select array_agg(h order by h) as hits from unnest(t.hits) h where h > v_now - s.span and h <= v_now) counted
    cross join lateral (
      select counted.hits[cardinality(counted.hits) - u.max_hits + 1] + s.span as full_until) ended
   where cardinality(counted.hits) >= u.max_hits;
  if v_wait is not null then
    return query select null::timestamptz, v_wait;
    return;
  end if;

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

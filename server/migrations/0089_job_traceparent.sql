-- The trace of the request that queued a job, in the form of the W3C: a job's own trace has a link to it. Null while traces are off.
alter table job add column traceparent text check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$');

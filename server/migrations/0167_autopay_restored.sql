-- After a restore the gateway may have debits that this database has forgotten: none is raised before it has told what it has.
alter table autopay_mandate add column must_ask boolean not null default false;

-- Accounts whose address nobody confirmed go after 30 days (features/rights/unconfirmed.ts): few at a time, found by this.
create index member_unconfirmed on member (id) where email_verified_at is null and deleted_at is null;

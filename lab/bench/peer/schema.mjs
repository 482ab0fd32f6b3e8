/** Declares the tables of schema.sql for the ORM. */
import { bigint, boolean, date, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

const id = (name) => bigint(name, { mode: 'number' })
const at = (name) => timestamp(name, { withTimezone: true })

export const members = pgTable('members', {
  id: id('id').primaryKey(),
  email: text('email').notNull(),
  verified: boolean('verified').notNull(),
  suspended: boolean('suspended').notNull(),
})
export const sessions = pgTable('sessions', {
  tokenHash: text('token_hash').primaryKey(),
  memberId: id('member_id').notNull(),
  expiresAt: at('expires_at').notNull(),
})
export const wallets = pgTable('wallets', {
  memberId: id('member_id').primaryKey(),
  balance: id('balance').notNull(),
})
export const rounds = pgTable('rounds', {
  day: date('day').primaryKey(),
  status: text('status').notNull(),
  closesAt: at('closes_at').notNull(),
})
export const entries = pgTable(
  'entries',
  { day: date('day').notNull(), memberId: id('member_id').notNull(), ticket: text('ticket').notNull() },
  (table) => [primaryKey({ columns: [table.day, table.memberId] })],
)
export const transactions = pgTable('transactions', {
  id: id('id').primaryKey().generatedAlwaysAsIdentity(),
  memberId: id('member_id').notNull(),
  kind: text('kind').notNull(),
  amount: id('amount').notNull(),
  balance: id('balance').notNull(),
  reference: text('reference'),
  createdAt: at('created_at').notNull().defaultNow(),
})

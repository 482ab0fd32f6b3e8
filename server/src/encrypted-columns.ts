/**
 * Every column of the product that is encrypted under SECRET_KEY.
 * - The list is complete: a missing column would need SECRET_KEY_OLD for ever (encrypted-columns.all.test.ts compares it with the schema).
 */
import { sql } from './db/sql.ts'
import { deviceColumn } from './features/push/device-column.ts'
import { encryptPlainEvents } from './features/wallet/webhook.ts'
import { isNeededUntil } from './http/idempotency.ts'
import { bankAccountColumn } from './members/bank-accounts.ts'
import { type EncryptedColumn, plainColumn } from './secrets/encrypted-columns.ts'
import type { EncryptedData } from './secrets/reencryption.ts'

export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  plainColumn({ name: 'log keys', table: sql`log_key`, column: sql`sealed_seed`, context: sql`'log_key:' || number` }),
  plainColumn({
    name: 'secrets of rounds',
    table: sql`round`,
    column: sql`sealed_secret`,
    context: sql`'day_secret:' || to_char(day, 'YYYY-MM-DD')`,
    // The secret of an ended round is published or will never be needed.
    isNeeded: sql`status in ('open', 'closed', 'drawn')`,
  }),
  plainColumn({ name: 'ticket keys', table: sql`ticket_key`, column: sql`sealed_key`, context: sql`'ticket_key:' || member_id` }),
  bankAccountColumn,
  plainColumn({ name: 'push keys', table: sql`push_key`, column: sql`sealed_private`, context: sql`'push_key:' || number` }),
  deviceColumn,
  plainColumn({ name: 'authenticator apps', table: sql`staff_totp`, column: sql`sealed`, context: sql`'staff_totp:' || member_id` }),
  plainColumn({ name: 'payment events', table: sql`gateway_event`, column: sql`sealed`, context: sql`'gateway_event:' || event_key` }),
  plainColumn({ name: 'notes on beneficiaries', table: sql`beneficiary`, column: sql`sealed_note`, context: sql`'beneficiary:' || id` }),
  plainColumn({ name: 'PANs', table: sql`member_pan`, column: sql`sealed`, context: sql`'member_pan:' || member_id` }),
  plainColumn({ name: 'requests for help', table: sql`help_case`, column: sql`sealed`, context: sql`'help_case:' || number` }),
  plainColumn({ name: 'notes on requests', table: sql`help_case_step`, column: sql`sealed_note`, context: sql`'help_case_step:' || id` }),
  plainColumn({ name: 'lines of bank statements', table: sql`bank_line`, column: sql`sealed_words`, context: sql`'bank_line:' || id` }),
  plainColumn({ name: 'payout events', table: sql`payout_event`, column: sql`sealed`, context: sql`'payout_event:' || event_key` }),
]

export const ENCRYPTED_DATA: EncryptedData = { columns: ENCRYPTED_COLUMNS, encryptPlain: encryptPlainEvents, isNeededUntil }

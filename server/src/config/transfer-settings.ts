/** Reads our bank account, which members see where money is added by a bank transfer. It passes the rules of every bank account. */
import { accountHolderName, accountNumber, bankName, ifscCode, upiId } from '@roz/core/bank-fields.ts'
import type { Settings } from './settings.ts'

type Name = 'TRANSFER_HOLDER' | 'TRANSFER_ACCOUNT' | 'TRANSFER_IFSC' | 'TRANSFER_BANK' | 'TRANSFER_UPI'
type Rule = { safeParse(text: string): { readonly success: boolean; readonly data?: string } }

export function transferSettings(settings: Settings) {
  function read(name: Name, rule: Rule, example: string): string {
    const text = settings.text(name)
    const parsed = rule.safeParse(text ?? '')
    if (parsed.success) return parsed.data as string
    settings.complain(text === undefined ? `${name} is not set` : `${name}: such as ${example}, not “${text}”`)
    return ''
  }
  return {
    holder: read('TRANSFER_HOLDER', accountHolderName, 'Roz Foundation'),
    number: read('TRANSFER_ACCOUNT', accountNumber, '001234567890, 9 to 18 digits'),
    ifsc: read('TRANSFER_IFSC', ifscCode, 'HDFC0000123'),
    bank: read('TRANSFER_BANK', bankName, 'HDFC Bank'),
    upi: settings.text('TRANSFER_UPI') === undefined ? null : read('TRANSFER_UPI', upiId, 'name@bank'),
  }
}

/**
 * One transaction of the wallet as a printable receipt.
 *
 * - Members get only their own receipts.
 * - A bank account appears only as its name and last four digits.
 * - The number identifies wallet and transaction for ever.
 */
import type { transactionReceipt } from '@roz/contract/wallet.ts'
import { isolated } from '@roz/core/isolated.ts'
import type { Language, Texts } from '@roz/core/language.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import { texts } from '@roz/core/texts.ts'
import type { z } from 'zod'
import { type Queryable, sql } from '../../db/sql.ts'
import { accountInText } from '../../members/bank-accounts.ts'
import { findMovement, type Movement } from '../../ledger/movements.ts'
import { printDay } from './descriptions.ts'
import { showTransactions } from './transactions.ts'

type Receipt = z.infer<typeof transactionReceipt>

const WALLET = texts('Your wallet')
const PAYMENT = texts('Your payment')
const SOURCE = texts('Your original payment method')
const ROUND = texts('The round of {day}')
const BANK = texts('{bank}')
const FUND = texts('The help fund')
const BOOKS = texts('Our accounts')

/** The counterparty of each kind in a wallet's list; kinds between other accounts are in no wallet's list. */
const OTHER_SIDE: Readonly<Partial<Record<Movement['kind'], Texts>>> = {
  join: ROUND,
  order: PAYMENT,
  waiting: PAYMENT,
  topup: PAYMENT,
  suspense_credit: PAYMENT,
  prize: ROUND,
  round_refund: ROUND,
  gift: FUND,
  wd_hold: BANK,
  wd_back: BANK,
  wd_reversed: BANK,
  refund_hold: SOURCE,
  refund_failed: SOURCE,
  refund_reversed: SOURCE,
  chargeback: SOURCE,
  chargeback_back: SOURCE,
}

/** The identifiers that gateway and bank use for the transaction. */
type Outside = { readonly orderId: string | null; readonly reference: string | null; readonly bank: string | null }
const NONE: Outside = { orderId: null, reference: null, bank: null }

async function readOutside(from: Queryable, memberId: bigint, { kind, ref, orderId = null }: Movement): Promise<Outside> {
  if (kind === 'order') return { ...NONE, orderId: ref }
  if (kind === 'waiting') return { ...NONE, orderId, reference: ref }
  if (kind === 'topup' || kind === 'suspense_credit') {
    // A credit from SUSPENSE names its item; the payment of the item, or of a rest, may have a suffix. Returned money is no payment.
    const named = kind === 'topup' ? sql`${ref}::text` : sql`(select payment_id from suspense_item where id = ${ref}::bigint)`
    return from.one<Outside>(sql`
      select o.order_id as "orderId", p.id as reference, null as bank from (select substring(${named} from '^([^#:]+)(?:#.*)?$') as id) p
        left join topup o on o.payment_id = p.id and o.member_id = ${memberId}::bigint`)
  }
  if (kind === 'wd_hold' || kind === 'wd_back' || kind === 'wd_reversed')
    return from.one<Outside>(sql`select null as "orderId", w.reference, ${accountInText(sql`b`)} as bank
            from withdrawal w join bank_account b on b.id = w.bank_account_id
           where w.id = ${ref}::uuid and w.member_id = ${memberId}::bigint`)
  if (kind === 'refund_hold' || kind === 'refund_failed' || kind === 'refund_reversed')
    return (
      (await from.maybeOne<Outside>(
        sql`select order_id as "orderId", reference, null as bank from refund where id = ${ref}::uuid and member_id = ${memberId}::bigint`,
      )) ?? NONE
    )
  return NONE
}

/** The first twelve hex digits of the member's id (practically unique), and the transaction's sequence number in the wallet. */
async function numberOf(from: Queryable, memberId: bigint, movement: Movement): Promise<string> {
  if (movement.seq === null) return movement.ref
  const { wallet } = await from.one<{ wallet: string }>(
    sql`select upper(left(replace(public_id::text, '-', ''), 12)) as wallet from member where id = ${memberId}::bigint`,
  )
  return `${wallet}-${String(movement.seq).padStart(4, '0')}`
}

export async function findReceipt(from: Queryable, memberId: bigint, id: string, language: Language): Promise<Receipt | undefined> {
  const movement = await findMovement(from, memberId, id)
  if (movement === undefined) return undefined
  const [shown] = await showTransactions(from, memberId, [movement], language)
  if (shown === undefined) throw new Error('a movement was not shown as a transaction')
  const outside = await readOutside(from, memberId, movement)
  const day = /^\d{4}-\d{2}-\d{2}/.exec(movement.ref)?.[0] ?? null
  const other = (OTHER_SIDE[movement.kind] ?? BOOKS)[language]
    .replace('{day}', day === null ? '' : printDay(day, language))
    .replace('{bank}', () => isolated(outside.bank ?? ''))
  const [giver, taker] = movement.direction === 'credit' ? [other, WALLET[language]] : [WALLET[language], other]
  return {
    ...shown,
    number: await numberOf(from, memberId, movement),
    from: giver,
    to: taker,
    balanceAfter: movement.balanceAfter === null ? null : rupeesFromPaise(movement.balanceAfter),
    orderId: outside.orderId,
    reference: outside.reference,
    day,
  }
}

/** Notices and mails of AutoPay, each once, in the transaction of the fact that they report. */
import type { IstDay } from '@roz/core/ist-day.ts'
import { formatPaise, type Paise } from '@roz/core/money.ts'
import type { NoticeData } from '@roz/core/notices.ts'
import type { Tx } from '../../db/transaction.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { MailTemplate } from '../../mail/mail-payload.ts'
import { mailMember, type MemberMail } from '../../mail/mails.ts'
import { tellMember } from '../../members/notices.ts'

type Of = { readonly memberId: bigint; readonly key: string }

export const tellSetUp = (tx: Tx, { memberId, mandateId, amount }: { memberId: bigint; mandateId: string; amount: Paise }): Promise<void> =>
  tellBoth(tx, 'autopay_on', { memberId, key: mandateId }, { amount: formatPaise(amount) })

/** The debit is announced: there is a day and more to pause or stop it. */
export const tellRaised = (tx: Tx, of: Of & { readonly amount: Paise; readonly day: IstDay }): Promise<void> =>
  tellBoth(tx, 'autopay_raised', of, { amount: formatPaise(of.amount), day: of.day })

export const tellFailed = (
  tx: Tx,
  { amount, day, next, ...of }: Of & { readonly amount: Paise; readonly day: IstDay; readonly next: IstDay },
): Promise<void> => tellBoth(tx, 'autopay_failed', of, { amount: formatPaise(amount), day, next })

export const tellState = (
  tx: Tx,
  kind: 'autopay_resting' | 'autopay_payer_paused' | 'autopay_payer_stopped' | 'autopay_stopped' | 'autopay_stopped_by_us',
  of: Of,
): Promise<void> => tellBoth(tx, kind, of, {})

export const tellExpiring = (tx: Tx, of: Of & { readonly day: IstDay }): Promise<void> =>
  tellBoth(tx, 'autopay_expiring', of, { day: of.day })

export async function tellAdded(
  tx: Tx,
  told: {
    readonly memberId: bigint
    readonly orderId: string
    readonly amount: Paise
    readonly balance: Paise
    readonly missedAutoJoin: boolean
  },
): Promise<void> {
  const { memberId, orderId } = told
  await tellBoth(tx, 'autopay_added', { memberId, key: orderId }, { amount: formatPaise(told.amount), balance: formatPaise(told.balance) })
  if (told.missedAutoJoin) {
    await enqueue(tx, { kind: 'join_after_topup', key: `topup:${orderId}`, payload: { memberId: String(memberId) } })
  }
}

/** A payment that does not fit its debit waits for a person. */
export async function tellWaiting(
  tx: Tx,
  { memberId, paymentId, amount }: { readonly memberId: bigint; readonly paymentId: string; readonly amount: string },
): Promise<void> {
  const key = `payment_waiting:${paymentId}`
  await tellMember(tx, { memberId, kind: 'payment_waiting', key, data: { amount } })
  await mailMember(tx, { memberId, template: 'payment_waiting', key, data: { amount } })
}

type Kind = Extract<MailTemplate, `autopay_${string}`>

async function tellBoth<K extends Kind>(tx: Tx, kind: K, { memberId, key }: Of, data: MemberMail<K>['data'] & NoticeData): Promise<void> {
  const once = `${kind}:${key}`
  await tellMember(tx, { memberId, kind, key: once, data })
  await mailMember(tx, { memberId, template: kind, key: once, data })
}

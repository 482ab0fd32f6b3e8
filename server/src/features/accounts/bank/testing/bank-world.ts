/** Fixture: a bank account of ours whose statement is written by the test, beside books that move money through BANK. */
import { randomUUID } from 'node:crypto'
import type { IstDay } from '@roz/core/ist-day.ts'
import { decimalText, type Paise } from '@roz/core/money.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import { bookPayout, holdWithdrawal } from '../../../../ledger/withdrawals.ts'
import { addMoney, newMember } from '../../../../ledger/testing/fixtures.ts'
import { openHelpWorld } from '../../../../testing/help-world.ts'
import { matchByReference } from '../match.ts'
import { compareBank } from '../compare.ts'
import { lockBank } from '../lock.ts'
import { testSecrets } from '../../../../testing/calls.ts'
import { HDFC } from './samples.ts'

export type BankWorld = Awaited<ReturnType<typeof openBankWorld>>

export async function openBankWorld() {
  const world = await openHelpWorld({ approvalAbove: 1_000_000 })
  const { db, calls, staff } = world
  const id = randomUUID()
  const saveAccount = (body: object = {}, account = id, as = staff.finance) =>
    calls.ask(`PUT /admin/bank-accounts/${account}`, { as, body: { name: 'Current account', lastFour: '8901', mapping: HDFC, ...body } })
  const send = (where: string, text: string | Buffer, as = staff.finance) => {
    const form = new FormData()
    form.set('file', new Blob([typeof text === 'string' ? text : new Uint8Array(text)], { type: 'text/csv' }), 'statement.csv')
    return calls.ask(`POST /admin/bank-accounts/${where}`, { as, form })
  }
  const preview = (text: string | Buffer, account = id, as = staff.finance) => send(`${account}/preview`, text, as)
  let gatewayNumbers = 0
  return {
    ...world,
    accountId: id,
    saveAccount,
    preview,
    importFile: async (text: string, until: IstDay, account = id, as = staff.finance) => {
      const { body } = await preview(text, account)
      return send(`${account}/import?seen=${body.seen ?? 'none'}&until=${until}`, text, as)
    },
    send,
    check: async () => (await calls.ask('GET /admin/reconciliation', { as: staff.auditor })).body.bankCheck,
    findings: async (query = '') =>
      (await calls.ask(`GET /admin/findings${query}`, { as: staff.auditor })).body.findings as Record<string, unknown>[],
    lines: async (query = '') =>
      (await calls.ask(`GET /admin/bank-lines${query}`, { as: staff.auditor })).body.lines as Record<string, unknown>[],
    line: async (lineId: unknown, as = staff.finance) => calls.ask(`GET /admin/bank-lines/${String(lineId)}`, { as }),
    match: (lineId: unknown, subject: string | null, status: string, as = staff.finance) =>
      calls.ask(`POST /admin/bank-lines/${String(lineId)}/match`, { as, body: { status, subject } }),
    /** The hourly work: matches lines, then compares. */
    compare: () =>
      inTransaction(db, async (tx) => {
        await lockBank(tx)
        await matchByReference(tx, testSecrets)
        await compareBank(tx)
      }),
    /** A member pays, and the gateway's settlement of the whole is recorded under its number. */
    settled: async (amount: Paise, day: IstDay, reference = `UTRSETTLED${++gatewayNumbers}`): Promise<string> => {
      await addMoney(db, await newMember(db), amount)
      const body = { reference, day, amount: Number(decimalText(amount)), fee: 0, receipts: [await world.bill()] }
      const answer = await calls.ask('POST /admin/settlements', { as: staff.finance, body })
      if (answer.body.entry?.status !== 'booked') throw new Error(answer.text)
      return reference
    },
    /** A member's withdrawal, paid with the bank's reference. */
    paidOut: async (amount: Paise, reference: string): Promise<string> => {
      const memberId = await newMember(db)
      await addMoney(db, memberId, amount)
      const withdrawal = randomUUID()
      await inTransaction(db, async (tx) => {
        const held = await holdWithdrawal(tx, { id: withdrawal, memberId, amount, bankAccountId: 1n })
        if (!held.ok) throw new Error(held.code)
        await bookPayout(tx, { id: withdrawal, word: 'paid', reference })
      })
      return `wd_paid:${withdrawal}`
    },
  }
}

/**
 * The demo's help: somebody who consented, a bill, and a disbursement of everything that is open, by the help desk's own calls.
 * - The editor records the consents: the author of a person's record pays nothing to that person.
 * - One payment is asked for by the editor and approved by the owner, so that the portal shows two persons.
 * - Each step is idempotent: people and disbursements are found by their words, and a bill by its picture.
 */
import path from 'node:path'
import { formatPaise, paiseFromRupees, ZERO } from '@roz/core/money.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import sharp from 'sharp'
import { type Db, sql } from '../db/sql.ts'
import type { AdminSession } from '../http/session.ts'
import type { DemoHelp } from './community.ts'
import { callOf, type Demo, editorSession, expectDone, ownerSession } from './demo-calls.ts'

const FONT = { font: 'Mukta Medium 26', fontfile: path.join(import.meta.dirname, '../features/site/fonts/mukta-latin-500.ttf') } as const
const SHEET = { width: 640, height: 480 } as const
const MARGIN_PX = 48
const PAPER = '#fffdf7'

type Bill = { readonly day: IstDay; readonly help: DemoHelp; readonly rupees: number }

type Asked = { readonly id: string; readonly status: string }

/** Pays the help and returns the id of its booked disbursement; undefined if the fund is empty or another person must approve it. */
export async function giveHelp(demo: Demo, day: IstDay, help: DemoHelp): Promise<string | undefined> {
  const owner = await ownerSession(demo.db)
  if (owner === undefined) return undefined
  const asked = (await findGiven(demo.db, help)) ?? (await ask(demo, owner, day, help))
  if (asked?.status === 'requested' && help.byEditor === true) return approve(demo, owner, asked.id)
  return asked?.status === 'booked' ? asked.id : undefined
}

/** Asks for everything that is open; undefined if there is nothing. */
async function ask(demo: Demo, owner: AdminSession, day: IstDay, help: DemoHelp): Promise<Asked | undefined> {
  const { db, services } = demo
  const session = help.byEditor === true ? await editorSession(db) : owner
  const listed = await services.handlers.disbursements(callOf('disbursements', { session, query: { limit: 1 } }))
  const rupees = listed.ok ? listed.value.fund.balance : 0
  if (rupees === 0) return undefined
  const body = {
    amount: rupees,
    purpose: help.purpose,
    translations: help.translations,
    beneficiaryId: await consented(demo, await editorSession(db), day, help),
    receipts: [await upload(demo, session, { day, help, rupees })],
  }
  const answer = await services.handlers.askDisbursement(callOf('askDisbursement', { session, body, idempotencyKey: `demo-help-${day}` }))
  if (!answer.ok) throw new Error(`demo: help was refused: ${answer.code}`)
  return answer.value.disbursement
}

/** Undefined above APPROVAL_ABOVE: in the simulated days the operator's account is younger than 48 hours, and the payment waits. */
async function approve({ services }: Demo, session: AdminSession, id: string): Promise<string | undefined> {
  const call = callOf('approveDisbursement', {
    session,
    params: { id },
    body: { status: 'requested' },
    idempotencyKey: `demo-approval-${id}`,
  })
  const answer = await services.handlers.approveDisbursement(call)
  expectDone('an approval', answer, ['role_too_new'])
  return answer.ok ? id : undefined
}

const findGiven = (db: Db, { publicName, purpose }: DemoHelp): Promise<Asked | undefined> =>
  db.maybeOne<Asked>(sql`select o.id, o.status from outlay o join beneficiary b on b.id = o.beneficiary_id
         where o.kind = 'disbursement' and o.purpose = ${purpose}::text and b.public_name = ${publicName}::text`)

/** Records the consent, given the day before, and returns the person's id. */
async function consented({ db, services }: Demo, session: AdminSession, day: IstDay, help: DemoHelp): Promise<string> {
  const { publicName, consent: how, guardian } = help
  const known = await db.maybeOne<{ id: string }>(sql`select id from beneficiary where public_name = ${publicName}::text`)
  if (known !== undefined) return known.id
  const body = {
    publicName,
    isChild: guardian !== undefined,
    guardian: guardian ?? null,
    consent: { how, on: addDays(day, -1) },
    note: 'Invented for the demo: there is no such person.',
  }
  const answer = await services.handlers.createBeneficiary(callOf('createBeneficiary', { session, body }))
  expectDone('a consent', answer)
  return answer.ok ? answer.value.beneficiary.id : ''
}

async function upload({ services }: Demo, session: AdminSession, bill: Bill): Promise<string> {
  const bytes = await drawBill(bill)
  const call = callOf('uploadReceipt', {
    session,
    upload: async (allowed) => (allowed.ok ? { ok: true, bytes } : allowed),
  })
  const answer = await services.handlers.uploadReceipt(call)
  expectDone('a receipt', answer)
  return answer.ok ? answer.value.hash : ''
}

/** A bill that says that it is one of the demo. The same bill gives the same picture. */
async function drawBill({ day, help, rupees }: Bill): Promise<Buffer> {
  const amount = formatPaise(paiseFromRupees(rupees) ?? ZERO)
  const lines = ['DEMO BILL', '', help.shop, day, '', `${help.purpose}:  ${amount}`, '', 'Invented for the demo. Nothing was bought.']
  const words = await sharp({ text: { ...FONT, text: lines.join('\n'), rgba: true, dpi: 72, width: SHEET.width - 2 * MARGIN_PX } })
    .png()
    .toBuffer()
  return sharp({ create: { ...SHEET, channels: 3, background: PAPER } })
    .composite([{ input: words, left: MARGIN_PX, top: MARGIN_PX }])
    .png()
    .toBuffer()
}

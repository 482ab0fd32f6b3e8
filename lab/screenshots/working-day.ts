/**
 * A working day of the team, for the screens of the portal: something in each section, by the product's own calls.
 * - Every person, mail address and bank account is invented.
 */
import type { CallName } from '@roz/contract/api.ts'
import { ask, type Given } from '../../e2e/harness/calls.ts'
import {
  addMoney,
  adminToken,
  BANK,
  eventually,
  mailedLink,
  PASSWORD,
  type Person,
  strangePayment,
  verify,
} from '../../e2e/harness/people.ts'
import { type Colour, png } from '../../e2e/harness/pictures.ts'
import type { Program } from '../../e2e/harness/program.ts'

/** Rupees: the larger of the two payments from the help fund waits for a second person. */
export const WORKING_DAY = { APPROVAL_ABOVE: '40' } as const
const STAFF_PASSWORD = 'a staff password'

/** A call whose answer is not needed. A refusal ends the program. */
async function make(url: string, call: CallName, given: Given): Promise<void> {
  const { status, text } = await ask(url, call, given)
  if (status >= 400) throw new Error(`${call} answered ${status} ${text}`)
}

type Desk = { readonly roz: Program; readonly owner: string; readonly finance: string }

export async function fillWorkingDay(roz: Program): Promise<void> {
  const owner = await adminToken(roz.url)
  const desk = { roz, owner, finance: await inviteTeam(roz, owner) }
  await movePayments(desk)
  await writeMessages(desk)
  await giveHelp(desk)
}

/** One colleague has accepted, the other's invitation is open. */
async function inviteTeam({ url }: Program, token: string): Promise<string> {
  const email = 'sunita@roz.example'
  await make(url, 'inviteStaff', { token, body: { name: 'Sunita Nair', email, role: 'finance' } })
  await make(url, 'inviteStaff', { token, body: { name: 'Dev Malhotra', email: 'dev@roz.example', role: 'editor' } })
  const link = new URL(await mailedLink(url, email, '/admin/invitation'))
  await make(url, 'acceptInvitation', { body: { token: link.searchParams.get('token'), password: STAFF_PASSWORD } })
  return (await ask(url, 'adminLogin', { body: { email, password: STAFF_PASSWORD } })).output.token
}

async function join(roz: Program, name: string, rupees: number): Promise<Person & { readonly order: string }> {
  const email = `${name.toLowerCase().replace(' ', '.')}@example.in`
  const phone = `98765${String(11_111 * name.length).slice(0, 5)}`
  const body = { name, email, phone, password: PASSWORD }
  const { token, user } = (
    await ask(roz.url, 'register', { body, headers: { 'user-agent': `Mozilla/5.0 (Android 16) Chrome/${100 + rupees}.0` } })
  ).output
  await verify(roz.url, email)
  const person = { name, email, token, id: user.id }
  return { ...person, order: await addMoney(roz, person, rupees) }
}

/** Withdrawals, refunds, a dispute and a payment without an order. */
async function movePayments({ roz, owner, finance }: Desk): Promise<void> {
  const [leela, harish, nusrat] = await Promise.all([
    join(roz, 'Leela Menon', 30),
    join(roz, 'Harish Gupta', 20),
    join(roz, 'Nusrat Ali', 25),
  ])
  const bankDetail = { ...BANK, accountHolderName: leela.name }
  const { withdrawal } = (await ask(roz.url, 'withdraw', { token: leela.token, body: { amount: 10, bankDetail } })).output
  await make(roz.url, 'withdraw', { token: leela.token, body: { amount: 12, bankDetail } })
  const decision = { status: 'requested', reason: 'The account is in another name.' }
  await make(roz.url, 'rejectWithdrawal', { token: finance, params: { id: withdrawal.id }, body: decision })

  const refund = { order_id: harish.order, amount: 10, reason: 'I added it twice.' }
  await make(roz.url, 'requestRefund', { token: harish.token, body: refund })
  await make(roz.url, 'holdUser', { token: owner, params: { id: leela.id }, body: { reason: 'The name on the bank account differs.' } })
  await make(roz.url, 'noteUser', { token: owner, params: { id: leela.id }, body: { text: 'Called, and asked for a statement.' } })

  await fetch(`${roz.sandboxUrl}/__sandbox/orders/${nusrat.order}/dispute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ stage: 'CHARGEBACK' }),
  })
  await eventually('the dispute', async () => (await ask(roz.url, 'disputes', { token: owner })).output.disputes[0])
  await strangePayment(roz, 25)
}

async function writeMessages({ roz, owner }: Desk): Promise<void> {
  const write = (name: string, email: string, message: string) => make(roz.url, 'contact', { body: { name, email, message } })
  await write('Harish Gupta', 'harish.gupta@example.in', 'I added ₹20 twice. Can I have half of it back?')
  await write('मीना शर्मा', 'meena@demo.roz.example', 'मेरा फ़ोन नंबर बदल गया है। मैं उसे कहाँ बदलूँ?')
  const { messages } = (await ask(roz.url, 'messages', { token: owner })).output
  const params = { id: messages.find(({ name }) => name === 'मीना शर्मा')?.id ?? '' }
  await make(roz.url, 'replyToMessage', { token: owner, params, body: { message: 'नमस्ते! प्रोफ़ाइल पेज पर “प्रोफ़ाइल बदलें” दबाएँ।' } })
}

const PAPER: Colour = [250, 248, 240]
/** A bill with a covered name: a black bar above lines of print. */
const bill = (ink: number): Buffer =>
  png(360, 480, (x, y) => {
    if (x < 30 || x > 330 || y < 30 || y > 450) return PAPER
    if (y > 40 && y < 70) return x < 230 ? [0, 0, 0] : PAPER
    return y % 28 < 8 && x % 97 > 9 ? [ink, ink, ink + 20] : PAPER
  })

async function giveHelp({ roz, owner, finance }: Desk): Promise<void> {
  const receipt = async (ink: number): Promise<string> => {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(bill(ink))], { type: 'image/png' }), 'bill.png')
    return (await ask(roz.url, 'uploadReceipt', { token: finance, form })).output.hash
  }
  const add = async (fields: object): Promise<string> => {
    const body = { isChild: false, guardian: null, consent: { how: 'written', on: '2026-01-05' }, note: '', ...fields }
    return (await ask(roz.url, 'createBeneficiary', { token: owner, body })).output.beneficiary.id
  }
  const meera = await add({ publicName: 'Meera', isChild: true, guardian: 'mother', note: 'The form is in the blue folder.' })
  const family = await add({ publicName: 'A family in Surat' })
  await add({ publicName: 'Ramesh', consent: null })
  const spend = async (beneficiaryId: string, amount: number, purpose: string, ink: number): Promise<string> => {
    const body = { amount, purpose, beneficiaryId, receipts: [await receipt(ink)] }
    return (await ask(roz.url, 'askDisbursement', { token: finance, body })).output.disbursement.id
  }
  const shoes = await spend(meera, 12.6, 'school shoes', 90)
  await spend(family, 45, 'a month of rice and lentils', 60)
  const rent = { kind: 'platform_out', amount: 5, purpose: 'internet of the office', receipts: [await receipt(120)] }
  await make(roz.url, 'askHouseEntry', { token: finance, body: rent })

  const words = { title: 'School shoes for Meera', description: 'Her old ones were too small. She wears them every day now.' }
  const charity = { name: 'Roz', description: 'Bought by our own team.' }
  const { id } = (await ask(roz.url, 'createStory', { token: owner, body: { ...words, charity, outlayId: shoes } })).output.story
  await make(roz.url, 'updateStory', { token: owner, params: { id }, body: { isActive: true } })
}

/** Members and the administrator, made through the API. */
import { dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { expect } from 'vitest'
import { ask } from './calls.ts'
import { ADMIN, postJson } from './program.ts'

export const PASSWORD = 'correct horse battery'
export const PHONE = '9876543210'
export const BANK = {
  accountHolderName: 'Asha Verma',
  accountNumber: '123456789012',
  ifscCode: 'HDFC0ABC123',
  bankName: 'HDFC Bank',
  accountType: 'savings',
} as const

export type Person = { readonly name: string; readonly email: string; readonly token: string; readonly id: string }
type Where = { readonly url: string; readonly sandboxUrl: string }
type CaughtMail = { readonly to: string; readonly subject: string; readonly text: string; readonly links: readonly string[] }

export async function mailsTo(origin: string, email: string): Promise<CaughtMail[]> {
  const response = await fetch(`${origin}/dev/mail.json?to=${encodeURIComponent(email)}`)
  return (await response.json()) as CaughtMail[]
}

/** The newest mailed link to a page. A job sends the mail within 2 s, or after its lease ends if its server was killed. */
export async function mailedLink(origin: string, email: string, page: string): Promise<string> {
  return eventually(`a mail to ${email} with a link to ${page}`, async () => {
    const links = (await mailsTo(origin, email)).flatMap((mail) => mail.links)
    return links.find((link) => new URL(link).pathname === page)
  })
}

export async function register(origin: string, name: string, email: string): Promise<Person> {
  const { output } = await ask(origin, 'register', { body: { name, email, phone: PHONE, password: PASSWORD } })
  return { name, email, token: output.token, id: output.user.id }
}

export async function verify(origin: string, email: string): Promise<void> {
  const link = new URL(await mailedLink(origin, email, '/verify-email'))
  const token = link.searchParams.get('token') ?? ''
  expect((await ask(origin, 'verifyEmail', { query: { token } })).status).toBe(200)
}

let made = 0
/** A member with a confirmed email address and that many rupees in the wallet. */
export async function newMember(where: Where, options: { readonly name?: string; readonly rupees?: number } = {}): Promise<Person> {
  const person = await register(where.url, options.name ?? 'Asha Verma', `member${++made}.${Date.now()}@x.test`)
  await verify(where.url, person.email)
  if (options.rupees !== undefined) await addMoney(where, person, options.rupees)
  return person
}

export async function addMoney(where: Where, person: Person, rupees: number): Promise<string> {
  const { output } = await ask(where.url, 'addMoney', { token: person.token, body: { amount: rupees, phoneNumber: PHONE } })
  await pay(where.sandboxUrl, output.order_id, 'success')
  await creditOf(where.url, person, output.order_id)
  return output.order_id
}

/**
 * Polls until a paid order is credited, and returns the balance.
 * - The server delays a second question about an order within 5 s of the first.
 */
export function creditOf(origin: string, person: Person, orderId: string): Promise<number> {
  return eventually(`the credit of order ${orderId}`, async () => {
    const { output } = await ask(origin, 'verifyOrder', { token: person.token, params: { orderId } })
    return output.status === 'PAID' ? output.balance : undefined
  })
}

type Outcome = 'success' | 'failed' | 'pending' | 'dropped'
/** Plays the payer at the gateway. */
export async function pay(sandboxUrl: string, orderId: string, outcome: Outcome): Promise<void> {
  const response = await postJson(`${sandboxUrl}/__sandbox/orders/${orderId}/pay`, { outcome })
  expect(response.status, await response.text()).toBe(200)
}

/** Pays an order at the gateway that we never made, so that the payment waits in suspense. Returns the order's number. */
export async function strangePayment({ url, sandboxUrl }: Where, rupees: number): Promise<string> {
  const order_id = `strange_${rupees}_${Date.now()}`
  const order = {
    order_id,
    order_amount: rupees,
    order_currency: 'INR',
    customer_details: { customer_id: 'stranger', customer_phone: PHONE },
    order_meta: { notify_url: `${url}/api/webhooks/cashfree` },
  }
  const keys = { 'x-api-version': '2025-01-01', 'x-client-id': 'sandbox-client', 'x-client-secret': 'sandbox-secret' }
  const response = await postJson(`${sandboxUrl}/pg/orders`, order, keys)
  expect(response.status, await response.text()).toBe(200)
  await pay(sandboxUrl, order_id, 'success')
  const token = await adminToken(url)
  return eventually('the payment in suspense', async () => {
    const { suspense } = (await ask(url, 'suspense', { token })).output
    return suspense.find((item) => item.order_id === order_id)?.order_id
  })
}

export async function adminToken(origin: string): Promise<string> {
  return (await ask(origin, 'adminLogin', { body: ADMIN })).output.token
}

/** Sets the clock and runs all due work. */
export async function setClock(origin: string, now: string): Promise<void> {
  const response = await postJson(`${origin}/dev/clock`, { now })
  expect(response.status, await response.text()).toBe(200)
}

export async function readClock(origin: string): Promise<string> {
  return ((await (await fetch(`${origin}/dev/clock`)).json()) as { now: string }).now
}

const DAY_MS = 86_400_000
/** Moves the clock to the same hour of the next day and runs all due work; returns the day that is over. */
export async function passDay(origin: string): Promise<IstDay> {
  const now = Date.parse(await readClock(origin))
  await setClock(origin, new Date(now + DAY_MS).toISOString())
  return dayAt(now)
}

/** Passes a day until its round is settled, or void without members, and in the member's history. */
export async function passRound(origin: string, { token }: Pick<Person, 'token'>): Promise<IstDay> {
  const over = await passDay(origin)
  await eventually('the end of the round', async () => {
    const { results } = (await ask(origin, 'roundHistory', { token, query: { limit: '3' } })).output
    return results.find(({ date }) => date === over)
  })
  return over
}

export async function joinRound(origin: string, { token }: Pick<Person, 'token'>): Promise<void> {
  expect((await ask(origin, 'joinRound', { token, body: {} })).status).toBe(200)
}

/** Publishes the draft of that day's story, or the newest one, with these words; its id. */
export async function publishDraft(origin: string, words: object = {}, day?: IstDay): Promise<string> {
  const token = await adminToken(origin)
  const { id } = await eventually('the draft of the day', async () => {
    const { stories } = (await ask(origin, 'storiesAdmin', { token })).output
    return day === undefined ? stories[0] : stories.find(({ date }) => date === day)
  })
  const body = { ...words, isActive: true }
  expect((await ask(origin, 'updateStory', { token, params: { id }, body })).status).toBe(200)
  return id
}

/** Polls until the look finds something or the time is over. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>, waitMs = 60_000): Promise<T> {
  const until = Date.now() + waitMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > until) throw new Error(`timeout after ${waitMs / 1000} s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

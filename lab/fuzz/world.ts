/**
 * The system under test: the real program, optionally with its demo community, with rows in every list of the portal.
 * - `settle` lets the worker run due work. While the worker is paused, only requests change the database.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { api, type CallName } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import { startSandbox } from '@roz/gateway-sandbox/sandbox.ts'
import { connect, type Db } from '@roz/server/db/sql.ts'
import { hashPassword } from '@roz/server/members/passwords.ts'
import type { Dice } from '../faults/random.ts'
import { urlOf } from '../../e2e/harness/database.ts'
import { BODIES } from '../../e2e/harness/examples.ts'
import { BANK, mailsTo, PASSWORD, PHONE, readClock, setClock } from '../../e2e/harness/people.ts'
import { freePorts, type Program, startProgram } from '../../e2e/harness/program.ts'
import { type Actor, type Actors, makeActors, tokenOf } from './actors.ts'
import { uploadBody } from './bodies.ts'
import { holdWorker, jobsLeft, takeChanges, watchChanges } from './changes.ts'
import { createKnown, type Known } from './known.ts'

type World = Awaited<ReturnType<typeof openWorld>>

const SETTLED_WITHIN_MS = 20_000
const DAY_MS = 86_400_000
const GATEWAY_KEYS = { 'x-api-version': '2025-01-01', 'x-client-id': 'sandbox-client', 'x-client-secret': 'sandbox-secret' }

type Asked = { readonly params?: string; readonly body?: unknown; readonly raw?: { readonly body: Buffer; readonly type: string } }

/** `byHand`: there is no payout gateway, so finance pays withdrawals by hand. */
type WorldOptions = { readonly demo: boolean; readonly byHand: boolean }

export async function openWorld(dice: Dice, { demo, byHand }: WorldOptions) {
  const port = await freePorts()
  const sandbox = byHand ? await openSandbox(`http://127.0.0.1:${port}/dev/clock`) : undefined
  const env = { ...(demo ? { DEMO: '1' } : {}), ...sandbox?.env, LOG_LEVEL: 'error' }
  const roz: Program = await startProgram({ env, port })
  const db: Db = connect({ url: urlOf(roz.dataDir), max: 2, applicationName: 'roz-fuzz' })
  const known = createKnown(dice)
  const passwordHash = await hashPassword(PASSWORD)
  let offsetMs = 0
  const followClock = async (): Promise<void> => {
    offsetMs = Date.parse(await readClock(roz.url)) - Date.now()
  }
  const nowMs = (): number => Date.now() + offsetMs
  const ask = asker(roz, known)
  await watchChanges(db)
  await followClock()
  /** Waits until no job runs, and while the worker is free until none is due. */
  const quiet = async (isHeld: boolean): Promise<void> => {
    const until = performance.now() + SETTLED_WITHIN_MS
    while (performance.now() < until) {
      const { due, running } = await jobsLeft(db)
      if (running === 0 && (isHeld || due === 0)) return
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  const world = {
    roz,
    db,
    known,
    nowMs,
    newActors: (): Promise<Actors> => makeActors(db, known, passwordHash),
    hold: async (): Promise<void> => {
      await quiet(false)
      await holdWorker(db, true)
      await quiet(true)
      await takeChanges(db)
    },
    /** Lets the worker run until nothing is due. */
    async settle(): Promise<void> {
      await holdWorker(db, false)
      await quiet(false)
    },
    /** The same hour of the next day, with all work that is due until then. */
    async passDay(): Promise<void> {
      await setClock(roz.url, new Date(nowMs() + DAY_MS).toISOString())
      await followClock()
    },
    /** Reads every list, so that requests can name what is in it. */
    async look(actors: Actors): Promise<void> {
      const owner = staffOf(actors, 'owner')
      for (const name of Object.keys(api) as CallName[]) {
        const spec: EndpointSpec = api[name]
        if (spec.method !== 'GET' || spec.path.includes('{') || typeof spec.output === 'string') continue
        await ask(name, spec.access === 'admin' ? owner : (actors.members[0] as Actor))
      }
      for (const { links } of await mailsTo(roz.url, ''))
        for (const link of links) known.put('mail token', new URL(link).searchParams.get('token') ?? 'x')
    },
    async close(): Promise<void> {
      await db.close()
      await roz.stop()
      await sandbox?.close()
    },
  }
  const actors = await world.newActors()
  await fillLists({ ...world, sandboxUrl: sandbox?.url ?? roz.sandboxUrl }, actors, ask, dice)
  return world
}

/** A gateway without payouts, beside the program. */
async function openSandbox(clockUrl: string) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'roz-fuzz-gateway-'))
  const pg = { clientId: GATEWAY_KEYS['x-client-id'], clientSecret: GATEWAY_KEYS['x-client-secret'] }
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', dataDir, pg, clockUrl })
  const { url } = sandbox
  return {
    url,
    env: {
      PAYMENTS: 'cashfree',
      CASHFREE_PG_CLIENT_ID: pg.clientId,
      CASHFREE_PG_CLIENT_SECRET: pg.clientSecret,
      CASHFREE_PG_BASE_URL: `${url}/pg`,
      CASHFREE_JS_URL: `${url}/js/v3/cashfree.js`,
    },
    close: async (): Promise<void> => {
      await sandbox.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const staffOf = (actors: Actors, role: string): Actor => actors.all.find((actor) => actor.label === role) as Actor

/** Makes a call as it is meant, and keeps what the answer contains. */
const asker =
  ({ url }: Program, known: Known) =>
  async (name: CallName, actor: Actor, { params = '', body, raw }: Asked = {}): Promise<Readonly<Record<string, unknown>>> => {
    const spec: EndpointSpec = api[name]
    const token = tokenOf(actor)
    const sent = raw?.body ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)))
    const response = await fetch(`${url}/api${spec.path.replace(/\{\w+\}/, params)}`, {
      method: spec.method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(sent === undefined ? {} : { 'content-type': raw?.type ?? 'application/json' }),
      },
      body: sent === undefined ? null : new Uint8Array(sent),
    })
    const text = await response.text()
    if (!response.ok) return {}
    const answer = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
    known.hear(answer, spec.path)
    return answer
  }

/** Something in every list: money on its way in and out, payments of strangers, disputes, messages, help and its bills. */
async function fillLists(
  world: Pick<World, 'roz' | 'settle' | 'look' | 'known'> & { readonly sandboxUrl: string },
  actors: Actors,
  ask: ReturnType<typeof asker>,
  dice: Dice,
): Promise<void> {
  const { roz, known } = world
  const owner = staffOf(actors, 'owner')
  const atGateway = (at: string, body: object, headers = {}): Promise<Response> =>
    fetch(`${world.sandboxUrl}${at}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  for (const member of actors.members) {
    for (let n = 0; n < 3; n++) {
      const { order_id } = await ask('addMoney', member, { body: { amount: 20, phoneNumber: PHONE } })
      if (n > 0) await atGateway(`/__sandbox/orders/${String(order_id)}/pay`, { outcome: 'success' })
      if (n === 1) await atGateway(`/__sandbox/orders/${String(order_id)}/dispute`, { stage: 'CHARGEBACK' })
    }
    await ask('joinRound', member, { body: {} })
    for (let n = 0; n < 3; n++) await ask('withdraw', member, { body: { amount: 10, bankDetail: BANK } })
  }
  for (const amount of [10, 15, 25]) {
    const order_id = `strange_${amount}_${dice.below(1e9)}`
    const customer_details = { customer_id: 'stranger', customer_phone: PHONE }
    const order_meta = { notify_url: `${roz.url}/api/webhooks/cashfree` }
    await atGateway('/pg/orders', { order_id, order_amount: amount, order_currency: 'INR', customer_details, order_meta }, GATEWAY_KEYS)
    await atGateway(`/__sandbox/orders/${order_id}/pay`, { outcome: 'success' })
  }
  await world.settle()
  await world.look(actors)
  for (const member of actors.members)
    await ask('requestRefund', member, { body: { order_id: known.any('order'), amount: 1, reason: 'I added it twice.' } })
  for (const body of [BODIES.contact, BODIES.contact]) await ask('contact', actors.nobody, { body })
  for (const name of ['createAnnouncement', 'createStory', 'inviteStaff', 'createBeneficiary'] as const)
    await ask(name, owner, { body: BODIES[name] })
  for (let n = 0; n < 4; n++) await ask('uploadReceipt', owner, { raw: uploadBody({ field: 'file', bytesMax: 1 }, dice, false) })
  const outlay = { amount: 1, purpose: 'school shoes' }
  await ask('askDisbursement', owner, {
    body: { ...outlay, receipts: [known.any('/admin/uploads')], beneficiaryId: known.any('/admin/beneficiaries') },
  })
  await ask('askHouseEntry', owner, { body: { ...outlay, receipts: [known.any('/admin/uploads')], kind: 'platform_out' } })
  await world.settle()
  await world.look(actors)
}

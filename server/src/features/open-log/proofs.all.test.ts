/** Receipts, own tickets, proofs, the log's key and its checkpoints. */
import { verify } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { hex, leafHash, u64 } from '@roz/core/draw.ts'
import { endOfDayMs, type IstDay, nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { connect, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { publicKeyObject } from '../../transparency-log/ed25519.ts'
import { createReceipts } from '../../transparency-log/receipts.ts'
import { rootOf } from '../../transparency-log/merkle-tree.ts'
import { rotateLogKey } from '../../commands/rotate-log-key.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'
import { rootFromInclusion, verifyDay, VERDICT } from '../../testing/verifier.ts'
import { sha256 } from '../../tickets/sha256.ts'
import { ticketOf } from '../../tickets/ticket.ts'

const DAY = '2026-11-21' as IstDay
const world = useRoundsWorld()
const members: bigint[] = []
type Receipt = { count: number; index: number; keyId: string; path: string[]; signature: string; time: number }
const bytes = (text: string): Buffer => Buffer.from(text, 'hex')
const logKey = async (): Promise<string> => (await world.ask('GET /public/log/key')).text.trim()

beforeAll(async () => {
  for (let n = 0; n < 40; n++) members.push(await world.member(5, { auto: n === 39 }))
})

async function isValid(
  day: IstDay,
  ticket: string,
  { count, index, path, signature, time, keyId }: Receipt,
  key?: string,
): Promise<boolean> {
  const root = rootFromInclusion(leafHash(sha256, bytes(ticket)), index, count, path.map(bytes))
  // base64 can contain a + too.
  const [, id, data = ''] = /^[^+]+\+([^+]+)\+(.*)$/.exec(key ?? (await logKey())) ?? []
  const signed = Buffer.concat([Buffer.from(`roz/v1/receipt\n${day}`), root ?? Buffer.alloc(32), u64(time)])
  const inDay = time >= startOfDayMs(day) && time < endOfDayMs(day)
  return inDay && keyId === id && verify(null, signed, publicKeyObject(Buffer.from(data, 'base64').subarray(1)), bytes(signature))
}

test('each join is answered with a receipt for its own day', async () => {
  const answers = await Promise.all(members.slice(0, 39).map((member) => world.join(member)))
  const receipts = answers.map(({ body }) => body['ticket'] as { ticket: string; receipt: Receipt })
  for (const { ticket, receipt } of receipts) expect(await isValid(DAY, ticket, receipt)).toBe(true)
  const [some, other] = receipts as [(typeof receipts)[number], (typeof receipts)[number]]
  expect(await isValid(nextDay(DAY), some.ticket, some.receipt)).toBe(false)
  expect(await isValid(DAY, other.ticket, some.receipt)).toBe(false)
})

test('joins of one batch share one signature, and each proves its own ticket with it', async () => {
  const receipts = createReceipts({ db: world.db, keys: world.logKeys, ticketKeys: world.ticketKeys })
  const at = new Date(startOfDayMs(DAY) + 1000)
  const batch = members.slice(0, 39)
  receipts.begin({ batchId: 1n, day: DAY, at, memberIds: batch })
  const made = await Promise.all(batch.map((memberId) => receipts.of({ batchId: 1n, day: DAY, at, memberId })))
  expect(new Set(made.map(({ receipt }) => receipt.signature)).size).toBe(1)
  expect(made.map(({ receipt }) => receipt.index).toSorted((a, b) => a - b)).toEqual(batch.map((_, index) => index))
  for (const { ticket, receipt } of made) expect(await isValid(DAY, ticket, receipt)).toBe(true)
  const [some] = made as [(typeof made)[number]]
  expect(await isValid(DAY, some.ticket, { ...some.receipt, index: (some.receipt.index + 1) % 39 })).toBe(false)
  // A statement that began before midnight belongs to its own day.
  const late = await receipts.of({ batchId: 2n, day: DAY, at: new Date(endOfDayMs(DAY) + 500), memberId: batch[0] as bigint })
  expect(await isValid(DAY, late.ticket, late.receipt)).toBe(true)
})

test('a member gets a receipt before the seal, and after it also the proof up to the log', async () => {
  const member = members[3] as bigint
  const waiting = await world.ask(`GET /user/tickets/${DAY}`, { as: member })
  expect(waiting.body).toMatchObject({ day: DAY, proof: null })
  expect((await world.ask(`GET /public/draws/${DAY}/tickets`)).status).toBe(404)
  await world.goTo('2026-11-22T00:00:05+05:30')
  const { body, text } = await world.ask(`GET /user/tickets/${DAY}`, { as: member })
  expect(text.length).toBeLessThan(5_000)
  const key = (await world.ask('GET /user/ticket-key', { as: member })).body['key'] as string
  expect(body['ticket']).toBe(ticketOf(bytes(key), DAY).toString('hex'))
  expect(await isValid(DAY, body['ticket'], body['receipt'])).toBe(true)
  const { checkMyTicket } = (await import(new URL('../../../../verifier/src/my-ticket.ts', import.meta.url).href)) as {
    checkMyTicket: (input: object) => Promise<{ state: string; words: string }>
  }
  const input = { day: DAY, ticketKey: bytes(key), answer: body, logKey: await logKey(), source: {} }
  expect(await checkMyTicket(input)).toMatchObject({ state: 'included', hasReceipt: true })
  // Members see only their own entry, and a member without an entry gets 404.
  expect(await checkMyTicket({ ...input, ticketKey: Buffer.alloc(32) })).toMatchObject({ state: 'not-mine' })
  expect((await world.ask(`GET /user/tickets/${DAY}`, { as: members[39] as bigint })).status).toBe(404)
  expect((await world.ask('GET /user/tickets/2026-13-01', { as: member })).status).toBe(404)
})

test('an entry by Auto Participate has a receipt too, fetched later', async () => {
  const { body } = await world.ask('GET /user/tickets/2026-11-22', { as: members[39] as bigint })
  expect(await isValid('2026-11-22' as IstDay, body['ticket'], body['receipt'])).toBe(true)
})

test('final files are cached for ever, changing files for seconds, and a matching If-None-Match gets 304', async () => {
  const cacheOf = async (path: string) => (await world.ask(`GET ${path}`)).headers.get('cache-control') ?? ''
  for (const path of [
    `/public/draws/${DAY}`,
    `/public/draws/${DAY}/tickets`,
    `/public/books/${DAY}`,
    `/public/liabilities/${DAY}`,
    `/public/log/sealed/${DAY}`,
  ])
    expect(await cacheOf(path), path).toBe('public, max-age=31536000, immutable')
  for (const path of ['/public/log/checkpoint', '/public/log/key', '/public/log/entries/0', '/public/draws/2026-11-22'])
    expect(await cacheOf(path), path).toMatch(/^public, max-age=\d(,|$)/)
  for (const path of [
    '/public/books/2026-11-22',
    '/public/draws/2026-11-22/tickets',
    '/public/log/entries/9',
    '/public/log/entries/x',
    `/public/rules/${'0'.repeat(64)}`,
  ]) {
    const { status, headers } = await world.ask(`GET ${path}`)
    // A verifier on another origin must be able to read the 404.
    expect([status, headers.get('access-control-allow-origin')], path).toEqual([404, '*'])
  }
  const first = await world.ask(`GET /public/draws/${DAY}/tickets`)
  expect(first.headers.get('content-length')).toBe(String(39 * 32))
  const head = await world.ask(`HEAD /public/draws/${DAY}/tickets`)
  expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
    200,
    String(39 * 32),
    first.headers.get('etag'),
  ])
  const again = await world.ask(`GET /public/draws/${DAY}/tickets`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
  expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' })
  const { rules } = (await world.log())[0] as unknown as { rules: string }
  const page = await world.ask(`GET /public/rules/${rules}`)
  expect(hex(sha256(Buffer.from(page.text)))).toBe(rules)
})

test('every record is provably in the log, and every size is a prefix of every later one', async () => {
  const rows = await world.db.query<{ leaf: Buffer }>(sql`select leaf from log_entry order by index`)
  const leaves = rows.map(({ leaf }) => leaf)
  const size = leaves.length
  for (let index = 0; index < size; index++) {
    const { body } = await world.ask(`GET /public/log/inclusion?index=${index}&size=${size}`)
    const root = rootFromInclusion(leaves[index] as Buffer, index, size, (body['path'] as string[]).map(bytes))
    expect(root && hex(root)).toBe(hex(rootOf(leaves)))
  }
  expect((await world.ask(`GET /public/log/consistency?from=${size}&to=${size}`)).body).toEqual({ from: size, path: [], to: size })
  for (const query of [`from=0&to=${size}`, `from=3&to=${size + 1}`, `from=3&to=2`])
    expect((await world.ask(`GET /public/log/consistency?${query}`)).status).toBe(404)
  expect((await world.ask('GET /public/log/inclusion?index=x&size=2')).status).toBe(400)
})

test('a new log key is announced by a record that the old key signed, and earlier and later days pass', async () => {
  const old = await logKey()
  const said: string[] = []
  const command = {
    databaseUrl: world.database.appUrl,
    dataDir: '/nowhere',
    namedStatements: true,
    secretKey: 'a secret of the tests',
    secretKeyOld: undefined,
    say: (line: string) => void said.push(line),
  }
  expect(await rotateLogKey(command)).toBe(0)
  await world.runDue()
  const now = await logKey()
  expect(now).not.toBe(old)
  expect(said[0]).toContain(old)
  expect(said[1]).toContain(now)
  expect(await rotateLogKey(command)).toBe(1)
  expect(said.at(-1)).toBe('The key was replaced today already: once a day is the most.')
  expect(await logKey()).toBe(now)
  const { body } = await world.join(members[0] as bigint)
  const { ticket, receipt } = body['ticket'] as { ticket: string; receipt: Receipt }
  expect(await isValid('2026-11-22' as IstDay, ticket, receipt, now)).toBe(true)
  for (const key of [old, now]) {
    const { code, text } = await verifyDay({ url: world.url, day: DAY }, '--key', key)
    expect(code, text).toBe(VERDICT.weak)
  }
})

test('several processes make one checkpoint of a size; an altered log is not signed', async () => {
  await inTransaction(world.db, async (tx) => {
    await tx.query(sql`
      insert into log_entry (index, day, kind, bytes, leaf)
      select max(index) + 1, '2026-11-22', 'verifier', b.bytes, sha256('\\x00'::bytea || b.bytes)
        from log_entry, (select convert_to('{"day":"2026-11-22","kind":"verifier","program":"' || repeat('0', 64) || '","v":1}', 'utf8') as bytes) b group by b.bytes`)
  })
  const signers = Array.from({ length: 4 }, () => world.makeCheckpoints())
  const signed = await Promise.all(signers.map((signer) => signer.signNext()))
  expect(signed.filter(Boolean)).toHaveLength(1)
  const { twice } = await world.db.one<{ twice: number }>(sql`select count(*)::int - count(distinct size)::int as twice from checkpoint`)
  expect(twice).toBe(0)
  const owner = connect({ url: world.database.superUrl, max: 1 })
  const altered = async (statement: ReturnType<typeof sql>): Promise<void> => {
    await owner.query(sql`alter table log_entry disable trigger all`)
    await owner.query(statement)
    await owner.query(sql`alter table log_entry enable trigger all`)
  }
  const forged = Buffer.from('{"forged":1}')
  const { bytes: kept, leaf } = await world.db.one<{ bytes: Buffer; leaf: Buffer }>(sql`select bytes, leaf from log_entry where index = 1`)
  await altered(sql`update log_entry set bytes = ${forged}::bytea, leaf = ${Buffer.from(leafHash(sha256, forged))}::bytea where index = 1`)
  await altered(sql`
    insert into log_entry (index, day, kind, bytes, leaf)
    select max(index) + 1, '2026-12-30', 'verifier', '', sha256('\\x00'::bytea) from log_entry`)
  await expect(world.makeCheckpoints().signNext()).rejects.toThrow(/contradicts its checkpoint/)
  await altered(sql`delete from log_entry where day = '2026-12-30'`)
  await altered(sql`update log_entry set bytes = ${kept}::bytea, leaf = ${leaf}::bytea where index = 1`)
  await owner.close()
})

/**
 * The cost of My ticket on a day of a million entries, ten years on: the bytes of an answer, the blocks and rows read for it,
 * and the bytes on disk.
 *
 * - Costs are counted, not timed, so that a busy machine does not change them.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hex, leafHash, merkleRoot, subtreesRoot, u64 } from '@roz/core/draw.ts'
import { recordBytes } from '@roz/core/draw-records.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Db, queryableBy, type Sql, sql } from '../../db/sql.ts'
import { createCheckpoints } from '../../transparency-log/checkpoints.ts'
import { createLogKeys } from '../../transparency-log/log-key.ts'
import { createLogProofs } from '../../transparency-log/log-tree.ts'
import { cosign, parseNote, privateKeyObject, publicKeyOf, witnessKeyText } from '../../transparency-log/note.ts'
import { createReceipts } from '../../transparency-log/receipts.ts'
import { leafNode, leavesOf, nodeBytes, sumRoot } from '../../transparency-log/sum-tree.ts'
import { makeMember, serveCalls, type ServedCalls, testSecrets } from '../../testing/calls.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { walkParts } from '../../testing/walk-parts.ts'
import { TICKET_GROUP_BYTES, LIST_GROUP, LIST_PAGE, TICKET_BYTES } from '../../tickets/flat-list.ts'
import { sha256 } from '../../tickets/sha256.ts'
import { createTicketKeys } from '../../tickets/ticket-keys.ts'
import { ticketOf } from '../../tickets/ticket.ts'
import { createBooks } from '../books/books.ts'
import { partId } from '../books/cutting.ts'
import { LEAVES_GROUP, LEAVES_PAGE } from '../books/liabilities.ts'
import { createOpenLog } from './open-log.ts'

const IS_LONG = process.env['ROZ_TEST_ALL'] === '1'
const ENTRIES = IS_LONG ? 1_000_000 : 50_000
const PARTS = ENTRIES * 3
const DAY = '2026-11-21' as IstDay
/** The member's parts: three, as most balances have. */
const AMOUNTS = [700, 300, 500]
const RECORDS = IS_LONG ? 14_600 : 1_400

let database: TestDatabase
let owner: Db
let calls: ServedCalls
let member: bigint
let key: Buffer
let seen: { blocks: number; rows: number } = { blocks: 0, rows: 0 }

type Plan = { readonly 'Actual Rows'?: number; readonly 'Actual Loops'?: number; readonly Plans?: readonly Plan[] } & Readonly<
  Record<string, unknown>
>
type Explained = { readonly Plan: Plan; readonly Serialization?: Readonly<Record<string, unknown>> }
const rowsOf = (plan: Plan): number =>
  (plan['Actual Rows'] ?? 0) * (plan['Actual Loops'] ?? 1) + (plan.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0)
const blocksOf = (of: Readonly<Record<string, unknown>> | undefined): number =>
  Number(of?.['Shared Hit Blocks'] ?? 0) + Number(of?.['Shared Read Blocks'] ?? 0)

/** A database that counts the rows and blocks that each statement reads, out-of-line (TOAST) values included. */
const counting = (db: Db): Db => ({
  ...db,
  ...queryableBy(async <Row extends object>(statement: Sql): Promise<Row[]> => {
    const told = await db.one<{ 'QUERY PLAN': [Explained] }>(sql`explain (analyze, buffers, serialize binary, format json) ${statement}`)
    const [{ Plan: plan, Serialization: serialization }] = told['QUERY PLAN']
    seen = { blocks: seen.blocks + blocksOf(plan) + blocksOf(serialization), rows: seen.rows + rowsOf(plan) }
    return db.query<Row>(statement)
  }),
})

beforeAll(async () => {
  database = await createTestDatabase()
  owner = connect({ url: database.superUrl, max: 2, queryTimeoutMs: 120_000 })
  await database.setClock(new Date(`${addDays(DAY, 1)}T09:00:00+05:30`))
  const { db } = database
  member = await makeMember(db)
  const ticketKeys = createTicketKeys({ secrets: testSecrets })
  key = Buffer.from((await ticketKeys.get(db, member, DAY)).key, 'hex')
  await putEntry()
  const root = await putTickets()
  const liabilities = await putParts()
  await putLog(root, liabilities)
  const counted = counting(db)
  const keys = createLogKeys({ secrets: testSecrets, origin: 'roz.example/log' })
  const checkpoints = createCheckpoints({ db, keys, alarm: () => undefined })
  await checkpoints.signNext()
  await putCosignatures()
  const read = createCheckpoints({ db: counted, keys, alarm: () => undefined })
  const proofs = createLogProofs({ db: counted, checkpoints: read })
  const receipts = createReceipts({ db: counted, keys, ticketKeys })
  const openLog = createOpenLog({ db: counted, witnessDb: counted, keys, checkpoints: read, proofs, receipts })
  const books = createBooks({ db: counted, ticketKeys, proofs, alarm: () => undefined })
  calls = await serveCalls(db, { ...openLog.handlers, ...books.handlers })
}, 900_000)
afterAll(async () => {
  await calls.close()
  await owner.close()
  await database.dropUnaudited()
})

/** Values whose first bytes ascend evenly, like sorted hashes, with the given values among them. */
function ascending(count: number, bytes: number, given: readonly Buffer[]): Buffer {
  const step = (1n << 64n) / BigInt(count) + 1n
  const all = randomBytes(count * bytes)
  for (let n = 0; n < count; n++) all.writeBigUInt64BE(BigInt(n) * step, n * bytes)
  for (const value of given) value.copy(all, Number(value.readBigUInt64BE() / step) * bytes)
  return all
}

async function putEntry(): Promise<void> {
  // Triggers are off: one entry represents a million.
  await owner.withConnection(async (connection) => {
    await connection.query(sql`select make_join_month(${DAY}::date)`)
    await connection.query(sql`set session_replication_role = replica`)
    await connection.query(sql`
    with batch as (insert into join_batch (uuid, day, via, n, amount) values (gen_random_uuid(), ${DAY}::date, 'member', 1, 100) returning batch_id)
    insert into round_join (batch_id, member_id, balance_after, wallet_seq, day) select batch_id, ${member}::bigint, 1500, 1, ${DAY}::date from batch`)
    await connection.query(sql`update wallet set balance = 1500, seq = 1, joins = 1 where member_id = ${member}::bigint`)
    await connection.query(sql`reset session_replication_role`)
  })
}

async function putTickets(): Promise<Uint8Array> {
  const list = ascending(ENTRIES, TICKET_BYTES, [ticketOf(key, DAY)])
  const roots: Uint8Array[] = []
  for (let page = 0; page * LIST_PAGE < ENTRIES; page++) {
    const tickets = list.subarray(page * LIST_PAGE * TICKET_BYTES, (page + 1) * LIST_PAGE * TICKET_BYTES)
    const groups: Buffer[] = []
    const nodes: Uint8Array[] = []
    for (let from = 0; from < tickets.length; from += LIST_GROUP * TICKET_BYTES) {
      const some = tickets.subarray(from, from + LIST_GROUP * TICKET_BYTES)
      const entries = Array.from({ length: some.length / TICKET_BYTES }, (_, n) => some.subarray(n * TICKET_BYTES, (n + 1) * TICKET_BYTES))
      const node = Buffer.from(merkleRoot(sha256, entries))
      nodes.push(node)
      groups.push(Buffer.concat([some.subarray(0, TICKET_BYTES), node]))
    }
    expect(groups.every((group) => group.length === TICKET_GROUP_BYTES)).toBe(true)
    const root = Buffer.from(subtreesRoot(sha256, nodes))
    roots.push(root)
    await owner.query(sql`
      insert into ticket_page (day, page, first_ticket, tickets, groups, root)
      values (${DAY}::date, ${page}::int, ${tickets.subarray(0, TICKET_BYTES)}::bytea, ${tickets}::bytea, ${Buffer.concat(groups)}::bytea, ${root}::bytea)`)
  }
  return subtreesRoot(sha256, roots)
}

async function putParts() {
  const own = AMOUNTS.map((amount, j) => Buffer.concat([partId(key, DAY, j), u64(amount)]))
  const list = ascending(PARTS, 40, own)
  const places = new Set(own.map((part) => list.indexOf(part)))
  for (let at = 0; at < list.length; at += 40) if (!places.has(at)) list.writeBigUInt64BE(BigInt(1 + (at % 999)), at + 32)
  const pages = []
  for (let page = 0; page * LEAVES_PAGE < PARTS; page++) {
    const leaves = list.subarray(page * LEAVES_PAGE * 40, (page + 1) * LEAVES_PAGE * 40)
    const groups: Buffer[] = []
    const nodes = []
    for (let from = 0; from < leaves.length; from += LEAVES_GROUP * 40) {
      const some = leaves.subarray(from, from + LEAVES_GROUP * 40)
      const node = sumRoot(leavesOf(some).map(leafNode))
      nodes.push(node)
      groups.push(Buffer.concat([some.subarray(0, 32), nodeBytes(node)]))
    }
    const node = sumRoot(nodes)
    pages.push(node)
    await owner.query(sql`
      insert into liability_page (day, page, first_id, first_position, leaves, groups, hash, total)
      values (${DAY}::date, ${page}::int, ${leaves.subarray(0, 32)}::bytea, ${page * LEAVES_PAGE}::bigint, ${leaves}::bytea, ${Buffer.concat(groups)}::bytea,
              ${Buffer.from(node.hash)}::bytea, ${node.sum}::bigint)`)
  }
  const { hash, sum } = sumRoot(pages)
  return { count: PARTS, root: hex(hash), total: sum }
}

/** A log of ten years, one record a row, with the records of the day. */
async function putLog(root: Uint8Array, liabilities: { count: number; root: string; total: number }): Promise<void> {
  const books = Buffer.from(JSON.stringify({ day: DAY, liabilities, v: 1 }))
  await owner.query(sql`insert into books_day (day, bytes, help_in, help_out) values (${DAY}::date, ${books}::bytea, 0, 0)`)
  const seal = { count: ENTRIES, root: hex(root), round: 0, sealedAt: Date.parse('2026-11-22T00:00:02+05:30') }
  const own = [
    recordBytes({ v: 1, kind: 'close', day: DAY, ...seal }),
    recordBytes({ v: 1, kind: 'books', day: DAY, books: hex(sha256(books)) }),
  ]
  const others = Array.from({ length: RECORDS - 2 }, (_, n) => {
    const day = addDays(DAY, -1 - n)
    return { day, kind: 'verifier', bytes: recordBytes({ v: 1, kind: 'verifier', day, program: '0'.repeat(64) }) }
  })
  const all = [...others, { day: DAY, kind: 'close', bytes: own[0] }, { day: DAY, kind: 'books', bytes: own[1] }].map((record) => ({
    ...record,
    bytes: Buffer.from(record.bytes ?? []),
  }))
  await owner.query(sql`
    insert into log_entry (index, day, kind, bytes, leaf)
    select ord - 1, day, kind, bytes, leaf
      from unnest(${all.map(({ day }) => day)}::date[], ${all.map(({ kind }) => kind)}::text[], ${all.map(({ bytes }) => bytes)}::bytea[],
                  ${all.map(({ bytes }) => Buffer.from(leafHash(sha256, bytes)))}::bytea[]) with ordinality as r(day, kind, bytes, leaf, ord)`)
  await owner.query(sql`analyze log_entry, ticket_page, liability_page`)
}

async function putCosignatures(): Promise<void> {
  const [row] = await owner.query<{ size: bigint; body: string }>(sql`select size, body from checkpoint`)
  const text = parseNote(row?.body ?? '')?.text ?? ''
  for (const name of ['witness-one.example', 'witness-two.example']) {
    const privateKey = privateKeyObject(randomBytes(32))
    await owner.query(sql`
      insert into cosignature (size, key, name, time_seconds, line)
      values (${row?.size ?? 0n}::bigint, ${witnessKeyText(name, publicKeyOf(privateKey))}::text, ${name}::text, 1, ${cosign(text, { name, privateKey }, 1)}::text)`)
  }
}

/** Asks twice and counts the second answer: each process reads the log's tree once. */
async function cost(path: string) {
  await calls.ask(path, { as: member })
  seen = { blocks: 0, rows: 0 }
  const answer = await calls.ask(path, { as: member })
  expect(answer.status, answer.text).toBe(200)
  return { answer, bytes: Buffer.byteLength(answer.text), ...seen }
}

test('an entry is proven in less than 5 kB, with fewer than 150 blocks read', async () => {
  const { answer, bytes, blocks, rows } = await cost(`GET /user/tickets/${DAY}`)
  const { checkMyTicket } = (await import(new URL('../../../../verifier/src/my-ticket.ts', import.meta.url).href)) as {
    checkMyTicket: (input: object) => Promise<{ state: string; words: string }>
  }
  const logKey = (await calls.ask('GET /public/log/key')).text.trim()
  expect(await checkMyTicket({ day: DAY, ticketKey: key, answer: answer.body, logKey, source: {} })).toMatchObject({
    state: 'included',
    count: ENTRIES,
  })
  expect(bytes).toBeLessThan(5_000)
  expect(blocks).toBeLessThan(150)
  expect(rows).toBeLessThan(500)
})

test('the first two parts are proven in less than 5 kB, and the rest with few more blocks', async () => {
  const { answer, bytes, blocks, rows } = await cost(`GET /user/liabilities/${DAY}`)
  const body = answer.body as {
    root: string
    total: number
    count: number
    nodes: string
    next: number
    parts: { amount: number; position: number }[]
  }
  expect(body.parts.map(({ amount }) => amount)).toEqual(AMOUNTS.slice(0, 2))
  const reached = walkParts(body, DAY, key, 0)
  expect([hex(reached.hash), reached.sum, body.next]).toEqual([body.root, body.total, 2])
  const rest = await cost(`GET /user/liabilities/${DAY}?from=2&limit=128`)
  expect(hex(walkParts(rest.answer.body as typeof body, DAY, key, 2).hash)).toBe(body.root)
  expect(bytes).toBeLessThan(5_000)
  expect(Math.max(blocks, rest.blocks)).toBeLessThan(250)
  expect(rows).toBeLessThan(2_000)
})

/** A table with its long values and all indexes, without the map of free space. */
async function bytesOnDisk(table: string): Promise<number> {
  const { bytes } = await owner.one<{ bytes: number }>(sql`
    with whole as (select unnest(array[oid, reltoastrelid]) as oid from pg_class where oid = ${table}::text::regclass)
    select sum(pg_relation_size(oid))::float8 as bytes
      from (select oid from whole union select indexrelid from pg_index where indrelid in (select oid from whole)) files`)
  return bytes
}

/** A short list ends in blocks that are not full. */
const MARGIN = IS_LONG ? 0.5 : 1.5

test('the pages state the bytes that a ticket and a part take on disk', async () => {
  const page = (name: string): string => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8')
  const ticket = (await bytesOnDisk('ticket_page')) / ENTRIES
  const part = (await bytesOnDisk('liability_page')) / PARTS
  expect(Math.abs(ticket - 34)).toBeLessThan(MARGIN)
  expect(Math.abs(part - 43)).toBeLessThan(MARGIN)
  expect(page('runbooks/archive.md')).toContain('34 bytes a ticket, 43 a part and day')
  expect(page('performance.md')).toContain('34 bytes an entry on disk')
})

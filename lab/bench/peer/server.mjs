/**
 * The peer: a wallet built the usual way, with Express, an ORM, a transaction per request and a statement per row.
 *
 * - It has the three calls that the bench compares: join, current round, transactions.
 * - It is as fast as that design allows: prepared named statements, reads by key, conditional updates instead of locks.
 * - No row is updated by all requests: the round's total is counted and cached for 1 s.
 * - It has one connection pool, a buffered log and no unneeded middleware.
 * - Its guarantees are weaker than the product's: no double entry, no cut-off between days, no receipt,
 *   and no replay of a lost answer.
 */
import { createHash, createHmac } from 'node:crypto'
import { and, count, desc, eq, gt, gte, lt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import express from 'express'
import pg from 'pg'
import { pino } from 'pino'
import { entries, members, rounds, sessions, transactions, wallets } from './schema.mjs'

const { DATABASE_URL, PORT, TICKET_SECRET, DAY } = process.env
const FEE = 100
const CONNECTIONS = 16
const TOTALS_FRESH_MS = 1000

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: CONNECTIONS })
const db = drizzle(pool)
const log = pino(pino.destination({ fd: 1, sync: false, minLength: 4096 }))

const findSession = db
  .select({ memberId: sessions.memberId, verified: members.verified, suspended: members.suspended })
  .from(sessions)
  .innerJoin(members, eq(members.id, sessions.memberId))
  .where(and(eq(sessions.tokenHash, sql.placeholder('hash')), gt(sessions.expiresAt, sql`now()`)))
  .prepare('find_session')
const findRound = db
  .select()
  .from(rounds)
  .where(eq(rounds.day, sql.placeholder('day')))
  .prepare('find_round')
const countEntries = db
  .select({ total: count() })
  .from(entries)
  .where(eq(entries.day, sql.placeholder('day')))
  .prepare('count_entries')
const findEntry = db
  .select({ day: entries.day })
  .from(entries)
  .where(and(eq(entries.day, sql.placeholder('day')), eq(entries.memberId, sql.placeholder('member'))))
  .prepare('find_entry')
const findWallet = db
  .select()
  .from(wallets)
  .where(eq(wallets.memberId, sql.placeholder('member')))
  .prepare('find_wallet')
const listTransactions = db
  .select()
  .from(transactions)
  .where(and(eq(transactions.memberId, sql.placeholder('member')), lt(transactions.id, sql.placeholder('before'))))
  .orderBy(desc(transactions.id))
  .limit(21)
  .prepare('list_transactions')

/** Statements of a transaction, prepared under one name on each connection. */
const take = (tx, memberId, amount) =>
  tx
    .update(wallets)
    .set({ balance: sql`${wallets.balance} - ${amount}` })
    .where(and(eq(wallets.memberId, memberId), gte(wallets.balance, amount)))
    .returning({ balance: wallets.balance })
    .prepare('take')
    .execute()
const write = (tx, row) => tx.insert(transactions).values(row).prepare('write_transaction').execute()

class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

async function signedIn(request, _response, next) {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  const hash = token === undefined ? '' : createHash('sha256').update(token).digest('hex')
  const [session] = await findSession.execute({ hash })
  if (session === undefined) throw new Refusal(401, 'Please sign in.')
  if (!session.verified || session.suspended) throw new Refusal(403, 'Your account is on hold.')
  request.memberId = session.memberId
  next()
}

/** Counted at most once a second, whatever the number of readers. */
let totals = { at: Number.NEGATIVE_INFINITY, entries: 0 }
async function totalEntries() {
  if (performance.now() - totals.at > TOTALS_FRESH_MS) {
    const at = performance.now()
    const [{ total }] = await countEntries.execute({ day: DAY })
    totals = { at, entries: total }
  }
  return totals.entries
}

const app = express()
app.disable('x-powered-by').disable('etag')
app.use((request, response, next) => {
  const began = performance.now()
  response.once('finish', () => {
    log.info({ method: request.method, route: request.route?.path, status: response.statusCode, ms: Math.round(performance.now() - began) })
  })
  next()
})

app.post('/rounds/join', express.json(), signedIn, async (request, response) => {
  const { memberId } = request
  const [round] = await findRound.execute({ day: DAY })
  if (round?.status !== 'open' || round.closesAt <= new Date()) throw new Refusal(409, 'This round is closed.')
  const ticket = createHmac('sha256', TICKET_SECRET).update(`${memberId}:${DAY}`).digest('hex')
  const balance = await db.transaction(async (tx) => {
    const entered = await tx
      .insert(entries)
      .values({ day: DAY, memberId, ticket })
      .onConflictDoNothing()
      .returning({ day: entries.day })
      .prepare('enter')
      .execute()
    if (entered.length === 0) throw new Refusal(409, 'You have already joined.')
    const [wallet] = await take(tx, memberId, FEE)
    if (wallet === undefined) throw new Refusal(409, 'Insufficient balance')
    await write(tx, { memberId, kind: 'join', amount: -FEE, balance: wallet.balance, reference: `${DAY}:${memberId}` })
    return wallet.balance
  })
  response.json({ balance: balance / 100, ticket: { day: DAY, ticket } })
})

app.get('/rounds/current', signedIn, async (request, response) => {
  const [[round], entered, total] = await Promise.all([
    findRound.execute({ day: DAY }),
    findEntry.execute({ day: DAY, member: request.memberId }),
    totalEntries(),
  ])
  response.json({
    id: round.day,
    status: round.status,
    totalParticipants: total,
    totalAmount: total,
    endTime: round.closesAt,
    hasParticipated: entered.length > 0,
  })
})

app.get('/wallet/transactions', signedIn, async (request, response) => {
  const before = Number(request.query.cursor ?? Number.MAX_SAFE_INTEGER)
  const [[wallet], page] = await Promise.all([
    findWallet.execute({ member: request.memberId }),
    listTransactions.execute({ member: request.memberId, before }),
  ])
  const shown = page.slice(0, 20)
  response.json({
    balance: wallet.balance / 100,
    results: shown.map((row) => ({ ...row, amount: row.amount / 100, balance: row.balance / 100 })),
    nextCursor: page.length > 20 ? String(shown.at(-1).id) : null,
  })
})

// Express recognises an error handler by its four parameters.
app.use((error, _request, response, _next) => {
  if (!(error instanceof Refusal)) log.error({ err: error })
  response.status(error.status ?? 500).json({ message: error.message })
})

app.listen(Number(PORT), '127.0.0.1', () => process.send?.('listening'))
process.once('disconnect', () => process.exit(0))

/**
 * Simulates a community over many days: the published files that a stranger sees, and the truth only for the referee.
 * - Tickets and parts are made by the server's own code. The same seed makes the same days.
 * - A leak changes one way of publishing and nothing that members do.
 */
import { createHash, createHmac } from 'node:crypto'
import { u64 } from '@roz/core/draw.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { cut, type DrawNumber, partId } from '../../features/books/cutting.ts'
import { ticketOf } from '../../tickets/ticket.ts'

/** Deliberate leaks in publishing. They test the attacks: an attack that cannot use its leak would never find anything. */
export const LEAKS = [
  'one ticket for all days',
  'each ticket a hash of the one before',
  'lists in the order of members',
  'whole balances',
  'cut into the fewest parts',
  'parts larger than most balances',
  'cut the same way each day',
  'parts of one member side by side',
  'ids of parts made of the ticket',
] as const
export type Leak = (typeof LEAKS)[number]

export type Part = { readonly id: string; readonly amount: number }
export type PublishedDay = {
  readonly day: IstDay
  readonly tickets: readonly string[]
  readonly winner: { readonly position: number; readonly ticket: string; readonly amount: number }
  readonly parts: readonly Part[]
}
/** The secret truth: the owner of each ticket and part, and the winner of each day. */
type Truth = {
  readonly winners: readonly (number | undefined)[]
  readonly ticketOf: (day: number, member: number | undefined) => string | undefined
  readonly ownerOfPart: (day: number, id: string) => number | undefined
}
export type Community = { readonly days: readonly PublishedDay[]; readonly truth: Truth }

/** Pseudo-random numbers, the same for one seed. */
function drawFrom(seed: number): DrawNumber {
  let state = seed >>> 0
  return (low, high) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return low + Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * (high - low))
  }
}

const sha = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

type Member = { readonly key: Buffer; readonly isAuto: boolean; readonly joinsOften: number; readonly since: number; balance: number }
type Plan = { readonly seed: number; readonly members: number; readonly days: number; readonly leak?: Leak }

const FIRST = '2026-03-01' as IstDay
const FEE = 100

/** Members of whom 70 % use Auto Participate and the others join on some days; a quarter arrive later. */
function makeMembers({ seed, members, days }: Plan, draw: DrawNumber): Member[] {
  return Array.from({ length: members }, (_, n) => ({
    key: sha(`${seed} key ${n}`),
    isAuto: draw(0, 10) < 7,
    joinsOften: draw(2, 10),
    since: draw(0, 4) === 0 ? draw(1, days >> 1) : 0,
    balance: 0,
  }))
}

function passMorning(members: readonly Member[], day: number, draw: DrawNumber): void {
  for (const member of members) {
    if (member.since > day) continue
    if (member.balance < FEE && (member.since === day || draw(0, 3) > 0)) member.balance += [1000, 2000, 3000][draw(0, 3)] as number
    // With more than ₹100, a member withdraws whole rupees now and then.
    if (member.balance > 10_000 && draw(0, 12) === 0) member.balance -= 100 * draw(50, Math.floor(member.balance / 100))
  }
}

export function makeCommunity(plan: Plan): Community {
  const { days: count, leak } = plan
  const draw = drawFrom(plan.seed)
  const members = makeMembers(plan, draw)
  const days: PublishedDay[] = []
  const winners: number[] = []
  const tickets: ReadonlyMap<number, string>[] = []
  const owners: ReadonlyMap<string, number>[] = []
  let owed: { readonly member: Member; readonly amount: number } | undefined
  for (let at = 0; at < count; at++) {
    const day = addDays(FIRST, at)
    // The prize of yesterday's round is paid after midnight.
    if (owed !== undefined) owed.member.balance += owed.amount
    passMorning(members, at, draw)
    const entrants = members.flatMap((member, n) => {
      const isIn = member.since <= at && member.balance >= FEE && (member.isAuto || draw(0, 10) < member.joinsOften)
      if (isIn) member.balance -= FEE
      return isIn ? [n] : []
    })
    const list = entrants.map((n) => ({ n, ticket: publishTicket(members[n] as Member, at, leak) }))
    if (leak !== 'lists in the order of members') list.sort((a, b) => (a.ticket < b.ticket ? -1 : 1))
    const position = draw(0, list.length)
    const winner = list[position] as (typeof list)[number]
    const amount = Math.floor((30 * FEE * list.length) / 100)
    owed = { member: members[winner.n] as Member, amount }
    const parts = publishParts(members, at, draw, leak)
    days.push({
      day,
      tickets: list.map(({ ticket }) => ticket),
      winner: { position, ticket: winner.ticket, amount },
      parts: parts.map(({ id, amount: size }) => ({ id, amount: size })),
    })
    winners.push(winner.n)
    tickets.push(new Map(list.map(({ n, ticket }) => [n, ticket])))
    owners.push(new Map(parts.map(({ id, n }) => [id, n])))
  }
  const truth: Truth = {
    winners,
    ticketOf: (day, member) => (member === undefined ? undefined : tickets[day]?.get(member)),
    ownerOfPart: (day, id) => owners[day]?.get(id),
  }
  return { days, truth }
}

function publishTicket({ key }: Member, at: number, leak: Leak | undefined): string {
  if (leak === 'one ticket for all days') return ticketOf(key, FIRST).toString('hex')
  if (leak !== 'each ticket a hash of the one before') return ticketOf(key, addDays(FIRST, at)).toString('hex')
  let ticket: Buffer = ticketOf(key, FIRST)
  for (let day = 0; day < at; day++) ticket = sha(ticket)
  return ticket.toString('hex')
}

type Owned = Part & { readonly n: number }

function publishParts(members: readonly Member[], at: number, draw: DrawNumber, leak: Leak | undefined): Owned[] {
  const day = addDays(FIRST, at)
  const all = members.flatMap(({ key, balance }, n): Owned[] => {
    const amounts = cutAs(leak, balance, draw, n)
    const ticket = ticketOf(key, day)
    const idOf = (j: number): Buffer => (leak === 'ids of parts made of the ticket' ? sha(ticket, u64(j)) : partId(key, day, j))
    return amounts.map((amount, j) => ({ n, amount, id: idOf(j).toString('hex') }))
  })
  const isGrouped = leak === 'parts of one member side by side'
  return isGrouped ? all : all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

const MOST = 5000
const LARGE = 4000
function cutAs(leak: Leak | undefined, balance: number, draw: DrawNumber, n: number): number[] {
  if (balance === 0) return []
  if (leak === 'whole balances') return [balance]
  if (leak === 'cut the same way each day') return cut(balance, drawFrom(n))
  if (leak === 'parts larger than most balances') return cutUpTo(LARGE, balance, draw)
  if (leak !== 'cut into the fewest parts') return cut(balance, draw)
  const whole = Array.from({ length: Math.floor(balance / MOST) }, () => MOST)
  return balance % MOST === 0 ? whole : [...whole, balance % MOST]
}

function cutUpTo(most: number, balance: number, draw: DrawNumber): number[] {
  const parts: number[] = []
  for (let rest = balance; rest > 0; rest -= parts.at(-1) as number) parts.push(Math.min(rest, draw(1, most + 1)))
  return parts
}

export const hmacHex = (key: string, text: string): string => createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex')
export const shaHex = (hex: string, ...more: readonly Uint8Array[]): string => sha(Buffer.from(hex, 'hex'), ...more).toString('hex')

/**
 * Attacks that try to follow past winners through the published files.
 * - An attack sees published files only and guesses; it never gets the truth.
 * - The referee knows the truth and compares the hits with blind guessing.
 */
import { u64 } from '@roz/core/draw.ts'
import { hmacHex, type Part, type PublishedDay, shaHex, type Community } from './community.ts'

/** Number of guesses and hits, the hits expected by chance, and the distance between the two in standard deviations. */
export type Score = { readonly tries: number; readonly hits: number; readonly byChance: number; readonly sigmas: number }

/** The number of days after the win on which each winner is searched. */
const LATER = [1, 2, 3, 5, 8] as const

/** Guesses a few tickets of a later day that may be the winner's. */
type TicketAttack = (won: PublishedDay, later: PublishedDay) => readonly string[]
/** Guesses parts at the end of a later day that may be the winner's. */
type PartAttack = (won: PublishedDay, later: PublishedDay, before: PublishedDay) => readonly Part[]

const bitsApart = (a: string, b: string): number => {
  let bits = 0
  for (let at = 0; at < a.length; at += 8) {
    let x = Number.parseInt(a.slice(at, at + 8), 16) ^ Number.parseInt(b.slice(at, at + 8), 16)
    for (; x !== 0; x &= x - 1) bits++
  }
  return bits
}

/** Tickets and hashes that a careless system could derive from an earlier ticket. */
function descendants(ticket: string, later: PublishedDay): string[] {
  const chain = [ticket]
  for (let step = 0; step < Math.max(...LATER); step++) chain.push(shaHex(chain.at(-1) as string))
  return [...chain, hmacHex(ticket, later.day), hmacHex(ticket, `roz/v1/ticket\n${later.day}`)]
}

const around = (list: readonly string[], place: number): readonly string[] => {
  const width = Math.ceil(list.length / 40)
  return list.slice(Math.max(0, Math.round(place) - width), Math.round(place) + width + 1)
}

const TICKETS = {
  'by its look': (won, { tickets }) => {
    const apart = tickets.map((ticket) => bitsApart(ticket, won.winner.ticket))
    return [tickets[apart.indexOf(Math.min(...apart))] as string]
  },
  'by what it was made of': (won, later) => {
    const made = new Set(descendants(won.winner.ticket, later))
    return [later.tickets.find((ticket) => made.has(ticket)) ?? (later.tickets[0] as string)]
  },
  'by its line': (won, { tickets }) => around(tickets, won.winner.position),
  'by its place from top to bottom': (won, { tickets }) => around(tickets, (won.winner.position / won.tickets.length) * tickets.length),
  'by its first digits': (won, { tickets }) =>
    around(
      tickets,
      tickets.findIndex((ticket) => ticket >= won.winner.ticket),
    ),
} as const satisfies Readonly<Record<string, TicketAttack>>

/** Finds a run of neighbouring parts that could be one balance with the prize in it. */
function runOf({ amount: prize }: PublishedDay['winner'], parts: readonly Part[]): readonly Part[] {
  for (let from = 0; from < parts.length; from++) {
    let sum = 0
    for (let to = from; to < parts.length && to < from + 40; to++) {
      sum += (parts[to] as Part).amount
      if (sum >= prize && sum < prize + 4000 && sum % 100 === prize % 100) return parts.slice(from, to + 1)
    }
  }
  return parts.slice(0, 1)
}

const PARTS = {
  'the largest': (_won, { parts }) => parts.toSorted((a, b) => b.amount - a.amount).slice(0, 5),
  'with the odd paise of the prize': ({ winner }, { parts }) => {
    const odd = parts.filter(({ amount }) => amount % 100 === winner.amount % 100)
    return odd.toSorted((a, b) => b.amount - a.amount).slice(0, 3)
  },
  'nearest to the prize': ({ winner }, { parts }) =>
    parts.toSorted((a, b) => Math.abs(a.amount - winner.amount) - Math.abs(b.amount - winner.amount)).slice(0, 3),
  'neighbours that add up to it': ({ winner }, { parts }) => runOf(winner, parts),
  'pairs that add up to it': ({ winner }, { parts }) => {
    const wanted = new Map(parts.map((part) => [winner.amount - part.amount, part]))
    const found = parts.find(({ amount }) => wanted.has(amount))
    return found === undefined ? parts.slice(0, 1) : [found, wanted.get(found.amount) as Part]
  },
  'sizes that were not there the day before': (_won, { parts }, before) => {
    const known = new Set(before.parts.map(({ amount }) => amount))
    return parts.filter(({ amount }) => !known.has(amount)).slice(0, 20)
  },
  'at the place of the winning line': (won, { parts }) =>
    parts.slice(Math.floor((won.winner.position / won.tickets.length) * parts.length)).slice(0, 5),
} as const satisfies Readonly<Record<string, PartAttack>>

/** Adds up guesses with different chances. */
function tally() {
  let [tries, hits, byChance, variance] = [0, 0, 0, 0]
  return {
    add(isHit: boolean, chance: number): void {
      tries += 1
      hits += Number(isHit)
      byChance += chance
      variance += chance * (1 - chance)
    },
    // Subtracts half a hit and adds one to the variance, so one rare hit alone is no finding.
    score: (): Score => ({ tries, hits, byChance, sigmas: (hits - byChance - 0.5) / Math.sqrt(variance + 1) }),
  }
}

function followTickets({ days, truth }: Community, attack: TicketAttack): Score {
  const count = tally()
  for (const [at, won] of days.entries())
    for (const ahead of LATER) {
      const later = days[at + ahead]
      const own = truth.ticketOf(at + ahead, truth.winners[at])
      if (later === undefined || own === undefined) continue
      const guesses = attack(won, later)
      count.add(guesses.includes(own), guesses.length / later.tickets.length)
    }
  return count.score()
}

function followParts({ days, truth }: Community, attack: PartAttack): Score {
  const count = tally()
  for (const [at, won] of days.entries())
    for (const ahead of LATER) {
      const later = days[at + ahead]
      if (later === undefined || later.parts.length === 0) continue
      const isOwn = ({ id }: Part): boolean => truth.ownerOfPart(at + ahead, id) === truth.winners[at]
      const chance = later.parts.filter(isOwn).length / later.parts.length
      const guesses = attack(won, later, days[at + ahead - 1] as PublishedDay)
      for (const guess of guesses) count.add(isOwn(guess), chance)
    }
  return count.score()
}

/** Guesses that parts of one size on two days belong to one member. */
function linkSizes({ days, truth }: Community): Score {
  const count = tally()
  for (const [at, today] of days.entries()) {
    const next = days[at + 1]
    if (next === undefined) continue
    const owned = new Map<number | undefined, number>()
    for (const { id } of next.parts) {
      const owner = truth.ownerOfPart(at + 1, id)
      owned.set(owner, (owned.get(owner) ?? 0) + 1)
    }
    const bySize = new Map(next.parts.map((part) => [part.amount, part]))
    for (const part of today.parts) {
      const guess = bySize.get(part.amount)
      if (guess === undefined) continue
      const owner = truth.ownerOfPart(at, part.id)
      count.add(truth.ownerOfPart(at + 1, guess.id) === owner, (owned.get(owner) ?? 0) / next.parts.length)
    }
  }
  return count.score()
}

/** Guesses that neighbouring parts in the file belong to one member. */
function linkNeighbours({ days, truth }: Community): Score {
  const count = tally()
  for (const [at, { parts }] of days.entries()) {
    const owners = parts.map(({ id }) => truth.ownerOfPart(at, id))
    const owned = new Map<number | undefined, number>()
    for (const owner of owners) owned.set(owner, (owned.get(owner) ?? 0) + 1)
    for (const [n, owner] of owners.entries())
      if (n > 0) count.add(owner === owners[n - 1], ((owned.get(owner) ?? 1) - 1) / Math.max(1, parts.length - 1))
  }
  return count.score()
}

/** Guesses that a part whose id can be computed from the winner's ticket is the winner's. */
function findIdsOfTickets({ days, truth }: Community): Score {
  const count = tally()
  for (const [at, { winner, parts, day }] of days.entries()) {
    const made = new Set(
      [0, 1, 2].flatMap((j) => [shaHex(winner.ticket, u64(j)), hmacHex(winner.ticket, `roz/v1/id\n${day}${j}`), shaHex(winner.ticket)]),
    )
    const isOwn = ({ id }: Part): boolean => truth.ownerOfPart(at, id) === truth.winners[at]
    const guess = parts.find(({ id }) => made.has(id)) ?? parts[0]
    if (guess !== undefined) count.add(isOwn(guess), parts.filter(isOwn).length / parts.length)
  }
  return count.score()
}

/** The score of every attack, by its name. */
export function followEveryone(community: Community): Readonly<Record<string, Score>> {
  const entries: [string, Score][] = [
    ...Object.entries(TICKETS).map(([name, attack]): [string, Score] => [`ticket ${name}`, followTickets(community, attack)]),
    ...Object.entries(PARTS).map(([name, attack]): [string, Score] => [`parts: ${name}`, followParts(community, attack)]),
    ['parts: of the same size next day', linkSizes(community)],
    ['parts: neighbours in the file', linkNeighbours(community)],
    ['parts: ids made of a ticket', findIdsOfTickets(community)],
  ]
  return Object.fromEntries(entries)
}

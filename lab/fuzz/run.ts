/**
 * Sends fuzzed requests one after the other, and judges each: its answer by the contract, a refused one by the rows it changed.
 * - The worker is paused during a batch, so each change belongs to the preceding request. Between batches it runs due work.
 * - Every few batches a day passes: rounds are drawn, books are made, sessions end.
 */
import { api, type CallName } from '@roz/contract/api.ts'
import { runAudit } from '@roz/server/ledger/audit.ts'
import { createDice } from '../faults/random.ts'
import { type Change, recordsRefusal, takeChanges } from './changes.ts'
import { judgeAnswer } from './judge-answer.ts'
import { type FuzzRequest, makeRequest, NAMES } from './requests.ts'
import { type Answer, createSender } from './send.ts'
import { openWorld } from './world.ts'

type FuzzOptions = {
  readonly requests: number
  readonly seed: number
  /** With the demo community, or with new data only. */
  readonly demo?: boolean
  /** Without a payout gateway: finance pays withdrawals by hand. */
  readonly byHand?: boolean
  readonly goesOn?: () => boolean
  readonly say?: (line: string) => void
}
type Finding = { readonly what: string; readonly call: CallName; readonly times: number; readonly example: string }
type CallCount = { accepted: number; refused: number }
type FuzzResult = {
  readonly requests: number
  readonly accepted: number
  readonly refused: number
  /** 503: the server was busy. Neither accepted nor refused. */
  readonly shed: number
  readonly statuses: Readonly<Record<string, number>>
  /** Every code of a refusal that was answered. */
  readonly codes: readonly string[]
  readonly days: number
  readonly calls: Readonly<Record<string, CallCount>>
  readonly findings: readonly Finding[]
  readonly audit: readonly string[]
}

const BATCH = 200
const BATCHES_A_DAY = 15
const DAY_PASSES_AT = 5
const LOOK_EVERY = 3
const SAY_EVERY = 2000
const BODY_SHOWN = 600

export async function runFuzz({
  requests,
  seed,
  demo = true,
  byHand = false,
  goesOn = () => true,
  say = () => undefined,
}: FuzzOptions): Promise<FuzzResult> {
  const dice = createDice(seed)
  const world = await openWorld(dice, { demo, byHand })
  const { send, close } = createSender(world.roz.url)
  const tally = createTally((finding) => say(`${finding.call}: ${finding.what}\n${finding.example}`))
  let days = 0
  try {
    for (let batch = 0; tally.count() < requests && goesOn(); batch++) {
      if (batch % BATCHES_A_DAY === DAY_PASSES_AT) {
        await world.passDay()
        days++
      }
      const actors = await world.newActors()
      if (batch % LOOK_EVERY === 0) await world.look(actors)
      await world.hold()
      const making = { dice, known: world.known, actors, keys: new Map<string, string[]>(), nowMs: world.nowMs }
      const end = Math.min(requests, tally.count() + BATCH)
      while (tally.count() < end) {
        const request = makeRequest(dice.pick(NAMES), making)
        const answer = await send(request)
        const heard = tally.add(request, answer, await takeChanges(world.db))
        if (heard !== undefined) world.known.hear(heard, api[request.call].path)
        if (tally.count() % SAY_EVERY === 0) say(`${tally.count()} requests, ${tally.findings().length} findings`)
      }
      await world.settle()
    }
    const audit = (await runAudit(world.db)).map(({ invariant, subject, found }) => `${invariant}: ${subject}: ${found}`)
    return { days, audit, ...tally.result() }
  } finally {
    close()
    await world.close()
  }
}

/** Counts answers and keeps what is wrong with them, each kind once with its first example. */
function createTally(found: (finding: Finding) => void) {
  const statuses: Record<string, number> = {}
  const codes = new Set<string>()
  const calls: Record<string, CallCount> = Object.fromEntries(NAMES.map((name) => [name, { accepted: 0, refused: 0 }]))
  const findings = new Map<string, { what: string; call: CallName; times: number; example: string }>()
  let count = 0
  let shed = 0

  const blame = (request: FuzzRequest, what: string, answer: Answer | string): void => {
    const name = `${request.call} ${what}`
    const finding = findings.get(name) ?? { what, call: request.call, times: 0, example: exampleOf(request, answer) }
    if (finding.times++ === 0) found(finding)
    findings.set(name, finding)
  }

  return {
    count: (): number => count,
    findings: (): Finding[] => [...findings.values()],
    /** Returns the body of an accepted answer. */
    add(request: FuzzRequest, answer: Answer | string, changes: readonly Change[]): unknown {
      count++
      if (typeof answer === 'string') {
        statuses['no answer'] = (statuses['no answer'] ?? 0) + 1
        // A body above the limit is answered while it still arrives, which may break the connection.
        if ((request.body?.length ?? 0) < 64 * 1024 && !answer.startsWith('not sent')) blame(request, `no answer: ${answer}`, answer)
        return undefined
      }
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      const { code, fault, output } = judgeAnswer(request, answer)
      if (code !== '') codes.add(code)
      const isShed = answer.status === 503
      if (isShed) shed++
      else if (answer.status >= 500) blame(request, `${answer.status} ${code}`, answer)
      if (fault !== undefined) blame(request, fault, answer)
      const counted = calls[request.call] as CallCount
      if (answer.status < 400) counted.accepted++
      else if (!isShed) counted.refused++
      const changed = changes.filter((change) => !recordsRefusal(request.call, change))
      if (answer.status >= 400 && changed.length > 0) blame(request, `refused with ${code}, and changed ${describe(changed)}`, answer)
      return answer.status < 400 ? output : undefined
    },
    result: () => ({
      requests: count,
      accepted: Object.values(calls).reduce((sum, { accepted }) => sum + accepted, 0),
      refused: Object.values(calls).reduce((sum, { refused }) => sum + refused, 0),
      shed,
      statuses,
      codes: [...codes],
      calls,
      findings: [...findings.values()],
    }),
  }
}

const describe = (changes: readonly Change[]): string =>
  [...new Set(changes.map(({ table, op, columns }) => `${op.toLowerCase()} ${table}${columns === '' ? '' : ` (${columns})`}`))].join(', ')

/** The request as it was sent, and its answer: enough to send it again. */
const exampleOf = ({ method, address, headers, body, actor, wrongs }: FuzzRequest, answer: Answer | string): string =>
  [
    `${actor} (${wrongs.join(' and ') || 'meant to be valid'}): ${method} ${address}`,
    ...headers.filter(([name]) => name !== 'authorization').map(([name, value]) => `${name}: ${value.slice(0, 200)}`),
    body === undefined ? '' : JSON.stringify(body.subarray(0, BODY_SHOWN).toString('latin1')),
    typeof answer === 'string' ? answer : `→ ${answer.status} ${answer.body.subarray(0, BODY_SHOWN).toString('utf8')}`,
  ].join('\n')

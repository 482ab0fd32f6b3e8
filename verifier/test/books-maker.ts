/** Makes valid books of a day from a list of flows. A tamper may change flows before the accounts are computed from them. */
import { ascii, toHex } from '../src/bytes.ts'
import type { Books } from '../src/books.ts'
import type { RecordOf } from '../src/records.ts'
import { sha256 } from '../src/sha256.ts'

const ALWAYS = [
  'BANK',
  'GATEWAY',
  'GATEWAY_FEES',
  'HELP_FUND',
  'LOSSES',
  'MEMBERS',
  'PAYOUTS_PENDING',
  'PLATFORM',
  'REFUNDS_PENDING',
  'SUSPENSE',
  'TAX_WITHHELD',
]

export type Flow = { kind: string; from: string; to: string; paise: number }
export type Flows = Flow[]

type Plan = {
  readonly day: string
  readonly entries: number
  readonly members: number
  readonly before: Books | undefined
  /** The result that is settled on this day. */
  readonly settled: RecordOf['result'] | undefined
}

export function makeBooks({ day, entries, members, before, settled }: Plan, change?: (flows: Flows) => void): Books {
  const flows: Flows = [
    { kind: 'topup', from: 'GATEWAY', to: 'MEMBERS', paise: 5000 * members },
    { kind: 'join', from: 'MEMBERS', to: `POOL:${day}`, paise: 100 * entries },
    ...(settled === undefined ? [] : settlementFlows(settled)),
    { kind: 'wd_hold', from: 'MEMBERS', to: 'PAYOUTS_PENDING', paise: 1300 },
    ...(before === undefined ? [] : [{ kind: 'wd_paid', from: 'PAYOUTS_PENDING', to: 'BANK', paise: 1300 }]),
    ...(before === undefined ? [] : [{ kind: 'disbursement', from: 'HELP_FUND', to: 'BANK', paise: 120 }]),
    ...(before === undefined ? [] : [{ kind: 'gateway_settled', from: 'BANK', to: 'GATEWAY', paise: 2000 }]),
  ].filter(({ paise }) => paise > 0)
  change?.(flows)
  const ordered = flows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const accounts = accountsOf(ordered, before)
  const closing = (name: string): number => accounts.find(({ account }) => account === name)?.closing ?? 0
  const fund = accounts.find(({ account }) => account === 'HELP_FUND')
  const handedOut = ordered
    .filter(({ kind }) => kind === 'disbursement')
    .map(({ paise }) => ({ evidence: toHex(sha256(ascii('a scanned receipt'))), paise }))
  const owed = closing('MEMBERS') + closing('PAYOUTS_PENDING') + closing('REFUNDS_PENDING')
  return {
    v: 1,
    day,
    intake: { count: entries, paise: 100 * entries },
    settlements: settled === undefined ? [] : [settlementOf(settled)],
    returns: [],
    help: { closing: fund?.closing ?? 0, disbursements: handedOut, in: fund?.in ?? 0, opening: fund?.opening ?? 0 },
    flows: ordered,
    accounts,
    liabilities: { count: 0, root: '', total: owed },
  }
}

const keyOf = ({ kind, from, to }: Flow): string => `${kind}\n${from}\n${to}`

const settlementOf = ({ day, shares, winners }: RecordOf['result']): Books['settlements'][number] => ({
  need: shares.need,
  platform: shares.platform,
  round: day,
  winners: winners.map(({ amount, tax, ticket }) => ({ amount, tax, ticket })),
})

function settlementFlows({ day, shares, winners }: RecordOf['result']): Flow[] {
  const from = `POOL:${day}`
  const tax = winners.reduce((sum, winner) => sum + winner.tax, 0)
  return [
    { kind: 'prize', from, to: 'MEMBERS', paise: winners.reduce((sum, { amount }) => sum + amount, 0) - tax },
    { kind: 'tax', from, to: 'TAX_WITHHELD', paise: tax },
    { kind: 'need', from, to: 'HELP_FUND', paise: shares.need },
    { kind: 'platform', from, to: 'PLATFORM', paise: shares.platform },
  ]
}

function accountsOf(flows: readonly Flow[], before: Books | undefined): Books['accounts'] {
  const openings = new Map((before?.accounts ?? []).map(({ account, closing }) => [account, closing]))
  const names = new Set([...ALWAYS, ...flows.flatMap(({ from, to }) => [from, to]), ...openings.keys()])
  const sum = (of: readonly Flow[]): number => of.reduce((total, { paise }) => total + paise, 0)
  return [...names].sort().flatMap((account) => {
    const opening = openings.get(account) ?? 0
    const [taken, out] = [sum(flows.filter(({ to }) => to === account)), sum(flows.filter(({ from }) => from === account))]
    const isIdle = opening === 0 && taken === 0 && out === 0 && account.startsWith('POOL:')
    return isIdle ? [] : [{ account, closing: opening + taken - out, in: taken, opening, out }]
  })
}

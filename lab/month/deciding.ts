/**
 * A decision of the team: it is taken, or refused for now, or refused for a reason that nobody expected.
 */
import { randomUUID } from 'node:crypto'

/** Pages of one list in a morning. */
export const ROUNDS_MAX = 10
export const PAGE = { limit: '100' } as const

type Asked = typeof PAGE & { readonly cursor?: string }
type Page<Row> = readonly [rows: readonly Row[], next: string | null]

/** A list of the portal with all its pages. */
export async function readList<Row>(page: (query: Asked) => Promise<Page<Row>>): Promise<Row[]> {
  const found: Row[] = []
  let next: string | null = null
  do {
    const [rows, after]: Page<Row> = await page({ ...PAGE, ...(next === null ? {} : { cursor: next }) })
    found.push(...rows)
    next = after
  } while (next !== null)
  return found
}

/** Refusals of a moment: the row changed, the person or the money is not free yet. */
const LATER = new Set([
  'changed_since_seen',
  'member_in_debt',
  'member_on_hold',
  'payment_taken_back',
  'settlement_exceeds_owed',
  'settlement_known',
  'suspense_decided',
  'withdrawal_final',
  'refund_final',
  'finding_final',
  'payouts_by_hand',
  'role_too_new',
])

type Decided = { readonly status: number; readonly refusal: { readonly code: string }; readonly text: string }
export type Deciding = ReturnType<typeof createDeciding>

export function createDeciding() {
  const complaints: string[] = []
  let postponed: string[] = []
  return {
    key: (): { readonly key: string } => ({ key: randomUUID() }),
    /** Whether the decision was taken. */
    isTaken: (what: string, answer: Decided): boolean => {
      if (answer.status === 200) return true
      const isLater = LATER.has(answer.refusal.code)
      ;(isLater ? postponed : complaints).push(`${what}: ${isLater ? answer.refusal.code : answer.text}`)
      return false
    },
    /** Unexpected refusals. */
    complaints,
    /** Refusals of the newest morning, whose rows wait for the next one. */
    postponed: (): readonly string[] => postponed,
    beginMorning: (): void => void (postponed = []),
  }
}

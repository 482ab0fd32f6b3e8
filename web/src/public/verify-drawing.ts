/** The day's records and its view, put into the four pictures of the draw. It explains; the check proves. */
import { all, byData, fill, show } from './verify-page.ts'

export type DayView = {
  readonly day: string
  readonly status: 'settled' | 'void'
  readonly entries: number
  readonly intake: number
  readonly split: { readonly need: number; readonly reward: number; readonly platform: number }
  readonly winners: readonly { readonly name: string; readonly amount: number; readonly position: number; readonly ticket: string }[]
  readonly assurance: 'weak' | 'sealed'
  readonly books: { readonly liabilities: { readonly count: number } } | null
}

type DayRecord = {
  readonly kind: string
  readonly rules?: string
  readonly draw?: { readonly mode: string }
  readonly root?: string
  readonly sealedAt?: number
  readonly round?: number
  readonly randomness?: string
}
export type Drawing = Readonly<Partial<Record<'open' | 'close' | 'result' | 'void', DayRecord>>>

export async function readDrawing(readJson: (path: string) => Promise<unknown>, day: string): Promise<Drawing | undefined> {
  const file = (await readJson(`draws/${day}`)) as { readonly records: readonly { readonly record: DayRecord }[] } | undefined
  return file === undefined ? undefined : Object.fromEntries(file.records.map(({ record }) => [record.kind, record]))
}

const inr = new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR', minimumFractionDigits: 2 })
const count = new Intl.NumberFormat('en-IN')
/** Eight digits to a group, as hashes are read aloud. */
const grouped = (hex: string): string => hex.replace(/(.{8})(?=.)/g, '$1 ')

export function fillDrawing(view: DayView, { open, close, result }: Drawing, language: 'en' | 'hi'): void {
  const locale = language === 'hi' ? 'hi-IN-u-nu-latn' : 'en-IN'
  const inIndia = { timeZone: 'Asia/Kolkata' } as const
  const date = new Intl.DateTimeFormat(locale, { ...inIndia, day: 'numeric', month: 'short', year: 'numeric' })
  const parts: Intl.DateTimeFormatOptions = { ...inIndia, hour: 'numeric', minute: '2-digit', second: '2-digit', hour12: true }
  // Hindi has no am and pm: दोपहर 1:30:00.
  if (language === 'hi') parts.dayPeriod = 'short'
  const time = new Intl.DateTimeFormat(locale, parts)
  const isLocal = open?.draw?.mode === 'local'
  const first = view.winners[0]
  fill('day', date.format(new Date(`${view.day}T12:00:00+05:30`)))
  fill('entries', count.format(view.entries))
  fill('sealedAt', close?.sealedAt === undefined ? '–' : `${date.format(close.sealedAt)}, ${time.format(close.sealedAt)}`)
  fill('root', grouped(close?.root ?? ''))
  fill('round', count.format(close?.round ?? 0))
  fill('randomness', grouped(result?.randomness ?? ''))
  fill('line', first === undefined ? '–' : count.format(first.position + 1))
  fill('before', first === undefined || first.position === 0 ? '' : count.format(first.position))
  fill('after', first === undefined || first.position + 1 === view.entries ? '' : count.format(first.position + 2))
  fill('ticket', first === undefined ? '' : `${first.ticket.slice(0, 6)}…${first.ticket.slice(-2)}`)
  for (const part of ['need', 'reward', 'platform'] as const) fill(part, inr.format(view.split[part]))
  fill('intake', inr.format(view.intake))
  const isDrawn = view.status === 'settled' && close !== undefined
  const conditions: Readonly<Record<string, boolean>> = {
    drawn: isDrawn,
    void: !isDrawn,
    sealed: isDrawn && view.assurance === 'sealed',
    demo: isDrawn && isLocal,
    unwitnessed: isDrawn && view.assurance === 'weak' && !isLocal,
    local: isLocal,
    beacon: !isLocal,
    picked: first !== undefined,
    nobody: first === undefined,
  }
  for (const one of all('[data-if]')) one.hidden = conditions[one.dataset.if ?? ''] !== true
  show('.lines', first !== undefined)
  listWinners(view)
  const rules = byData<HTMLAnchorElement>('rules')
  if (rules !== null && open?.rules !== undefined) rules.href = `/api/public/rules/${open.rules}`
}

function listWinners({ winners }: DayView): void {
  const list = byData('winners')
  const pattern = list?.querySelector('template')
  if (list === null || !pattern) return
  for (const old of all('li', list)) old.remove()
  for (const winner of winners) {
    const row = pattern.content.cloneNode(true) as DocumentFragment
    const texts = { name: winner.name, line: count.format(winner.position + 1), amount: inr.format(winner.amount) }
    for (const [name, text] of Object.entries(texts)) {
      const place = row.querySelector(`[data-winner=${name}]`)
      if (place !== null) place.textContent = text
    }
    list.append(row)
  }
}

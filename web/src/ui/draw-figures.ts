/** Computes the figures of DrawStory from a day's records and view. They only explain the draw; the check proves it. */
import type { Speech } from '@roz/core/language.ts'
import { formatCount, formatRupees } from '@roz/core/numbers.ts'

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

export type FigureName =
  | 'day'
  | 'entries'
  | 'sealedAt'
  | 'root'
  | 'round'
  | 'randomness'
  | 'line'
  | 'before'
  | 'after'
  | 'ticket'
  | 'need'
  | 'reward'
  | 'platform'
  | 'intake'
export type Condition = 'drawn' | 'void' | 'sealed' | 'demo' | 'unwitnessed' | 'local' | 'beacon' | 'picked' | 'nobody' | 'before' | 'after'
export type DrawnDay = {
  readonly figures: Readonly<Record<FigureName, string>>
  readonly conditions: Readonly<Record<Condition, boolean>>
  readonly winners: readonly { readonly name: string; readonly line: string; readonly amount: string }[]
}

/** Undefined if the day has no file of its draw yet. */
export async function readDrawing(readJson: (path: string) => Promise<unknown>, day: string): Promise<Drawing | undefined> {
  const file = (await readJson(`draws/${day}`)) as { readonly records: readonly { readonly record: DayRecord }[] } | undefined
  return file === undefined ? undefined : Object.fromEntries(file.records.map(({ record }) => [record.kind, record]))
}

/** Groups of eight digits, as hashes are read aloud. */
const grouped = (hex: string): string => hex.replace(/(.{8})(?=.)/g, '$1 ')

export function drawnDay(view: DayView, drawing: Drawing, speech: Speech): DrawnDay {
  const { open, close } = drawing
  const isLocal = open?.draw?.mode === 'local'
  const isDrawn = view.status === 'settled' && close !== undefined
  const isPicked = isDrawn && view.winners.length > 0
  const figures = figuresOf(view, drawing, speech)
  return {
    figures,
    conditions: {
      drawn: isDrawn,
      void: !isDrawn,
      sealed: isPicked && view.assurance === 'sealed',
      demo: isPicked && isLocal,
      unwitnessed: isDrawn && view.assurance === 'weak' && !(isPicked && isLocal),
      local: isLocal,
      beacon: !isLocal,
      picked: isPicked,
      nobody: isDrawn && !isPicked,
      // The first line has none before it, and the last none after it.
      before: figures.before !== '',
      after: figures.after !== '',
    },
    winners: view.winners.map(({ name, position, amount }) => ({ name, line: formatCount(position + 1), amount: formatRupees(amount) })),
  }
}

function figuresOf(view: DayView, { close, result }: Drawing, { locale, dayPeriod }: Speech): DrawnDay['figures'] {
  const inIndia = { timeZone: 'Asia/Kolkata' } as const
  const date = new Intl.DateTimeFormat(locale, { ...inIndia, day: 'numeric', month: 'short', year: 'numeric' })
  const parts: Intl.DateTimeFormatOptions = { ...inIndia, hour: 'numeric', minute: '2-digit', second: '2-digit', hour12: true, dayPeriod }
  const time = new Intl.DateTimeFormat(locale, parts)
  const first = view.winners[0]
  return {
    day: date.format(new Date(`${view.day}T12:00:00+05:30`)),
    entries: formatCount(view.entries),
    sealedAt: close?.sealedAt === undefined ? '–' : `${date.format(close.sealedAt)}, ${time.format(close.sealedAt)}`,
    root: grouped(close?.root ?? ''),
    round: formatCount(close?.round ?? 0),
    randomness: grouped(result?.randomness ?? ''),
    line: first === undefined ? '–' : formatCount(first.position + 1),
    before: first === undefined || first.position === 0 ? '' : formatCount(first.position),
    after: first === undefined || first.position + 1 === view.entries ? '' : formatCount(first.position + 2),
    ticket: first === undefined ? '' : `${first.ticket.slice(0, 6)}…${first.ticket.slice(-2)}`,
    need: formatRupees(view.split.need),
    reward: formatRupees(view.split.reward),
    platform: formatRupees(view.split.platform),
    intake: formatRupees(view.intake),
  }
}

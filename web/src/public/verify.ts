/**
 * The script of /verify: it selects the day, fills in the draw, and runs the check.
 * - It contains no words: the page contains all of them.
 * - A verdict is shown only after a complete check, and it is the verifier's.
 */
import type { Speech } from '@roz/core/language.ts'
import { formatCount } from '@roz/core/numbers.ts'
import type { Progress, Report } from '@roz/verifier/verify.ts'
import { forgetLog, knownLog, rememberLog } from '../verify/log-memory.ts'
import { saveFile } from '../app/save-file.ts'
import { fetchPublished, publicBase, readPublished } from '../verify/published.ts'
import { checkDay, NoReceiptError } from '../verify/verify-day.ts'
import { type DayView, readDrawing } from '../ui/draw-figures.ts'
import { fillDrawing } from './verify-drawing.ts'
import { all, byData, fill, show } from './verify-page.ts'

/** Above this size the reader starts the check, because the files may cost them data. */
const BY_ITSELF_BYTES = 1_000_000
const TICKET_BYTES = 32
const PART_BYTES = 40
const DAY = /^\d{4}-\d{2}-\d{2}$/

type State = 'loading' | 'no-day' | 'offline' | 'ready'
/** The page's language, and its format of days and hours. */
const { lang, dataset: spoken } = document.documentElement
const SPEECH: Speech = { locale: spoken.locale ?? lang, dayPeriod: spoken.dayPeriod === 'short' ? 'short' : undefined }
const page = byData('verify')
/** Counts the runs. The result of an earlier run is dropped, because it may be about another day. */
let running = 0
let last: Report | undefined
/** The day that the page currently shows. */
let opened: string | undefined

function setState(state: State): void {
  if (state === 'loading') page?.setAttribute('aria-busy', 'true')
  else page?.removeAttribute('aria-busy')
  for (const one of all('[data-state]')) one.hidden = one.dataset.state !== state
  for (const one of all('.trouble')) one.hidden = state === 'ready'
  for (const one of all('.filled')) one.hidden = state !== 'ready'
}

/** The day in the address, else in the form, else the newest that the page knows, else the newest of all. */
async function chosenDay(): Promise<string | undefined> {
  const here = location.pathname.split('/').at(-1) ?? ''
  if (DAY.test(here)) return here
  const asked = new URLSearchParams(location.search).get('day') ?? byData('newest')?.dataset.newest
  if (asked !== undefined && asked !== '') return asked
  const { days } = (await readPublished('days?limit=1')) as { readonly days: readonly DayView[] }
  return days[0]?.day
}

async function open(): Promise<void> {
  const mine = ++running
  clear()
  setState('loading')
  try {
    const day = await chosenDay()
    if (mine !== running) return
    if (day === undefined || !DAY.test(day)) return setState('no-day')
    setAddress(day)
    const found = (await readPublished(`days/${day}`)) as { readonly day: DayView } | undefined
    const drawing = found === undefined ? undefined : await readDrawing(readPublished, day)
    const key = await keyText()
    if (mine !== running) return
    // The program can be run for any day, so its page needs the key also where there is no result to show.
    fill('key', key ?? '')
    show('[data-own-key]', key !== undefined)
    if (found === undefined || drawing === undefined) return setState('no-day')
    fillDrawing(found.day, drawing, SPEECH)
    showKept()
    setState('ready')
    offer(day, found.day)
  } catch {
    if (mine === running) setState('offline')
  }
}

async function keyText(): Promise<string | undefined> {
  const response = await fetchPublished('log/key')
  return response.ok ? (await response.text()).trim() : undefined
}

/** The address of this page, in the language of the given address, without the day. */
const below = (address: string): string => address.replace(/(\/verify).*/, '$1')

/** The address contains the day, so it can be shared, and the links to other languages keep the day. */
function setAddress(day: string): void {
  opened = day
  history.replaceState(null, '', `${below(location.pathname)}/${day}${location.hash}`)
  for (const other of document.querySelectorAll<HTMLAnchorElement>('[data-language]')) other.href = `${below(other.pathname)}/${day}`
  const input = document.querySelector<HTMLInputElement>('#day')
  if (input !== null) input.value = day
  fill('base', publicBase())
  fill('date', day)
}

/** A small day is checked at once, a large one on a press. */
function offer(day: string, { entries, books }: DayView): void {
  const bytes = entries * TICKET_BYTES + (books?.liabilities.count ?? 0) * PART_BYTES
  fill('size', `${(bytes / 1e6).toFixed(1)} MB`)
  const byItself = bytes < BY_ITSELF_BYTES
  show('[data-phase=waiting]', !byItself)
  show('[data-check]', !byItself)
  if (byItself) void check(day)
}

async function check(day: string, receipt?: Uint8Array): Promise<void> {
  const mine = ++running
  begin()
  try {
    const known = knownLog()
    const report = await checkDay(
      {
        day,
        ...(known === undefined ? {} : { logKey: known.logKey, kept: known.checkpoint }),
        ...(receipt === undefined ? {} : { receipt }),
      },
      (progress) => mine === running && drawProgress(progress),
    )
    if (mine !== running) return
    last = report
    if (report.keep !== undefined) rememberLog(report.keep)
    end(report)
  } catch (error) {
    if (mine !== running) return
    clear()
    show('#receipt-error', error instanceof NoReceiptError)
    show('[data-again]', true)
    if (!(error instanceof NoReceiptError)) showVerdict('broken')
  }
}

function begin(): void {
  clear()
  show('[data-progress]', true)
  byData('steps')?.setAttribute('aria-busy', 'true')
}

/** Removes everything of an earlier check, so that no verdict about another day remains. */
function clear(): void {
  last = undefined
  show('[data-phase=waiting],[data-check],[data-again],[data-save],[data-progress],#receipt-error', false)
  showVerdict(undefined)
  byData('steps')?.removeAttribute('aria-busy')
  for (const step of all('[data-step]')) {
    delete step.dataset.result
    for (const words of all('[data-for]', step)) words.hidden = true
    for (const words of all('[data-spoken]', step)) words.textContent = ''
  }
}

let drawn: Progress | undefined
function drawProgress(progress: Progress): void {
  const isDue = drawn === undefined
  drawn = progress
  if (isDue) requestAnimationFrame(paint)
}
function paint(): void {
  const bar = document.querySelector<HTMLProgressElement>('#progress')
  if (drawn === undefined || bar === null) return
  const { phase, done, total } = drawn
  drawn = undefined
  for (const one of all('[data-progress] [data-phase]')) one.hidden = one.dataset.phase !== phase
  fill('progress', total === undefined ? formatCount(done) : `${formatCount(done)} / ${formatCount(total)}`)
  if (total !== undefined && total > 0) bar.value = Math.round((done / total) * bar.max)
}

function end({ steps, verdict }: Report): void {
  const spoken = JSON.parse(byData('spoken-states')?.dataset.spokenStates ?? '{}') as Record<string, string | undefined>
  for (const { step, state, weakness, values = {} } of steps) {
    const row = document.querySelector<HTMLElement>(`[data-step="${step}"]`)
    if (row === null) continue
    row.dataset.result = state
    for (const one of all('[data-for]', row)) one.hidden = one.dataset.for !== state || one.dataset.weakness !== weakness
    for (const one of all('[data-value]', row)) one.textContent = values[one.dataset.value ?? ''] ?? ''
    const said = row.querySelector('[data-spoken]')
    if (said !== null) said.textContent = `: ${spoken[state] ?? state}`
  }
  byData('steps')?.removeAttribute('aria-busy')
  show('[data-progress]', false)
  show('[data-again]', true)
  show('[data-save]', true)
  // The step that counted the witnesses names them. A day without a draw needs none.
  const seal = steps.find(({ step, state }) => step === 'sealed-in-time' && state === 'pass')
  const witnesses = seal?.values?.['witnesses']
  fill('witnesses', witnesses ?? '')
  show('[data-witnessed]', witnesses !== undefined)
  showReasons()
  showVerdict(verdict)
  showKept()
}

/** The plain words of the steps that are not right, the worst first, each once. */
function showReasons(): void {
  const of = (state: string) => all(`[data-result=${state}] [data-for]:not([hidden])`)
  const worst = ['fail', 'incomplete', 'weak'].map(of).find((found) => found.length > 0) ?? []
  const different = [...new Map(worst.map((words) => [words.textContent, words])).values()]
  for (const list of all('[data-reasons]'))
    list.replaceChildren(
      ...different.map((words) => {
        const line = document.createElement('li')
        line.append(...words.cloneNode(true).childNodes)
        return line
      }),
    )
}

function showVerdict(which: string | undefined): void {
  for (const one of all('[data-when]')) one.hidden = one.dataset.when !== which
  show('[data-word]', which !== undefined && which !== 'broken')
}

function showKept(): void {
  const known = knownLog()
  show('[data-kept]', known !== undefined)
  if (known !== undefined) fill('kept', String(known.checkpoint.size))
}

function save(): void {
  if (last === undefined) return
  const { keep, ...report } = last
  const checkpoint = keep === undefined ? undefined : new TextDecoder().decode(keep.note)
  const text = JSON.stringify({ address: publicBase(), at: new Date().toISOString(), ...report, checkpoint }, null, 2)
  saveFile(`roz-check-${last.day}.json`, text)
}

if (page !== null) {
  const dayNow = (): string => document.querySelector<HTMLInputElement>('#day')?.value ?? ''
  byData('check')?.addEventListener('click', () => void check(dayOfAddress()))
  byData('again')?.addEventListener('click', () => void check(dayOfAddress()))
  byData('retry')?.addEventListener('click', () => void open())
  byData('save')?.addEventListener('click', save)
  byData('forget')?.addEventListener('click', () => {
    forgetLog()
    showKept()
  })
  byData('choice')?.addEventListener('submit', (event) => {
    event.preventDefault()
    if (!DAY.test(dayNow())) return
    history.pushState(null, '', `${below(location.pathname)}/${dayNow()}`)
    void open()
  })
  // A jump within the page, such as the skip link, also fires popstate but does not change the day.
  window.addEventListener('popstate', () => (dayOfAddress() === opened ? undefined : void open()))
  byData<HTMLInputElement>('receipt')?.addEventListener('change', (event) => {
    const file = (event.currentTarget as HTMLInputElement).files?.[0]
    if (file !== undefined) void file.arrayBuffer().then((bytes) => check(dayOfAddress(), new Uint8Array(bytes)))
  })
  void open()
}

function dayOfAddress(): string {
  return location.pathname.split('/').at(-1) ?? ''
}

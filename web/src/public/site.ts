/**
 * The public pages' only script: video dialog, live figures, older rows, contact form, print, back and the choice of language.
 * - Without it every page can still be read in full.
 * - It sends its own requests: the app's client would weigh more than the page. Each has a time limit.
 */
import { formatCount, formatRupees } from '@roz/core/numbers.ts'
import { keepScrollbarRoom } from '../ui/scrollbar.ts'

const byData = <E extends HTMLElement>(name: string, from: ParentNode = document): E | null => from.querySelector<E>(`[data-${name}]`)
const READ_WITHIN_MS = 30_000
const WRITE_WITHIN_MS = 60_000

/** The page's language, and its format of days and hours. */
const { lang, dataset: spoken } = document.documentElement

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

// The choice is stored before the other page opens; otherwise the script in that page's head would redirect back.
for (const link of document.querySelectorAll<HTMLElement>('[data-language]'))
  link.addEventListener('click', () => {
    try {
      localStorage.setItem('language', link.lang)
    } catch {
      // Without storage the link still works.
    }
  })

// For a signed-in visitor the link leads to the dashboard.
const account = byData<HTMLAnchorElement>('account')
if (account !== null && stored('token') !== null) {
  account.href = '/dashboard'
  account.textContent = account.dataset.account ?? ''
}

byData('print')?.addEventListener('click', () => window.print())
byData('back')?.addEventListener('click', (event) => {
  if (document.referrer.startsWith(`${location.origin}/`) && history.length > 1) {
    event.preventDefault()
    history.back()
  }
})

// The offline page requests its original address again, on a press or when the browser is online again.
const again = byData('again')
if (again !== null)
  for (const [place, sign] of [
    [again, 'click'],
    [window, 'online'],
  ] as const)
    place.addEventListener(sign, () => location.reload())

// A story's own page counts as a view. In a list, only pressing play counts.
countView(document.querySelector('.story.alone')?.id)
startVideos()
startFigures()
startOlder()
startContact()

function startVideos(): void {
  const dialog = document.querySelector<HTMLDialogElement>('#video')
  const place = dialog === null ? null : byData('player', dialog)
  const title = document.querySelector('#video-title')
  if (dialog === null || place === null || title === null) return
  const howTitle = title.textContent
  const howText = [...place.childNodes]
  let pressedOutside = false

  const open = (id: string | undefined, name: string): void => {
    title.textContent = name
    if (id === undefined) place.replaceChildren(...howText)
    else place.replaceChildren(player(id, name))
    keepScrollbarRoom()
    dialog.showModal()
  }
  document.addEventListener('click', (event) => {
    const pressed = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-how], a[data-video]') : null
    if (pressed === null || (event as MouseEvent).ctrlKey || (event as MouseEvent).metaKey) return
    event.preventDefault()
    if (pressed.dataset.how !== undefined) open(dialog.dataset.video, howTitle)
    else {
      open(pressed.dataset.video, pressed.dataset.title ?? howTitle)
      countView(pressed.dataset.story)
    }
  })
  byData('close', dialog)?.addEventListener('click', () => dialog.close())
  dialog.addEventListener('mousedown', (event) => {
    pressedOutside = event.target === dialog
  })
  dialog.addEventListener('click', (event) => {
    if (pressedOutside && event.target === dialog) dialog.close()
  })
  // The video stops when the dialog closes.
  dialog.addEventListener('close', () => place.replaceChildren())
}

/** The server counts one view per visitor and day. If the call fails, only the count is lost. */
function countView(story: string | undefined): void {
  if (story !== undefined) navigator.sendBeacon(`/api/impact/stories/${story}/view`)
}

function player(id: string, title: string): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.className = 'player'
  frame.title = title
  frame.allow = 'accelerometer; autoplay; encrypted-media; picture-in-picture; fullscreen'
  // Without a referrer, YouTube answers with error 153.
  frame.referrerPolicy = 'strict-origin-when-cross-origin'
  frame.src = `https://www.youtube-nocookie.com/embed/${id}?autoplay=1&rel=0`
  return frame
}

type Home = {
  readonly data: {
    readonly stats: {
      readonly totalCharity: number
      readonly totalPeople: number
      readonly rounds: number
      readonly today: { readonly pool: number; readonly charity: number; readonly giveaway: number; readonly platform: number }
    }
  }
}

/** Requests today's figures after the first paint, and then every 30 s while the page is visible. */
function startFigures(): void {
  if (byData('live') === null) return
  const set = (name: string, text: string): void => {
    const element = document.querySelector<HTMLElement>(`[data-live="${name}"]`)
    if (element === null || element.textContent === text) return
    const figure = element.querySelector('.money')
    if (figure === null) element.textContent = text
    else {
      const paise = document.createElement('i')
      paise.textContent = text.slice(-3)
      figure.replaceChildren(text.slice(0, -3), paise)
    }
  }
  const ask = async (): Promise<void> => {
    if (document.hidden) return
    try {
      const response = await fetch('/api/public/home', {
        headers: { 'accept-language': lang },
        signal: AbortSignal.timeout(READ_WITHIN_MS),
      })
      if (!response.ok) return
      const { stats } = ((await response.json()) as Home).data
      const { pool, charity, giveaway, platform } = stats.today
      for (const [name, amount] of Object.entries({ totalCharity: stats.totalCharity, pool, poolTotal: pool, charity, giveaway, platform }))
        set(name, formatRupees(amount))
      set('totalPeople', formatCount(stats.totalPeople))
      set('rounds', formatCount(stats.rounds))
      const time = new Intl.DateTimeFormat(spoken.locale, {
        hour: 'numeric',
        minute: '2-digit',
        hour12: true,
        dayPeriod: spoken.dayPeriod === 'short' ? 'short' : undefined,
        timeZone: 'Asia/Kolkata',
      }).format()
      const words = document.querySelector<HTMLElement>('[data-live=time]')?.dataset.words
      if (words !== undefined) set('time', words.replace('{}', time))
    } catch {
      // Offline: the page's figures stay, with the time they are from.
    }
  }
  // The page already has figures, so newer ones are requested after the first paint.
  new PerformanceObserver((_, drawn) => {
    drawn.disconnect()
    void ask()
  }).observe({ type: 'paint', buffered: true })
  setInterval(() => void ask(), 30_000)
}

/** Older days and stories, as the calls return them. */
type Older = {
  readonly days?: readonly { readonly day: string; readonly intake: number }[]
  readonly stories?: readonly { readonly id: string; readonly date: string; readonly title: string; readonly amount: number }[]
  readonly nextCursor: string | null
}

/** Appends older rows below the page's, one batch per press. Each row links to its own page. */
function startOlder(): void {
  const button = byData<HTMLButtonElement>('older')
  const row = byData<HTMLTemplateElement>('old-row')?.content.firstElementChild
  const list = document.querySelector<HTMLElement>('.day-pages')
  if (button === null || list === null || !row) return
  const date = new Intl.DateTimeFormat(spoken.locale, { day: 'numeric', month: 'short', year: 'numeric' })
  button.hidden = false
  const add = (id: string, day: string, title: string, sum: string): void => {
    const item = row.cloneNode(true) as HTMLElement
    const [link, time, name, amount] = ['a', 'time', '.old-title', '.amount'].map((part) => item.querySelector(part))
    link?.setAttribute('href', `${button.dataset.below}/${id}`)
    time?.setAttribute('datetime', day)
    if (time) time.textContent = date.format(new Date(`${day}T12:00`))
    if (name) name.textContent = title
    if (amount) amount.textContent = sum
    list.append(item)
  }
  const lost = byData('older-lost')
  const tellLost = (isLost: boolean): void => void (lost && (lost.hidden = !isLost))
  let shown = list.children.length
  const more = async (): Promise<void> => {
    if (button.ariaBusy === 'true') return
    button.ariaBusy = 'true'
    try {
      const response = await fetch(`${button.dataset.from}&cursor=${encodeURIComponent(button.dataset.older ?? '')}`, {
        signal: AbortSignal.timeout(READ_WITHIN_MS),
      })
      if (!response.ok) return tellLost(true)
      tellLost(false)
      const { days = [], stories = [], nextCursor } = (await response.json()) as Older
      for (const { day, intake } of days) add(day, day, '', formatRupees(intake))
      for (const { id, date: day, title, amount } of stories) add(id, day, title, amount > 0 ? formatRupees(amount) : '')
      list.hidden = false
      // Moves the focus to the first new row, for keyboards and screen readers: the button may have disappeared.
      list.children[shown]?.querySelector('a')?.focus({ preventScroll: true })
      shown = list.children.length
      button.dataset.older = nextCursor ?? ''
      button.hidden = nextCursor === null
    } catch {
      tellLost(true)
    } finally {
      button.ariaBusy = null
    }
  }
  button.addEventListener('click', () => void more())
}

type ContactAnswer = { readonly ticket?: string; readonly message?: string; readonly fields?: Readonly<Record<string, string>> }
const EMAIL = /^[^\s@]+@[^\s@]+$/
const RULES: Readonly<Record<string, (value: string) => boolean>> = {
  name: (value) => value.length >= 2 && value.length <= 100,
  email: (value) => value.length <= 254 && EMAIL.test(value),
  message: (value) => value.length >= 10 && value.length <= 4000,
}

function startContact(): void {
  const form = byData<HTMLFormElement>('contact')
  const alertLine = form?.querySelector<HTMLElement>('[role=alert]')
  if (form === null || !alertLine) return
  let busy = false

  const say = (text: string): void => {
    alertLine.textContent = text
    alertLine.hidden = text === ''
  }
  const mark = (name: string, problem: string | undefined): void => {
    const field = form.elements.namedItem(name)
    const line = document.getElementById(`${name}-error`)
    if (!(field instanceof HTMLElement) || line === null) return
    if (problem === undefined) field.removeAttribute('aria-invalid')
    else field.setAttribute('aria-invalid', 'true')
    line.textContent = problem ?? ''
    line.hidden = problem === undefined
  }
  const judge = (name: string, value: string): boolean => {
    const fine = RULES[name]?.(value) ?? true
    const line = document.getElementById(`${name}-error`)
    mark(name, fine ? undefined : value === '' ? form.dataset.fill : line?.dataset.problem)
    return fine
  }
  form.addEventListener('focusout', (event) => {
    const field = event.target
    if ((field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) && field.value !== '')
      judge(field.name, field.value.trim())
  })
  form.addEventListener('input', ({ target }) => {
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
    if (isField && target.getAttribute('aria-invalid') === 'true') judge(target.name, target.value.trim())
  })
  // If a press moved the focus, an error line could appear, move the button and lose the click.
  form.querySelector('button')?.addEventListener('mousedown', (event) => event.preventDefault())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (busy) return
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value.trim() : '']))
    say('')
    const wrong = Object.keys(RULES).filter((name) => !judge(name, values[name] ?? ''))
    if (wrong[0] !== undefined) {
      ;(form.elements.namedItem(wrong[0]) as HTMLElement | null)?.focus()
      return
    }
    busy = true
    form.setAttribute('aria-busy', 'true')
    void send(form, values, say, mark).finally(() => {
      busy = false
      form.removeAttribute('aria-busy')
    })
  })
}

async function send(
  form: HTMLFormElement,
  values: Readonly<Record<string, string>>,
  say: (text: string) => void,
  mark: (name: string, problem: string | undefined) => void,
): Promise<void> {
  const signal = AbortSignal.timeout(WRITE_WITHIN_MS)
  try {
    const post = (as: object): Promise<Response> =>
      fetch('/api/contact', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-language': lang, ...as },
        body: JSON.stringify(values),
        signal,
      })
    const token = stored('token')
    let response = await post(token === null ? {} : { authorization: `Bearer ${token}` })
    // The login has ended meanwhile: the message is sent all the same.
    if (response.status === 401) response = await post({})
    const answer = (await response.json().catch(() => ({}))) as ContactAnswer
    signal.throwIfAborted()
    if (!response.ok || answer.ticket === undefined) {
      for (const [name, problem] of Object.entries(answer.fields ?? {})) mark(name, problem)
      say(answer.message ?? form.dataset.failed ?? '')
      return
    }
    const ticket = byData('ticket')
    if (ticket !== null) ticket.textContent = answer.ticket
    const sent = byData('sent')?.firstElementChild
    if (sent instanceof HTMLElement) {
      sent.hidden = false
      sent.className = 'sent'
    }
    form.hidden = true
  } catch {
    // The message may have arrived without an answer.
    say((signal.aborted ? form.dataset.unsure : form.dataset.network) ?? '')
  }
}

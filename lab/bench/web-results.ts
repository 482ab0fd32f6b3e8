/** Compares Lighthouse's runs with the budgets: printed, saved as JSON and written into docs/web-performance.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../../e2e/harness/program.ts'
import { machineHere } from './circumstances.ts'

export type Page = { readonly name: string; readonly kind: 'public' | 'app'; readonly address: string }
type Metric = 'first-contentful-paint' | 'largest-contentful-paint' | 'cumulative-layout-shift' | 'total-blocking-time' | 'speed-index'
type Category = 'performance' | 'accessibility' | 'best-practices' | 'seo'
export type Look = {
  readonly page: Page
  readonly run: number
  readonly finalUrl: string
  readonly lighthouse: string
  readonly browser: string
  /** Lighthouse's benchmark index of the machine: higher is faster. */
  readonly speed: number
  readonly scores: Readonly<Partial<Record<Category, number>>>
  readonly metrics: Readonly<Record<Metric, number>>
  readonly bytes: Readonly<Record<string, number>>
  readonly findings: readonly {
    readonly id: string
    readonly title: string
    readonly displayValue?: string
    readonly items: readonly string[]
  }[]
}

const MUST = {
  public: { lcpMs: 1500, performance: 99 },
  app: { lcpMs: 2500, performance: 95 },
} as const
const PERFECT = 100

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

type Row = {
  readonly page: Page
  readonly lcpMs: number
  readonly cls: number
  readonly tbtMs: number
  readonly kb: number
  readonly scriptKb: number
  readonly scores: Readonly<Record<Category, number>>
}

function rowOf(page: Page, looks: readonly Look[]): Row {
  const middle = (pick: (look: Look) => number): number => median(looks.map(pick))
  const metric = (name: Metric): number => middle(({ metrics }) => metrics[name])
  const first = looks.find(({ run }) => run === 1)
  const score = (category: Category): number => first?.scores[category] ?? Number.NaN
  return {
    page,
    lcpMs: metric('largest-contentful-paint'),
    cls: metric('cumulative-layout-shift'),
    tbtMs: metric('total-blocking-time'),
    kb: middle(({ bytes }) => Object.values(bytes).reduce((sum, one) => sum + one, 0)) / 1024,
    scriptKb: middle(({ bytes }) => bytes.Script ?? 0) / 1024,
    scores: {
      performance: middle(({ scores }) => scores.performance ?? Number.NaN),
      accessibility: score('accessibility'),
      'best-practices': score('best-practices'),
      seo: score('seo'),
    },
  }
}

const mark = (text: string, isReached: boolean): string => (isReached ? text : `**${text}**`)
function lineOf({ page, lcpMs, cls, tbtMs, kb, scriptKb, scores }: Row): string {
  const must = MUST[page.kind]
  const cells = [
    page.name,
    mark(`${(lcpMs / 1000).toFixed(2)} s`, lcpMs <= must.lcpMs),
    cls.toFixed(3),
    `${Math.round(tbtMs)} ms`,
    `${kb.toFixed(0)} KB`,
    `${scriptKb.toFixed(0)} KB`,
    mark(String(scores.performance), scores.performance >= must.performance),
    ...(['accessibility', 'best-practices', 'seo'] as const).map((one) => mark(String(scores[one]), scores[one] === PERFECT)),
  ]
  return `| ${cells.join(' | ')} |`
}

const JSON_FILE = path.join(ROOT, '.build', 'web-performance.json')
const DOCS_FILE = path.join(ROOT, 'docs', 'web-performance.md')
const BEGIN = '<!-- figures: written by npm run lab -- web -->'
const END = '<!-- end of figures -->'

/** Prints figures and findings. `write` also saves every run and updates the table in the docs. */
export function finish(looks: readonly Look[], options: { readonly write: boolean }): void {
  const pages = [...new Set(looks.map(({ page }) => page))]
  const rows = pages.map((page) =>
    rowOf(
      page,
      looks.filter((look) => look.page === page),
    ),
  )
  const table = [
    '| Page | LCP | CLS | TBT | All bytes | Scripts | Performance | Accessibility | Best practices | SEO |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map(lineOf),
  ]
  process.stdout.write(`${table.join('\n')}\n\n`)
  for (const { page, findings } of looks.filter(({ run }) => run === 1))
    for (const { id, title, displayValue, items } of findings)
      process.stdout.write(`${page.name}: ${id}: ${title} ${displayValue ?? ''}\n${items.map((item) => `    ${item}\n`).join('')}`)
  if (!options.write) return
  const machine = describeMachine(looks)
  writeFileSync(JSON_FILE, `${JSON.stringify({ at: new Date().toISOString(), machine, looks }, undefined, 1)}\n`)
  const words = `Measured on ${new Date().toISOString().slice(0, 10)} at commit ${machine.commit}: ${machine.cores} × ${machine.processor}, ${machine.memoryGb} GB, Lighthouse ${machine.lighthouse}, ${machine.browser}, median of ${Math.max(...looks.map(({ run }) => run))}. Bold: target missed.`
  const text = readFileSync(DOCS_FILE, 'utf8')
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (before < 0 || after < before) throw new Error(`${DOCS_FILE} has no place for the figures`)
  writeFileSync(DOCS_FILE, `${text.slice(0, before)}${BEGIN}\n\n${words}\n\n${table.join('\n')}\n\n${text.slice(after)}`)
}

const describeMachine = (looks: readonly Look[]) => ({
  ...machineHere(),
  lighthouse: looks[0]?.lighthouse ?? '',
  browser: /Chrome\/\S+/.exec(looks[0]?.browser ?? '')?.[0] ?? '',
  benchmarkIndex: Math.round(median(looks.map(({ speed }) => speed))),
})

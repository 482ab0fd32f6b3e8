/** Compares Lighthouse's runs with the budgets: printed, and written into docs/web-performance.md. */
import { measuredHere, table, writeFigures } from '../page.ts'

export type Page = { readonly name: string; readonly kind: 'public' | 'app'; readonly address: string }
type Metric = 'first-contentful-paint' | 'largest-contentful-paint' | 'cumulative-layout-shift' | 'total-blocking-time' | 'speed-index'
type Category = 'performance' | 'accessibility' | 'best-practices' | 'seo'
export type Look = {
  readonly page: Page
  readonly run: number
  readonly finalUrl: string
  readonly lighthouse: string
  readonly browser: string
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
function lineOf({ page, lcpMs, cls, tbtMs, kb, scriptKb, scores }: Row): string[] {
  const must = MUST[page.kind]
  return [
    page.name,
    mark(`${(lcpMs / 1000).toFixed(2)} s`, lcpMs <= must.lcpMs),
    cls.toFixed(3),
    `${Math.round(tbtMs)} ms`,
    `${kb.toFixed(0)} KB`,
    `${scriptKb.toFixed(0)} KB`,
    mark(String(scores.performance), scores.performance >= must.performance),
    ...(['accessibility', 'best-practices', 'seo'] as const).map((one) => mark(String(scores[one]), scores[one] === PERFECT)),
  ]
}

/** Prints figures and findings. `write` also updates the table in the docs. */
export function finish(looks: readonly Look[], options: { readonly write: boolean }): void {
  const pages = [...new Set(looks.map(({ page }) => page))]
  const rows = pages.map((page) =>
    rowOf(
      page,
      looks.filter((look) => look.page === page),
    ),
  )
  const head = ['Page', 'LCP', 'CLS', 'TBT', 'All bytes', 'Scripts', 'Performance', 'Accessibility', 'Best practices', 'SEO']
  const figures = table(head, rows.map(lineOf))
  process.stdout.write(`${figures}\n\n`)
  for (const { page, findings } of looks.filter(({ run }) => run === 1))
    for (const { id, title, displayValue, items } of findings)
      process.stdout.write(`${page.name}: ${id}: ${title} ${displayValue ?? ''}\n${items.map((item) => `    ${item}\n`).join('')}`)
  if (!options.write) return
  const { lighthouse = '', browser = '' } = looks[0] ?? {}
  const programs = `Lighthouse ${lighthouse}, ${/Chrome\/\S+/.exec(browser)?.[0] ?? ''}, median of ${Math.max(...looks.map(({ run }) => run))}`
  writeFigures('web-performance.md', 'npm run lab -- web', `${measuredHere()}, ${programs}. Bold: target missed.\n\n${figures}`)
}

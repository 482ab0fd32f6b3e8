/** The queries of the alerts and the dashboard, and Debian's Prometheus for the tests, which `npm run test:all` unpacks. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '../../..')
export const OBSERVABILITY = path.join(ROOT, 'ops/observability')

const inDebian = (name: string): string | undefined =>
  [`/usr/bin/${name}`, path.join(process.env.DEBIAN_PROGRAMS ?? '/nonexistent', 'usr/bin', name)].find((file) => existsSync(file))
/** Undefined: this machine has none, and the tests with it are shown as skipped. */
export const PROMETHEUS = inDebian('prometheus')
export const PROMTOOL = inDebian('promtool')

/** An expression of a file, with the labels that its texts show. */
type Asked = { readonly expr: string; readonly shown: readonly string[] }
type Dashboard = {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[] }[]
}

export function askedByAlerts(): Asked[] {
  const rules = readFileSync(path.join(OBSERVABILITY, 'alerts.yml'), 'utf8')
  return [...rules.matchAll(/^ +expr: '(.+)'$/gm)].map(([, expr = '']) => ({ expr, shown: [] }))
}

export function askedByDashboard(): Asked[] {
  const { panels } = JSON.parse(readFileSync(path.join(OBSERVABILITY, 'dashboard.json'), 'utf8')) as Dashboard
  return panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      expr: expr.replaceAll('$__rate_interval', '1m'),
      shown: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
    })),
  )
}

export type Selector = { readonly name: string; readonly labels: readonly string[] }
/** Prometheus itself gives each series these labels. */
const OF_THE_SCRAPE = new Set(['job', 'instance'])

/** The metrics of an expression, each with every label that the expression or its legend uses. */
export function selectorsOf({ expr, shown }: Asked): Selector[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, list = '']) => list.split(',').map((label) => label.trim()))
  return [...expr.matchAll(/\b((?:roz|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', matchers = '']) => {
    const matched = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label)
    return { name, labels: [...new Set([...grouped, ...shown, ...matched])].filter((label) => !OF_THE_SCRAPE.has(label)) }
  })
}

/** Each series of an answer of /metrics: its name and the names of its labels. */
export const seriesOf = (text: string): Selector[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
      return { name, labels: [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label) }
    })

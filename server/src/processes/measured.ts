/** Adds up the measurements of several processes, by the rule that each metric carries: the sum, or the largest value. */
import { AggregatorRegistry, type Registry } from 'prom-client'

/** The values of one process's registry, fit to be sent to another process. */
export type Measured = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

export const addUp = (all: readonly Measured[]): Registry => AggregatorRegistry.aggregate([...all])

/** The last counts of ended processes. They stay in the sum, because a falling sum would look like a restart. */
export async function leftBy(all: readonly Measured[]): Promise<Measured> {
  const counts = all.map((one) => one.filter(({ type }) => ['counter', 'histogram'].includes(String(type))))
  return addUp(counts).getMetricsAsJSON()
}

const OVER_PROCESSES = { sum: 'the sum over the processes', max: 'the largest of the processes' } as const
type Described = { name: string; help: string; type: string; aggregator?: string }

/** Gives each gauge of the runtime its rule, and names it in its help text: times and delays by the largest, sizes by the sum. */
export function describeGauges(registry: Registry): void {
  for (const metric of registry.getMetricsAsArray() as unknown as Described[]) {
    if (metric.type !== 'gauge') continue
    const rule = /_lag_|start_time|version_info/.test(metric.name) ? 'max' : 'sum'
    metric.aggregator = rule
    metric.help = `${metric.help.replace(/\.$/, '')}: ${OVER_PROCESSES[rule]}`
  }
}

/** Tests the sum of several processes' measurements when one of them is silent or ends. */
import { Counter, Gauge, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createGathering } from './gathering.ts'
import { addUp, type Measured } from './measured.ts'

async function measured(joins: number, memory: number): Promise<Measured> {
  const registry = new Registry()
  new Counter({ name: 'joins', help: 'Joins', registers: [registry] }).inc(joins)
  new Gauge({ name: 'memory', help: 'Memory', registers: [registry] }).set(memory)
  return registry.getMetricsAsJSON()
}

async function sumsOf(all: readonly Measured[]): Promise<Record<string, number | undefined>> {
  const metrics = await addUp(all).getMetricsAsJSON()
  return Object.fromEntries(metrics.map(({ name, values }) => [name, values[0]?.value]))
}

test('each process is asked once, and its values are added to those of the one that asks', async () => {
  const asked: number[] = []
  const other = await measured(5, 100)
  const gathering = createGathering(() => [
    { id: 1, ask: () => void asked.push(1) },
    {
      id: 2,
      ask: (number) => {
        asked.push(2)
        gathering.tell(2, other, number)
      },
    },
  ])
  expect(await sumsOf(await gathering.gather(1, await measured(2, 50)))).toEqual({ joins: 7, memory: 150 })
  expect(asked).toEqual([2])
})

test('a process that is silent counts with its values of before', async () => {
  const gathering = createGathering(() => [{ id: 2, ask: () => undefined }], 10)
  gathering.tell(2, await measured(5, 100))
  expect(await sumsOf(await gathering.gather(1, await measured(2, 50)))).toEqual({ joins: 7, memory: 150 })
})

test('the counts of a process that ended stay, its gauges go, and a scrape under way does not wait for it', async () => {
  const gathering = createGathering(() => [{ id: 2, ask: () => gathering.end(2) }], 60_000)
  gathering.tell(2, await measured(5, 100))
  expect(await sumsOf(await gathering.gather(1, await measured(2, 50)))).toEqual({ joins: 7, memory: 50 })
  gathering.end(1)
  expect(await sumsOf(await gathering.gather(3, await measured(1, 10)))).toEqual({ joins: 8, memory: 10 })
})

/** No rule of a field may take long with a long text: rules are checked before a request takes any limit. */
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'

const ENOUGH_MS = 120_000

test('each field of each call judges texts of 20,000 characters, whatever they are made of', { timeout: 2 * ENOUGH_MS }, async () => {
  const worker = new Worker(new URL('../testing/long-texts.ts', import.meta.url))
  let last = ''
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ENOUGH_MS)
    worker.on('error', reject)
    worker.on('message', (name: string) => {
      last = name
      if (name !== 'end') return
      clearTimeout(timer)
      resolve()
    })
  })
  await worker.terminate()
  expect(last).toBe('end')
})

/**
 * Measures the verifier in a real browser.
 *
 * - The product's page checks a large day. A proxy serves the published files from the bench's folder.
 * - One ticket of that day is checked by the same code as the page *My ticket*.
 */
import { createReadStream, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { build } from 'vite'
import { ROOT } from '../../e2e/harness/program.ts'
import { concat, toHex } from '../../verifier/src/bytes.ts'
import { type Json, canonicalBytes } from '../../verifier/src/canonical.ts'
import { consistencyProof, inclusionPath, leafHash, rootOf } from '../../verifier/src/merkle.ts'
import { ticketOf } from '../../verifier/src/draw.ts'
import { verifierKeyOf } from '../../verifier/src/note.ts'
import { checkpointOf, closeRecord, DAY, LOG, memberKey, openRecord, receiptFor } from '../../verifier/test/site-maker.ts'
import { PARTS_EACH } from './verifier-folder.ts'

const JSON_NAMES = /^(draws|books)\/[\d-]+$/
const WAIT_MS = 180_000

/** The view of a day that the page shows before the check. */
function viewOf(entries: number): object {
  const books = { liabilities: { count: PARTS_EACH * entries } }
  const split = { need: 0, reward: 0, platform: 0 }
  return { day: { day: DAY, status: 'settled', entries, intake: entries, split, winners: [], assurance: 'sealed', isDemo: false, books } }
}

type Front = { readonly url: string; readonly close: () => void }

/** Proxies the product's pages and serves the published files from the folder. */
export async function startFront(target: number, folder: string, entries: number): Promise<Front> {
  const server = http.createServer((request, response) => {
    const name = /^\/api\/public\/([^?]*)/.exec(request.url ?? '')?.[1]
    if (name === `days/${DAY}`)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(viewOf(entries)))
    if (name === undefined) {
      const { method, url, headers } = request
      const forward = http.request({ host: '127.0.0.1', port: target, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      forward.on('error', () => response.destroy())
      return void request.pipe(forward)
    }
    const file = path.join(folder, JSON_NAMES.test(name) ? `${name}.json` : name)
    const size = statSync(file, { throwIfNoEntry: false })?.size
    if (size === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size, 'cache-control': 'no-store' })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => (server.closeAllConnections(), server.close()) }
}

/** Measures from the click to the visible verdict. */
export async function measurePage(browser: Browser, url: string) {
  const page = await browser.newPage()
  try {
    await page.goto(`${url}/verify/${DAY}`)
    await page.locator('[data-check]').waitFor({ state: 'visible', timeout: WAIT_MS })
    const { seconds, barSteps } = await page.evaluate(async () => {
      const bar = document.querySelector<HTMLProgressElement>('#progress')
      const places = new Set<number>()
      const began = performance.now()
      document.querySelector<HTMLButtonElement>('[data-check]')?.click()
      while (document.querySelector('[data-verdict] > :not([hidden])') === null) {
        await new Promise((resolve) => requestAnimationFrame(resolve))
        places.add(bar?.value ?? 0)
      }
      return { seconds: (performance.now() - began) / 1000, barSteps: places.size }
    })
    const verdict = (await page.locator('[data-word] > b:not([hidden])').textContent()) ?? '?'
    return { seconds, verdict, barSteps }
  } finally {
    await page.close()
  }
}

/** Builds the server's answer for one ticket of the list, with its proof. */
async function ticketAnswer(folder: string, entries: number) {
  const bytes = new Uint8Array(await readFile(path.join(folder, `draws/${DAY}/tickets`)))
  const tickets: Uint8Array[] = Array.from({ length: entries }, (_, at) => bytes.subarray(32 * at, 32 * at + 32))
  const mine = ticketOf(memberKey(7), DAY)
  // Replaces its neighbour, so the list keeps its length and order.
  const found = tickets.findIndex((one) => toHex(one) > toHex(mine))
  const position = found === -1 ? entries - 1 : found
  tickets[position] = mine
  const leaves = tickets.map(leafHash)
  const open = openRecord({ day: DAY })
  const list = { count: entries, root: toHex(rootOf(leaves)), at: (at: number) => toHex(tickets[at] as Uint8Array) }
  const close = closeRecord({ day: DAY, tickets: [], list }, open)
  const lines = [open, close, openRecord({ day: '2026-08-03' })].map((record) => canonicalBytes(record as Json))
  const logLeaves = lines.map(leafHash)
  const proof = {
    checkpoint: checkpointOf(lines, LOG, () => []),
    close: { index: 1, path: inclusionPath(logLeaves, 1).map(toHex), record: close },
    path: inclusionPath(leaves, position).map(toHex),
    position,
  }
  const { receipt } = receiptFor(mine, tickets.slice(0, 512).concat(mine), DAY)
  const growth = { from: 2, path: consistencyProof(logLeaves, 2).map(toHex), to: 3 }
  return {
    answer: { day: DAY, proof, receipt, ticket: toHex(mine) },
    growth: new TextDecoder().decode(canonicalBytes(growth)),
    kept: { origin: LOG.name, size: 2, root: [...rootOf(logLeaves.slice(0, 2))] },
  }
}

/** Bundles the verifier's module for the browser. */
async function bundled(): Promise<string> {
  const made = await build({
    root: path.join(ROOT, 'verifier'),
    configFile: false,
    logLevel: 'error',
    build: { write: false, target: 'es2024', lib: { entry: 'src/my-ticket.ts', formats: ['es'] } },
  })
  const [output] = Array.isArray(made) ? made : [made]
  const chunk = output !== undefined && 'output' in output ? output.output[0] : undefined
  if (chunk?.type !== 'chunk') throw new Error('the verifier is not one file')
  return chunk.code
}

export async function measureTicket(browser: Browser, url: string, folder: string, entries: number) {
  const { answer, growth, kept } = await ticketAnswer(folder, entries)
  const page = await browser.newPage()
  try {
    await page.route('**/bench/my-ticket.js', async (route) => route.fulfill({ contentType: 'text/javascript', body: await bundled() }))
    await page.goto(`${url}/healthz`)
    const text = JSON.stringify(answer)
    const given = {
      text,
      growth,
      root: kept.root,
      origin: kept.origin,
      size: kept.size,
      day: DAY,
      key: [...memberKey(7)],
      logKey: verifierKeyOf(LOG),
    }
    const found = await page.evaluate(async (input) => {
      const address = '/bench/my-ticket.js'
      const { checkMyTicket } = (await import(address)) as {
        checkMyTicket: (input: object) => Promise<{ readonly state: string }>
      }
      const source = {
        isLive: true,
        open: () => Promise.resolve({ bytes: undefined, pieces: [new TextEncoder().encode(input.growth)] }),
      }
      const took: number[] = []
      let state = ''
      for (let run = 0; run < 9; run += 1) {
        const began = performance.now()
        ;({ state } = await checkMyTicket({
          day: input.day,
          ticketKey: new Uint8Array(input.key),
          answer: JSON.parse(input.text),
          logKey: input.logKey,
          kept: { origin: input.origin, size: input.size, root: new Uint8Array(input.root) },
          source,
        }))
        took.push(performance.now() - began)
      }
      return { state, took }
    }, given)
    const [firstMs = Number.NaN, ...later] = found.took
    const laterMs = later.toSorted((a, b) => a - b)[later.length >> 1] ?? Number.NaN
    return {
      firstMs,
      laterMs,
      bytes: concat(new TextEncoder().encode(text), new TextEncoder().encode(growth)).length,
      state: found.state,
    }
  } finally {
    await page.close()
  }
}

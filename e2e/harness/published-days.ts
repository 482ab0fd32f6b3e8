/** After a test file, verifies the newest days that its servers published, with the verifier's own code. */
import { setTimeout as sleep } from 'node:timers/promises'
import { urlSource } from '@roz/verifier/sources.ts'
import { verifyDay } from '@roz/verifier/verify.ts'

const DAYS_CHECKED = 3
const NOT_TOLD = ['pass', 'weak', 'none']

type Days = { readonly days: readonly { readonly day: string; readonly entries: number; readonly books: object | null }[] }

/** A day whose books are still being made is not broken: it is verified again. */
const PATIENCE_MS = 60_000

/** The failed steps, in words; an empty list if the server does not answer. */
export async function brokenDays(url: string): Promise<readonly string[]> {
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    const broken = await lookAtDays(url)
    if (broken.length === 0 || Date.now() > until) return broken
    await sleep(500)
  }
}

async function lookAtDays(url: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}/api/public/days?limit=12`).catch(() => undefined)
  if (answer?.ok !== true) return []
  const ended = ((await answer.json()) as Days).days.filter(({ books }) => books !== null)
  // Days with entries first: they have a draw to verify.
  const chosen = ended.toSorted((a, b) => Number(b.entries > 0) - Number(a.entries > 0)).slice(0, DAYS_CHECKED)
  const broken: string[] = []
  for (const { day } of chosen) {
    const { steps } = await verifyDay(urlSource(`${url}/api/public/`), day)
    broken.push(...steps.filter(({ state }) => !NOT_TOLD.includes(state)).map(({ step, words }) => `${url} ${day} ${step}: ${words}`))
  }
  return broken
}

/** What every test that settles rounds ends with: the newest days that its servers published hold, by the verifier's own code. */
import { urlSource } from '@roz/verifier/sources.ts'
import { verifyDay } from '@roz/verifier/verify.ts'

const DAYS_CHECKED = 3
const NOT_TOLD = ['pass', 'weak', 'none']

type Days = { readonly days: readonly { readonly day: string; readonly entries: number; readonly books: object | null }[] }

/** What does not hold, in words; nothing of a server that does not answer. */
export async function brokenDays(url: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}/api/public/days?limit=12`).catch(() => undefined)
  if (answer?.ok !== true) return []
  const ended = ((await answer.json()) as Days).days.filter(({ books }) => books !== null)
  // Days with entries first: they have a draw to check.
  const chosen = ended.toSorted((a, b) => Number(b.entries > 0) - Number(a.entries > 0)).slice(0, DAYS_CHECKED)
  const broken: string[] = []
  for (const { day } of chosen) {
    const { steps } = await verifyDay(urlSource(`${url}/api/public/`), day)
    broken.push(...steps.filter(({ state }) => !NOT_TOLD.includes(state)).map(({ step, words }) => `${url} ${day} ${step}: ${words}`))
  }
  return broken
}

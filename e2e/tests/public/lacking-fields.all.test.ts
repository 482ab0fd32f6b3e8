/**
 * Published files that lack a field which every server has: My ticket and /verify end all the same, with what they know or with a
 * sentence and a way on. Nothing stays busy, and no screen falls.
 */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { joinRound, newMember, passRound, type Person } from '../../harness/people.ts'

const fixture = useAppFixture()
let asha: Person
let day: string
beforeAll(async () => {
  asha = await newMember(fixture.roz, { name: 'Asha Verma', rupees: 10 })
  await joinRound(fixture.roz.url, asha)
  day = await passRound(fixture.roz.url, asha)
})

type Json = null | string | number | boolean | readonly Json[] | { readonly [field: string]: Json }
const DEPTH_MAX = 3

/** The paths of all fields, in the first item of each list. */
function fieldsOf(value: Json, at: readonly string[] = []): (readonly string[])[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : fieldsOf(value[0] as Json, [...at, '0'])
  if (typeof value !== 'object' || value === null || at.length >= DEPTH_MAX) return []
  return Object.entries(value).flatMap(([name, inner]) => [[...at, name], ...fieldsOf(inner, [...at, name])])
}
function without(value: Json, [first = '', ...rest]: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((one: Json) => without(one, rest))
  const { [first]: inner, ...others } = value as { readonly [field: string]: Json }
  return rest.length === 0 || inner === undefined ? others : { ...others, [first]: without(inner, rest) }
}

const IS_BUSY = '[aria-busy="true"]'
const hasEnded = (page: Page): Promise<unknown> =>
  page.waitForFunction((busy) => document.querySelector('main h1') !== null && document.querySelector(busy) === null, IS_BUSY)

test.each(['/my-ticket?day=', '/verify/'])('%s ends without any field of the day’s two files', { timeout: 600_000 }, async (screen) => {
  for (const file of [`days/${day}`, `draws/${day}`]) {
    const whole = (await (await fetch(`${fixture.roz.url}/api/public/${file}`)).json()) as Json
    const fields = fieldsOf(whole)
    expect(fields.length).toBeGreaterThan(5)
    for (const field of fields)
      await fixture.as(asha.token, `${screen}${day}`, async (page) => {
        const address = `**/api/public/${file}`
        await page.route(address, (route) => route.fulfill({ json: without(whole, field) }))
        await page.reload()
        await hasEnded(page)
        expect([file, field.join('.'), await page.getByText('Something went wrong').count()]).toEqual([file, field.join('.'), 0])
        await page.unroute(address)
      })
  }
})

/** The recipes of CONTRIBUTING, followed on a copy: every step is needed, and all of them together are enough. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sources } from '../tidy/source.ts'
import { type Copy, type Edit, makeCopy, type Outcome } from './copy.ts'

let copy: Copy
beforeAll(() => {
  copy = makeCopy()
})
afterEach(() => copy.undo())
afterAll(() => copy.remove())

/** The files of a recipe's steps in their order; `<feature>` in a path is any one name. */
function stepsOf(recipe: string): RegExp[] {
  const text = sources.find(({ name }) => name === 'CONTRIBUTING.md')?.text ?? ''
  const section = text.split(`### … ${recipe}\n`)[1]?.split(/\n##/)[0] ?? ''
  return [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => {
    const pattern = (file as string).replace(/[.+]/g, '\\$&').replace(/<[^>]+>/g, '[\\w-]+')
    return new RegExp(`^${pattern}$`)
  })
}

/** Follows the recipe in full, then leaves out each of its steps that `without` names. */
function follow(recipe: string, edits: readonly Edit[], check: () => Outcome, without: Readonly<Record<string, RegExp>>) {
  describe(`${recipe}`, () => {
    test('the steps are those of CONTRIBUTING, in its order', () => {
      const steps = stepsOf(recipe)
      expect(steps.length).toBeGreaterThanOrEqual(edits.length)
      const places = edits.map(({ file }) => steps.findIndex((step) => step.test(file)))
      expect(places).not.toContain(-1)
      expect(places).toEqual(places.toSorted((a, b) => a - b))
    })

    test('all steps together pass', { timeout: 240_000 }, () => {
      copy.apply(edits)
      const { ok, output } = check()
      expect(ok ? '' : output).toBe('')
    })

    test.each(Object.entries(without))('without the step in %s it is refused', { timeout: 240_000 }, (file, complaint) => {
      const others = edits.filter((edit) => edit.file !== file)
      expect(others.length).toBe(edits.length - 1)
      copy.apply(others)
      const { ok, output } = check()
      expect(ok).toBe(false)
      expect(output).toMatch(complaint)
    })
  })
}

/** Types first: a test of something that does not compile says less. */
const typesThen =
  (...checks: readonly (() => Outcome)[]) =>
  (): Outcome => {
    let last: Outcome = { ok: true, output: '' }
    for (const check of checks) {
      last = check()
      if (!last.ok) return last
    }
    return last
  }

const CONTRACT = 'contract/src/community.ts'
const HOME = 'server/src/features/home/home.ts'
const HOME_TEST = 'server/src/features/home/home.test.ts'
const HANDLERS = `  const handlers: Handlers<'home'> = { home: async ({ language }) => ({ ok: true, value: { data: await read(language) } }) }`

follow(
  'add a call',
  [
    {
      file: CONTRACT,
      find: '  home: endpoint({',
      put: `  peopleCount: endpoint({
    method: 'GET',
    path: '/public/people',
    access: 'visitor',
    summary: 'How many members there are.',
    output: z.object({ people: count }),
    refusals: [],
    cache: 'public',
  }),
  home: endpoint({`,
    },
    {
      file: HOME,
      find: HANDLERS,
      put: `  const handlers: Handlers<'home' | 'peopleCount'> = {
    home: async ({ language }) => ({ ok: true, value: { data: await read(language) } }),
    peopleCount: async () => ({ ok: true, value: { people: await people() } }),
  }`,
    },
    {
      file: HOME_TEST,
      find: `test('before the first round everything is zero'`,
      put: `test('a visitor asks how many members there are', async () => {
  const { status, body } = await calls.ask('GET /public/people')
  expect([status, body]).toEqual([200, { people: 0 }])
})

test('before the first round everything is zero'`,
    },
  ],
  typesThen(
    () => copy.types('server'),
    () => copy.test(HOME_TEST, 'a visitor asks'),
  ),
  { [CONTRACT]: /peopleCount/, [HOME]: /peopleCount/ },
)

const REFUSALS = 'core/src/refusals.ts'
const HINDI = 'core/src/locales/hi.ts'
const CONTACT = 'server/src/features/contact/contact.ts'

follow(
  'add a refusal',
  [
    {
      file: REFUSALS,
      find: `  not_held: refusal(`,
      put: `  support_closed: refusal(409, texts('Support is closed today.')),
  not_held: refusal(`,
    },
    {
      file: HINDI,
      find: `  'This member is not on hold.':`,
      put: `  'Support is closed today.': 'आज सहायता बंद है।',
  'This member is not on hold.':`,
    },
    {
      file: CONTRACT,
      find: `    refusals: ['too_many_requests'],\n  }),\n  adminStats`,
      put: `    refusals: ['too_many_requests', 'support_closed'],\n  }),\n  adminStats`,
    },
    {
      file: CONTACT,
      find: `        if (!taken.ok) return taken\n`,
      put: `        if (!taken.ok) return taken
        if (body.message.startsWith('closed')) return { ok: false, code: 'support_closed' }\n`,
    },
  ],
  () => copy.types('server'),
  { [REFUSALS]: /support_closed/, [HINDI]: /Support is closed today/, [CONTRACT]: /support_closed/ },
)

const CONFIG = 'server/src/config/config.ts'
const README = 'README.md'
const EXPLAINED = 'README explains every setting'

follow(
  'add a setting',
  [
    {
      file: CONFIG,
      find: `    brandName: settings.text('BRAND_NAME') ?? 'Roz',`,
      put: `    brandName: settings.text('BRAND_NAME') ?? 'Roz',
    openingHour: settings.integer('OPENING_HOUR', 9, 0, 23),`,
    },
    { file: README, find: '| `MIN_AGE` |', put: '| `OPENING_HOUR` | 9 | when support opens, an hour in IST |\n| `MIN_AGE` |' },
  ],
  typesThen(
    () => copy.types('server'),
    () => copy.test('tidy.test.ts', EXPLAINED),
  ),
  { [CONFIG]: /OPENING_HOUR is explained and not read/, [README]: /OPENING_HOUR is read and not explained/ },
)

const QUEUE = 'server/src/jobs/queue.ts'
const WORKER = 'server/src/jobs/worker.ts'
const IMPACT = 'server/src/features/impact/impact.ts'

follow(
  'add a job',
  [
    {
      file: QUEUE,
      find: `  /** The draft story of a settled day. */`,
      put: `  /** Forget a story's old views. */
  forget_views: { readonly storyId: string }
  /** The draft story of a settled day. */`,
    },
    { file: WORKER, find: `  draft_story: 'own',`, put: `  draft_story: 'own',\n  forget_views: 'own',` },
    {
      file: IMPACT,
      find: `    jobs: { draft_story:`,
      put: `    jobs: {
      forget_views: async ({ storyId }: { readonly storyId: string }): Promise<void> => void (storyId === '' || (await eraseOldViews(db))),
      draft_story:`,
    },
  ],
  () => copy.types('server'),
  { [QUEUE]: /forget_views/, [WORKER]: /forget_views/, [IMPACT]: /forget_views/ },
)

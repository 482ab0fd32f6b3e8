/**
 * Four recipes of CONTRIBUTING, followed on a copy.
 * - The steps are 1 to 3 of a call and of a job, 1 and 2 of a setting, and those of a refusal without its test.
 * - These steps together pass.
 * - With ROZ_TEST_ALL: leaving out a step fails.
 */
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

/** Makes the edits of a recipe, then leaves out each of its steps that `without` names. */
function follow(recipe: string, edits: readonly Edit[], check: () => Outcome, without: Readonly<Record<string, RegExp>>) {
  describe(`${recipe}:`, () => {
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

    // Eleven more copies' worth of types: a minute and a half.
    test.runIf(process.env.ROZ_TEST_ALL === '1').each(Object.entries(without))(
      'without the step in %s it is refused',
      { timeout: 240_000 },
      (file, complaint) => {
        const others = edits.filter((edit) => edit.file !== file)
        expect(others.length).toBeLessThan(edits.length)
        copy.apply(others)
        const { ok, output } = check()
        expect(ok).toBe(false)
        expect(output).toMatch(complaint)
      },
    )
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

follow(
  'add a call',
  [
    {
      file: CONTRACT,
      before: /^ {2}home: endpoint\(/m,
      put: `  peopleCount: endpoint({
    method: 'GET',
    path: '/public/people',
    access: 'visitor',
    summary: 'How many members there are.',
    output: z.object({ people: count }),
    refusals: [],
    cache: 'public',
  }),
`,
    },
    { file: HOME, before: /(?<=Handlers<'home'>) = \{/, put: ` & Handlers<'peopleCount'>` },
    {
      file: HOME,
      before: /(?<=: Handlers<'home'> .*= \{) home:/,
      put: ` peopleCount: async () => ({ ok: true, value: { people: await people() } }),`,
    },
    {
      file: HOME_TEST,
      before: /^test\(/m,
      put: `test('a visitor asks how many members there are', async () => {
  const { status, body } = await calls.ask('GET /public/people')
  expect([status, body]).toEqual([200, { people: 0 }])
})

`,
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
    { file: REFUSALS, before: /^ {2}not_held: refusal\(/m, put: `  support_closed: refusal(409, texts('Support is closed today.')),\n` },
    { file: HINDI, before: /(?<=^export const HI = \{)\n/m, put: `\n  'Support is closed today.': 'आज सहायता बंद है।',` },
    { file: CONTRACT, before: /\],\n {2}\}\),\n {2}adminStats:/, put: `, 'support_closed'` },
    {
      file: CONTACT,
      before: /^ +return \{ ok: true, value: \{ ticket/m,
      put: `        if (body.message.startsWith('closed')) return { ok: false, code: 'support_closed' }\n`,
    },
  ],
  () => copy.types('server'),
  { [REFUSALS]: /support_closed/, [HINDI]: /Support is closed today/, [CONTRACT]: /support_closed/ },
)

const CONFIG = 'server/src/config/config.ts'
const README = 'README.md'

follow(
  'add a setting',
  [
    { file: CONFIG, before: /^ +brandName: settings/m, put: `    openingHour: settings.integer('OPENING_HOUR', 9, 0, 23),\n` },
    { file: README, before: /^\| `MIN_AGE` \|/m, put: '| `OPENING_HOUR` | 9 | when support opens, an hour in IST |\n' },
  ],
  typesThen(
    () => copy.types('server'),
    () => copy.test('tidy.test.ts', 'README explains every setting'),
  ),
  { [CONFIG]: /OPENING_HOUR is explained and not read/, [README]: /OPENING_HOUR is read and not explained/ },
)

const QUEUE = 'server/src/jobs/queue.ts'
const WORKER = 'server/src/jobs/worker.ts'
const IMPACT = 'server/src/features/impact/impact.ts'

follow(
  'add a job',
  [
    { file: QUEUE, before: /^ {2}draft_story: \{/m, put: `  forget_views: { readonly storyId: string }\n` },
    { file: WORKER, before: /^ {2}draft_story: '/m, put: `  forget_views: 'own',\n` },
    {
      file: IMPACT,
      before: /(?<=jobs: \{) draft_story:/,
      put: ` forget_views: async (_job: { readonly storyId: string }): Promise<void> => void (await eraseOldViews(db)),`,
    },
  ],
  () => copy.types('server'),
  { [QUEUE]: /forget_views/, [WORKER]: /forget_views/, [IMPACT]: /forget_views/ },
)

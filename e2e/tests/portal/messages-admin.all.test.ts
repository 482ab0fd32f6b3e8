/** Every message of the portal, provoked in the real program over a connection that the test breaks: login, tabs, draw and stories. */
import { expect } from '../../harness/expect.ts'
import { dayAt, type IstDay } from '@roz/core/ist-day.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import type { Fault, FaultyProxy } from '../../harness/faulty-proxy.ts'
import { adminToken, newMember, PASSWORD, type Person, readClock } from '../../harness/people.ts'
import { ADMIN, type Program } from '../../harness/program.ts'
import { useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { signIn, toast } from '../../harness/steps.ts'

const NO_WORDS = ['cut', 'wordless'] as const satisfies readonly Fault[]
const SHORT_LINK = 'https://youtu.be/dQw4w9WgXcQ'

const fixture = useAppFixture({ size: WIDE })
let roz: Program
let line: FaultyProxy
let admin: string
let asha: Person
let today: IstDay

beforeAll(async () => {
  ;({ roz, line } = fixture)
  today = dayAt(Date.parse(await readClock(roz.url)))
  admin = await adminToken(roz.url)
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 10 })
})

const visit = (path: string, token: string | undefined, work: Work): Promise<void> => fixture.at(path, work, { token })
const keptTokens = (page: Page) => page.evaluate(() => [localStorage.getItem('token'), sessionStorage.getItem('admin-token')])
const inPortal = (work: (page: Page) => Promise<void>, tab = 'overview') => visit(`/admin/dashboard?tab=${tab}`, admin, work)

describe('the login', () => {
  test('a member is refused in the words of wrong credentials, and gets no admin session', async () => {
    await visit('/admin/login', undefined, async (page) => {
      await signIn(page, { email: asha.email, password: PASSWORD })
      await expect(toast(page, 'Invalid email or password')).toBeVisible()
      await expect(page).toHaveURL(`${line.url}/admin/login`)
      expect(await keptTokens(page)).toEqual([null, null])
    })
  })

  test.each(NO_WORDS)('Login failed: the line is %s', async (fault) => {
    line.breakLine('POST /api/admin/login', fault)
    await visit('/admin/login', undefined, async (page) => {
      await signIn(page, ADMIN)
      await expect(toast(page, 'Login failed')).toBeVisible()
      await expect(page).toHaveURL(`${line.url}/admin/login`)
    })
  })

  test('Please fill in all fields', async () => {
    await visit('/admin/login', undefined, async (page) => {
      await signIn(page, { email: ADMIN.email, password: '' })
      await expect(toast(page, 'Please fill in all fields')).toBeVisible()
    })
  })

  test('Back to site leads to the home page', async () => {
    await visit('/admin/login', undefined, async (page) => {
      await page.getByRole('link', { name: 'Back to site' }).click()
      await expect(page).toHaveURL(`${line.url}/`)
    })
  })

  test('Logout leads to /admin/login, removes the token and ends the session at the server', async () => {
    const token = await adminToken(roz.url)
    await visit('/admin/dashboard', token, async (page) => {
      await page.getByRole('button', { name: 'Logout' }).click()
      await page.waitForURL(`${line.url}/admin/login`)
      expect(await keptTokens(page)).toEqual([null, null])
      await expect.poll(async () => (await ask(roz.url, 'adminStats', { token })).status).toBe(401)
      await page.goto(`${line.url}/admin/dashboard`)
      await page.waitForURL(`${line.url}/admin/login`)
    })
  })

  test('a revoked token leads from the portal to /admin/login', async () => {
    const token = await adminToken(roz.url)
    await visit('/admin/dashboard', token, async (page) => {
      await expect(page.getByRole('tabpanel')).toContainText('Total members')
      await ask(roz.url, 'logout', { token })
      await page.getByRole('tab', { name: 'Users' }).click()
      await page.waitForURL(`${line.url}/admin/login`)
      expect(await keptTokens(page)).toEqual([null, null])
    })
  })
})

describe('the tabs', () => {
  test('Overview, Users, Impact Stories and those for money; the chosen one stays after a reload', async () => {
    await visit('/admin/dashboard', admin, async (page) => {
      const ofMembers = 'Overview, Rounds, Users, Messages, Review, Requests for help, Beneficiaries, Help given, Impact Stories'
      const ofMoney =
        'Withdrawals, Refunds, Suspense, Disputes, AutoPay, Reconciliation, Platform entries, Tax withheld, Announcements, Site, Team, Staff log, My account'
      await expect(page.getByRole('tab')).toHaveText(`${ofMembers}, ${ofMoney}`.split(', '))
      await expect(page.getByRole('tab', { name: 'Overview' })).toHaveAttribute('aria-selected', 'true')
      const figures = ['Total members', 'Put in so far', 'Set aside for people in need', 'Joined today', 'Put in today', 'Active rounds']
      await expect(page.getByRole('tabpanel').locator('dt')).toHaveText(figures)
      await page.getByRole('tab', { name: 'Users' }).click()
      await page.reload()
      await expect(page.getByRole('tab', { name: 'Users' })).toHaveAttribute('aria-selected', 'true')
      await expect(page.getByRole('row', { name: /Asha Verma/ })).toContainText('₹10.00')
    })
  })

  test.each([
    ['overview', '/api/admin/stats', 'The figures could not be loaded.', 'Total members', 'cut'],
    ['users', '/api/admin/users', 'The members could not be loaded.', 'Asha Verma', 'wordless'],
    ['beneficiaries', '/api/admin/beneficiaries', 'The beneficiaries could not be loaded.', 'No beneficiaries found', 'cut'],
    ['help-given', '/api/admin/disbursements', 'The help given could not be loaded.', 'No help found', 'wordless'],
    ['house-entries', '/api/admin/house-entries', 'The entries could not be loaded.', 'No entries found', 'cut'],
    ['stories', '/api/impact/stories-admin', 'The stories could not be loaded.', 'No impact stories yet', 'cut'],
    ['withdrawals', '/api/admin/withdrawals', 'The withdrawals could not be loaded.', 'No withdrawals found', 'cut'],
    ['refunds', '/api/admin/refunds', 'The refunds could not be loaded.', 'No refunds found', 'wordless'],
    ['suspense', '/api/admin/suspense', 'The payments could not be loaded.', 'No payments found', 'cut'],
    ['autopay', '/api/admin/autopay', 'AutoPay could not be loaded.', 'No AutoPay found', 'cut'],
    ['disputes', '/api/admin/disputes', 'The disputes could not be loaded.', 'No disputes found', 'wordless'],
  ] as const)('%s without %s: %s, and Retry loads it', async (tab, call, words, then, fault) => {
    line.breakLine(`GET ${call}`, fault)
    await inPortal(async (page) => {
      const failed = page.locator('.empty.failed', { hasText: words })
      await expect(failed).toBeVisible()
      line.mend()
      await failed.getByRole('button', { name: 'Retry' }).click()
      await expect(page.getByRole('tabpanel').getByText(then).filter({ visible: true }).first()).toBeVisible()
      await expect(failed).toHaveCount(0)
    }, tab)
  })

  test('a navigation while the portal’s catalogue loads waits for it too', async () => {
    const work: Work = async (page) => {
      const gate = Promise.withResolvers<undefined>()
      await page.route('**/assets/admin-*.js', async (route) => {
        await gate.promise
        await route.continue()
      })
      const screen = page.waitForResponse('**/assets/AdminDashboardPage-*.js')
      await page.goto(`${line.url}/admin/dashboard?tab=users`)
      await (await screen).finished()
      await expect(page.getByRole('banner').getByRole('button', { name: 'Logout' })).toBeVisible()
      // The screen's own script is loaded, and there is time to draw it.
      await page.evaluate(async () => {
        history.pushState(history.state, '', '?tab=disputes')
        for (let frames = 0; frames < 30; frames++) await new Promise((resolve) => requestAnimationFrame(resolve))
      })
      gate.resolve(undefined)
      await expect(page.getByText('No disputes found')).toBeVisible()
      expect(fixture.visit.complaints()).toEqual([])
      await page.unrouteAll({ behavior: 'wait' })
    }
    await fixture.at('/healthz', work, { token: admin, slot: 'admin-token' })
  })

  test('No members found', async () => {
    await inPortal(async (page) => {
      await page.getByLabel('Search members').fill('nobody by this name')
      await expect(page.getByText('No members found', { exact: true })).toBeVisible()
    }, 'users')
  })
})

describe('the draw', () => {
  const opener = (page: Page) => page.locator('main').getByRole('button', { name: 'Trigger Draw' }).first()
  const openQuestion = async (page: Page) => {
    await opener(page).click()
    const dialog = page.getByRole('dialog', { name: 'Draw this round?' })
    await expect(dialog).toBeVisible()
    return dialog
  }
  const press = async (page: Page): Promise<void> => {
    await (await openQuestion(page)).getByRole('button', { name: 'Trigger Draw' }).click()
  }

  test('No members have joined yet.', async () => {
    await inPortal(async (page) => {
      await press(page)
      await expect(toast(page, 'No members have joined yet.')).toBeVisible()
      await expect(page.getByRole('dialog')).toHaveCount(0)
    })
  })

  test('a press while the round is loading is not lost, and its question says what the draw costs', async () => {
    await inPortal(async (page) => {
      const gate = Promise.withResolvers<undefined>()
      await page.route('**/api/rounds/current', async (route) => {
        await gate.promise
        await route.continue()
      })
      await page.reload()
      await opener(page).click()
      gate.resolve(undefined)
      const dialog = page.getByRole('dialog', { name: 'Draw this round?' })
      await expect(dialog).toContainText(/at midnight, in \d+ h \d+ min\. Once you close it, nobody can join any more today\./)
      await expect(dialog).toContainText('The draw picks one winner and divides the money. This cannot be undone.')
      await page.unrouteAll({ behavior: 'wait' })
    })
  })

  test('Failed to fetch round details: without the day no dialog opens', async () => {
    await inPortal(async (page) => {
      await expect(page.getByRole('tabpanel')).toContainText('Total members')
      line.breakLine('GET /api/rounds/current', 'cut')
      await opener(page).click()
      await expect(toast(page, 'Failed to fetch round details')).toBeVisible()
      await expect(page.getByRole('dialog')).toHaveCount(0)
    })
  })

  test.each(NO_WORDS)('Failed to trigger draw: the line is %s, and nothing was drawn', async (fault) => {
    line.breakLine('POST /api/admin/trigger-draw', fault)
    await inPortal(async (page) => {
      await press(page)
      await expect(toast(page, 'Failed to trigger draw')).toBeVisible()
    })
    expect((await ask(roz.url, 'currentRound')).output.status).toBe('open')
  })

  test.each([
    ['en', 'Trigger Draw', 'The round is closed and waits for its public random number. The draw follows by itself.'],
    ['hi', 'ड्रॉ करें', 'राउंड बंद हो गया है और अपने सार्वजनिक नंबर का इंतज़ार कर रहा है। ड्रॉ अपने-आप होगा।'],
  ] as const)('a draw that waits for its beacon is not reported as done (%s)', async (language, button, words) => {
    // This program draws at once: the test puts in the answer of a draw that waits.
    const { output: round } = await ask(roz.url, 'currentRound')
    const closed = { ...round, status: 'closed', drawAt: `${today}T23:59:00+05:30` }
    line.breakLine('POST /api/admin/trigger-draw', { status: 202, body: JSON.stringify({ message: words, round: closed }) })
    await inPortal(async (page) => {
      await page.evaluate((spoken) => localStorage.setItem('language', spoken), language)
      await page.reload()
      await page.locator('main').getByRole('button', { name: button }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: button }).click()
      await expect(page.locator('.toast')).toContainText([words])
      await page.evaluate(() => localStorage.removeItem('language'))
    })
  })

  test('Failed to trigger draw: the server is stopped', async () => {
    await inPortal(async (page) => {
      const dialog = await openQuestion(page)
      await fixture.withoutServer(async () => {
        await dialog.getByRole('button', { name: 'Trigger Draw' }).click()
        await expect(toast(page, 'Failed to trigger draw')).toBeVisible()
      })
    })
    expect((await ask(roz.url, 'currentRound')).output.status).toBe('open')
  })

  test('Escape and Cancel leave the round open; the page does not scroll behind the dialog', async () => {
    await inPortal(async (page) => {
      for (const leave of [() => page.keyboard.press('Escape'), () => page.getByRole('button', { name: 'Cancel' }).click()]) {
        await openQuestion(page)
        expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).toBe('hidden')
        await leave()
        await expect(page.getByRole('dialog')).toHaveCount(0)
        expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).not.toBe('hidden')
      }
    })
    expect((await ask(roz.url, 'currentRound')).output.status).toBe('open')
  })

  test("Today's round is already closed.", async () => {
    await ask(roz.url, 'joinRound', { token: asha.token, body: {} })
    await inPortal(async (page) => {
      const dialog = await openQuestion(page)
      await expect(dialog).toContainText('1 member, ₹1.00')
      expect((await ask(roz.url, 'triggerDraw', { token: admin, body: { day: today } })).status).toBeLessThan(300)
      await dialog.getByRole('button', { name: 'Trigger Draw' }).click()
      await expect(toast(page, "Today's round is already closed.")).toBeVisible()
    })
  })
})

describe('impact stories', () => {
  const row = (page: Page, title: string) => page.locator('.story-rows li', { hasText: title })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const field = (page: Page, label: string) => page.getByRole('dialog').getByLabel(label, { exact: true })
  const save = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Save story' }).click()
  const TITLE = 'A kitchen at noon'

  test('a new story: Impact story created!, a draft', async () => {
    await inPortal(async (page) => {
      await button(page, 'New story').click()
      await field(page, 'Title').fill(TITLE)
      await field(page, 'Description').fill('Rice for forty families.')
      await field(page, 'Charity name').fill('Annapurna Kitchen')
      await field(page, 'Charity description').fill('Cooks each noon.')
      await save(page)
      await expect(toast(page, 'Impact story created!')).toBeVisible()
      await expect(row(page, TITLE).locator('.badge')).toHaveText('Draft')
    }, 'stories')
  })

  const publish = async (page: Page): Promise<void> => {
    await button(page, `Publish: ${TITLE}`).click()
    await page.getByRole('dialog', { name: 'Publish this story?' }).getByRole('button', { name: 'Publish' }).click()
  }
  test.each(NO_WORDS)('Failed to publish story: the line is %s, and it stays a draft', async (fault) => {
    await inPortal(async (page) => {
      await breakStories(fault)
      await publish(page)
      await expect(toast(page, 'Failed to publish story')).toBeVisible()
      await expect(row(page, TITLE).locator('.badge')).toHaveText('Draft')
    }, 'stories')
  })

  test('Story published successfully!, and everyone can read it', async () => {
    await inPortal(async (page) => {
      await publish(page)
      await expect(toast(page, 'Story published successfully!')).toBeVisible()
      await expect(row(page, TITLE).locator('.badge')).toHaveText('Published')
    }, 'stories')
    await visit('/impact', asha.token, async (page) => {
      await expect(page.getByRole('article').getByRole('heading', { name: TITLE })).toBeVisible()
      await expect(page.getByRole('article').locator('.badge', { hasText: 'Live' })).toBeVisible()
    })
  })

  test.each(NO_WORDS)('Failed to update story: the line is %s, and the input stays', async (fault) => {
    await inPortal(async (page) => {
      await breakStories(fault)
      await button(page, `Edit: ${TITLE}`).click()
      await field(page, 'Description').fill('Rice for fifty families.')
      await save(page)
      await expect(toast(page, 'Failed to update story')).toBeVisible()
      await expect(field(page, 'Description')).toHaveValue('Rice for fifty families.')
    }, 'stories')
  })

  test('taking a story back: Failed to update story when it fails, else The story was taken back.', async () => {
    const unpublish = async (page: Page): Promise<void> => {
      await button(page, `Unpublish: ${TITLE}`).click()
      await page.getByRole('dialog', { name: 'Take this story back?' }).getByRole('button', { name: 'Unpublish' }).click()
    }
    await inPortal(async (page) => {
      await breakStories('cut')
      await unpublish(page)
      await expect(toast(page, 'Failed to update story')).toBeVisible()
      await expect(row(page, TITLE).locator('.badge')).toHaveText('Published')
      line.mend()
      await unpublish(page)
      await expect(toast(page, 'The story was taken back.')).toBeVisible()
      await expect(row(page, TITLE).locator('.badge')).toHaveText('Draft')
    }, 'stories')
  })

  test.each([
    ['Title', '', 'Title is required'],
    ['Description', '  ', 'Description is required'],
    ['Charity name', '', 'Charity name is required'],
    ['Charity description', '', 'Charity description is required'],
    ['Video URL', 'a film', 'Please enter a valid URL'],
    ['Video URL', 'https://video.example/film', 'Invalid YouTube URL'],
  ])('%s filled with "%s": %s', async (label, value, words) => {
    await inPortal(async (page) => {
      await button(page, `Edit: ${TITLE}`).click()
      await field(page, label).fill(value)
      await save(page)
      await expect(toast(page, words)).toBeVisible()
      await expect(field(page, label)).toHaveAttribute('aria-invalid', 'true')
      await expect(page.getByRole('dialog').getByText(words, { exact: true }).first()).toBeVisible()
    }, 'stories')
  })

  test.each([['https://www.youtube.com/watch?v=dQw4w9WgXcQ'], [SHORT_LINK], ['']])(
    'Impact story updated!, with the video "%s"',
    async (videoUrl) => {
      await inPortal(async (page) => {
        await button(page, `Edit: ${TITLE}`).click()
        await field(page, 'Video URL').fill(videoUrl)
        await save(page)
        await expect(toast(page, 'Impact story updated!')).toBeVisible()
        await expect(page.getByRole('dialog')).toHaveCount(0)
      }, 'stories')
      const { stories } = (await ask(roz.url, 'storiesAdmin', { token: admin })).output
      expect(stories.find(({ title }) => title === TITLE)?.videoUrl).toBe(videoUrl === '' ? null : videoUrl)
    },
  )

  test('the dialog closes on Escape and discards the input, but ignores a press outside', async () => {
    await inPortal(async (page) => {
      await button(page, `Edit: ${TITLE}`).click()
      await field(page, 'Title').fill('Something else')
      await page.mouse.click(4, 400)
      await expect(field(page, 'Title')).toHaveValue('Something else')
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await button(page, `Edit: ${TITLE}`).click()
      await expect(field(page, 'Title')).toHaveValue(TITLE)
    }, 'stories')
  })

  async function breakStories(fault: Fault): Promise<void> {
    const { stories } = (await ask(roz.url, 'storiesAdmin', { token: admin })).output
    for (const { id } of stories) line.breakLine(`PUT /api/impact/stories/${id}`, fault)
  }
})

/** The portal's stories: schedule, publication, deletion, preview as members see it, and the picture. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditScreen, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, setClock } from '../../harness/people.ts'
import { png } from '../../harness/pictures.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'

const fixture = useAppFixture({ size: WIDE })
let roz: Program
let admin: string
const TITLE = 'School shoes'
const STORY = { title: TITLE, description: 'For the new school year.', charity: { name: 'Meera', description: 'Shoes and socks' } }

beforeAll(async () => {
  ;({ roz } = fixture)
  admin = await adminToken(roz.url)
  await ask(roz.url, 'createStory', { token: admin, body: STORY })
})

const inPortal = (work: (page: Page) => Promise<void>): Promise<void> => fixture.at('/admin/dashboard?tab=stories', work, { token: admin })
const row = (page: Page) => page.locator('.story-rows li', { hasText: TITLE })
const open = async (page: Page, what: string) => {
  await row(page)
    .getByRole('button', { name: `${what}: ${TITLE}` })
    .click()
  return page.getByRole('dialog')
}
const isPublic = async (): Promise<boolean> => (await ask(roz.url, 'stories')).output.stories.some(({ title }) => title === TITLE)

/** Between a phone and a wide screen the buttons once squeezed the words to a letter each line. */
test('a row keeps its words readable on a small laptop, beside the list of sections', async () => {
  await inPortal(async (page) => {
    await expect(row(page).getByRole('heading')).toBeVisible()
    for (const width of [864, 960, 1100, 1199]) {
      await page.setViewportSize({ width, height: 720 })
      // One line of its letters.
      expect((await row(page).getByRole('heading').boundingBox())?.height, `${width} px`).toBeLessThan(40)
    }
    await page.setViewportSize(WIDE)
  })
})

describe('the schedule', () => {
  test('offers 6 PM, is set and ended with the keyboard only, and passes axe', async () => {
    await inPortal(async (page) => {
      await row(page)
        .getByRole('button', { name: `Schedule: ${TITLE}` })
        .focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Publish at a time' })
      await expect(dialog.getByLabel('Day and time (IST)')).toHaveValue(/T18:00$/)
      await auditScreen(page)

      await dialog.getByRole('button', { name: 'Schedule' }).focus()
      await page.keyboard.press('Enter')
      await expect(toast(page, 'Story scheduled!')).toBeVisible()
      await expect(row(page).locator('.badge')).toHaveText('Scheduled')
      await expect(row(page).locator('time')).toContainText('6:00 pm')
      // The widest state beside the most buttons leaves the title its one line.
      expect((await row(page).getByRole('heading').boundingBox())?.height).toBeLessThan(40)
      await open(page, 'Schedule')
      await dialog.getByRole('button', { name: "Don't publish by itself" }).focus()
      await page.keyboard.press('Enter')
      await expect(toast(page, 'The story is not scheduled any more.')).toBeVisible()
      await expect(row(page).locator('.badge')).toHaveText('Draft')
    })
  })

  test('refuses a time that is over, in its words at the field', async () => {
    await inPortal(async (page) => {
      const dialog = await open(page, 'Schedule')
      await dialog.getByLabel('Day and time (IST)').fill('2020-01-01T18:00')
      await dialog.getByRole('button', { name: 'Schedule' }).click()
      await expect(dialog.getByText('Choose a time in the future')).toBeVisible()
    })
  })

  test('publishes the story by itself at its time', async () => {
    await inPortal(async (page) => {
      const dialog = await open(page, 'Schedule')
      const at = await dialog.getByLabel('Day and time (IST)').inputValue()
      await dialog.getByRole('button', { name: 'Schedule' }).click()
      await expect(row(page).locator('.badge')).toHaveText('Scheduled')
      expect(await isPublic()).toBe(false)
      await setClock(roz.url, `${at}:01+05:30`)
      expect(await isPublic()).toBe(true)
    })
    // The session of noon is over by 6 PM.
    admin = await adminToken(roz.url)
    await inPortal(async (page) => {
      await expect(row(page).locator('.badge')).toHaveText('Published')
      await expect(row(page).getByRole('button', { name: `Schedule: ${TITLE}` })).toHaveCount(0)
    })
  })
})

describe('a draft', () => {
  const PENDING = 'Written twice'
  const pending = (page: Page) => page.locator('.story-rows li', { hasText: PENDING })
  const press = (page: Page, what: string) => pending(page).getByRole('button', { name: `${what}: ${PENDING}` })

  beforeAll(async () => {
    const charity = { name: 'Pending Charity Selection', description: 'Not chosen yet.' }
    await ask(roz.url, 'createStory', { token: admin, body: { ...STORY, title: PENDING, charity } })
  })

  test('is published only after a dialog that says whom it tells and what it lacks', async () => {
    await inPortal(async (page) => {
      await press(page, 'Publish').click()
      const dialog = page.getByRole('dialog', { name: 'Publish this story?' })
      await expect(dialog).toContainText('No charity is named yet: everybody reads “Pending Charity Selection”.')
      await expect(dialog).toContainText('No help is linked, so no member is told.')
      await auditScreen(page)
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await expect(pending(page).locator('.badge')).toHaveText('Draft')
    })
  })

  test('that was never published is deleted after a dialog; a published or unpublished story offers no deletion', async () => {
    await inPortal(async (page) => {
      await press(page, 'Delete').click()
      const dialog = page.getByRole('dialog', { name: 'Delete this draft?' })
      await auditScreen(page)
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await expect(pending(page)).toHaveCount(1)
      await press(page, 'Delete').focus()
      await page.keyboard.press('Enter')
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await expect(toast(page, 'The draft is deleted.')).toBeVisible()
      await expect(pending(page)).toHaveCount(0)
      await expect(row(page)).toHaveCount(1)
      await expect(row(page).getByRole('button', { name: `Delete: ${TITLE}` })).toHaveCount(0)
    })
  })

  test('that somebody published meanwhile is not deleted, and the refusal says why', async () => {
    await ask(roz.url, 'createStory', { token: admin, body: { ...STORY, title: PENDING } })
    const { stories } = (await ask(roz.url, 'storiesAdmin', { token: admin })).output
    const id = stories.find(({ title }) => title === PENDING)?.id ?? ''
    await inPortal(async (page) => {
      await press(page, 'Delete').click()
      await ask(roz.url, 'updateStory', { token: admin, params: { id }, body: { isActive: true } })
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await expect(
        toast(page, 'This story was published once, so it cannot be deleted. When unpublished, only the team can see it.'),
      ).toBeVisible()
      await expect(pending(page).locator('.badge')).toHaveText('Published')
    })
  })
})

test('the preview shows the story as members see it, and counts no view', async () => {
  await inPortal(async (page) => {
    const dialog = await open(page, 'Preview')
    await expect(dialog.getByRole('article').getByRole('heading', { name: TITLE })).toBeVisible()
    await expect(dialog.getByRole('article')).toContainText('Shoes and socks')
    await expect(dialog.getByRole('article')).toContainText('0 views')
    await auditScreen(page)
  })
  const { stories } = (await ask(roz.url, 'storiesAdmin', { token: admin })).output
  expect(stories.find(({ title }) => title === TITLE)?.views).toBe(0)
})

test('a picture is uploaded with the words, shown, and removed', async () => {
  await inPortal(async (page) => {
    const dialog = await open(page, 'Edit')
    await dialog
      .getByLabel('Picture', { exact: true })
      .setInputFiles({ name: 'shoes.png', mimeType: 'image/png', buffer: png(64, 48, () => [11, 93, 74]) })
    await dialog.getByRole('button', { name: 'Save story' }).click()
    await expect(toast(page, 'Impact story updated!')).toBeVisible()
    await open(page, 'Preview')
    await expect(dialog.locator('img.story-image')).toHaveJSProperty('naturalWidth', 64)
    await page.keyboard.press('Escape')
    await open(page, 'Edit')
    await dialog.getByRole('button', { name: 'Remove the picture' }).click()
    await expect(dialog.getByText('The picture is removed when you save.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Save story' }).click()
    await expect(dialog).toHaveCount(0)
    await open(page, 'Edit')
    await expect(dialog.getByRole('button', { name: 'Remove the picture' })).toHaveCount(0)
  })
})

test('a file that is no picture is refused in its words, and the words of the story are saved', async () => {
  await inPortal(async (page) => {
    const dialog = await open(page, 'Edit')
    await dialog.getByLabel('Description', { exact: true }).fill('For the school year 2027.')
    const file = { name: 'shoes.png', mimeType: 'image/png', buffer: Buffer.from('no picture at all') }
    await dialog.getByLabel('Picture', { exact: true }).setInputFiles(file)
    await dialog.getByRole('button', { name: 'Save story' }).click()
    await expect(toast(page, 'Please choose an image file.')).toBeVisible()
    await open(page, 'Preview')
    await expect(dialog.getByRole('article')).toContainText('For the school year 2027.')
  })
})

test('both languages are side by side, and a Hindi reader reads Hindi where it is written', async () => {
  const words = { title: 'Warm blankets', description: 'Before the winter.', charity: { name: 'Leela', description: 'Blankets' } }
  const { id } = (await ask(roz.url, 'createStory', { token: admin, body: words })).output.story
  await ask(roz.url, 'updateStory', { token: admin, params: { id }, body: { isActive: true } })
  await fixture.at(`/hi/impact-stories/${id}`, async (page) => {
    await expect(page.locator('h1')).toHaveAttribute('lang', 'en')
    await expect(page.locator('.told')).toHaveAttribute('lang', 'en')
    await expect(page.locator('.told')).toHaveText('Before the winter. (in English)')
  })
  await inPortal(async (page) => {
    await page.getByRole('searchbox', { name: 'Search stories' }).fill('blankets')
    await page.getByRole('button', { name: `Edit: ${words.title}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit story' })
    await dialog.getByLabel('Title: हिन्दी').fill('गर्म कंबल')
    await dialog.getByLabel('Description: हिन्दी', { exact: true }).fill('जाड़े से पहले।')
    await auditScreen(page)
    await dialog.getByRole('button', { name: 'Save story' }).click()
    await expect(toast(page, 'Impact story updated!')).toBeVisible()
    await page.getByRole('searchbox', { name: 'Search stories' }).fill('कंबल')
    await expect(page.getByRole('heading', { name: words.title })).toBeVisible()
  })
  await fixture.at(`/hi/impact-stories/${id}`, async (page) => {
    await expect(page.locator('h1')).toHaveText('गर्म कंबल')
    await expect(page.locator('h1')).not.toHaveAttribute('lang')
    await expect(page.locator('.told')).toHaveText('जाड़े से पहले।')
  })
  await fixture.at(`/impact-stories/${id}`, async (page) => expect(page.locator('h1')).toHaveText(words.title))
})

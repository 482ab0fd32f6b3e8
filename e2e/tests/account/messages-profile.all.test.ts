/**
 * Provokes the messages of the profile and of the navigation bar at the real program.
 * - A proxy between browser and server breaks single calls.
 */
import { expect } from '../../harness/expect.ts'
import { dayAt } from '@roz/core/ist-day.ts'
import { sql } from '@roz/server/db/sql.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { settle, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import type { FaultyProxy } from '../../harness/faulty-proxy.ts'
import { newMember, PASSWORD, PHONE, type Person, readClock } from '../../harness/people.ts'
import { png } from '../../harness/pictures.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { balanceInBar, toast, usePicture } from '../../harness/steps.ts'

const NOT_SAVED = 'The change could not be saved.'
const FOUR_LINES = [
  'Joins new rounds each day at reset',
  'Stops when wallet balance falls below 1 rupee',
  'Can be disabled anytime',
  'A notification is sent for each participation',
]

const fixture = useAppFixture({ size: WIDE })
let roz: Program
let line: FaultyProxy
let asha: Person

beforeAll(async () => {
  ;({ roz, line } = fixture)
  asha = await newMember(roz, { name: 'Asha Devi Verma', rupees: 20 })
})

const onProfile = (work: Work, person = asha): Promise<void> => fixture.at('/profile', work, { token: person.token })
const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true })
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const autoParticipate = (page: Page) => page.getByRole('switch', { name: 'Auto Participate', exact: true })
const indicator = (page: Page) => page.getByText('Auto-joining rounds', { exact: true })
const isLogged = (page: Page, words: string) => page.waitForEvent('console', (message) => message.text().startsWith(words))
const stored = async () => (await ask(roz.url, 'profile', { token: asha.token })).output.user

describe('loading and failing', () => {
  test('a spinner says Loading until the profile is loaded', async () => {
    line.breakLine('GET /api/user/me', 'hold')
    await onProfile(async (page) => {
      await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading')
      await expect(button(page, 'Edit Profile')).toHaveCount(0)
      line.mend()
      await expect(button(page, 'Edit Profile')).toBeVisible()
      await expect(page.getByRole('main').getByRole('status')).toHaveCount(0)
    })
  })

  test.each(['cut', 'wordless'] as const)('Failed to load profile data. (%s); Retry reloads the page', async (fault) => {
    line.breakLine('GET /api/user/me', fault)
    await onProfile(async (page) => {
      await expect(page.getByText('Failed to load profile data.', { exact: true })).toBeVisible()
      line.mend()
      const loaded = page.waitForEvent('load')
      await button(page, 'Retry').click()
      await loaded
      await expect(button(page, 'Edit Profile')).toBeVisible()
    })
  })
})

describe('the view mode', () => {
  test('initials of two letters, Community Member, Member since, and every profile field', async () => {
    const year = dayAt(Date.parse(await readClock(roz.url))).slice(0, 4)
    await onProfile(async (page) => {
      const card = page.locator('.profile-card')
      await expect(card.locator('.avatar')).toHaveText('AD')
      await expect(card).toContainText('Asha Devi Verma')
      await expect(card).toContainText('Community Member')
      await expect(card).toContainText(new RegExp(`Member since \\d.* ${year}`))
      await expect(page.locator('.facts-list dt')).toHaveText(['Full Name', 'Email Address', 'Phone Number'])
      await expect(page.locator('.facts-list div', { hasText: 'Email Address' })).toContainText(`${asha.email}Cannot be changed`)
      await expect(page.locator('.facts-list div', { hasText: 'Phone Number' })).toContainText(PHONE)
      await expect(button(page, 'Save Changes')).toHaveCount(0)
      await expect(button(page, 'Cancel')).toHaveCount(0)
    })
  })

  test('Not provided without a phone number', async () => {
    const google = await newMember(roz, { name: 'Gita Menon' })
    await inDatabase(roz.dataDir, (db) => db.query(sql`update member set phone = null where email = ${google.email}`))
    await onProfile(async (page) => {
      await expect(page.locator('.facts-list div', { hasText: 'Phone Number' }).locator('dd')).toHaveText('Not provided')
    }, google)
  })

  test('User without a name', async () => {
    const nameless = await newMember(roz)
    await inDatabase(roz.dataDir, (db) => db.query(sql`update member set name = '' where email = ${nameless.email}`))
    await onProfile((page) => expect(page.locator('.profile-name')).toHaveText('User'), nameless)
  })

  test('Auto Participate saves at once: Disabled, Enabled with Auto-joining rounds, and its four lines', async () => {
    await onProfile(async (page) => {
      await expect(autoParticipate(page)).toHaveAccessibleDescription('Disabled')
      await expect(indicator(page)).toHaveCount(0)
      await expect(page.locator('.auto-participate li')).toHaveText(FOUR_LINES)
      await autoParticipate(page).click()
      await expect(autoParticipate(page)).toHaveAccessibleDescription('Enabled')
      await expect(indicator(page)).toBeVisible()
      await expect.poll(async () => (await stored()).autoParticipate).toBe(true)
      await page.reload()
      await expect(autoParticipate(page)).toHaveAccessibleDescription('Enabled')
      await autoParticipate(page).click()
      await expect(autoParticipate(page)).toHaveAccessibleDescription('Disabled')
      await expect.poll(async () => (await stored()).autoParticipate).toBe(false)
    })
  })

  test.each(['cut', 'wordless'] as const)('Auto Participate switches back when the save fails (%s)', async (fault) => {
    line.breakLine('PUT /api/user', fault)
    await onProfile(async (page) => {
      await autoParticipate(page).click()
      await expect(toast(page, NOT_SAVED)).toBeVisible()
      await expect(autoParticipate(page)).toHaveAccessibleDescription('Disabled')
      await expect(indicator(page)).toHaveCount(0)
    })
    expect((await stored()).autoParticipate).toBe(false)
  })
})

test('after a password change the screen keeps working: the switch saves, and nothing reloads', async () => {
  const mira = await newMember(roz, { name: 'Mira Das' })
  await onProfile(async (page) => {
    await button(page, 'Change password').click()
    await field(page, 'Current password').fill(PASSWORD)
    await field(page, 'New password').fill(`${PASSWORD} two`)
    await button(page, 'Change password').click()
    await expect(toast(page, 'Your password was changed.')).toBeVisible()
    await expect(field(page, 'Current password')).toHaveCount(0)
    await expect(button(page, 'Change password')).toBeFocused()
    await autoParticipate(page).click()
    await expect(autoParticipate(page)).toHaveAccessibleDescription('Enabled')
    await expect(indicator(page)).toBeVisible()
  }, mira)
})

describe('the edit mode', () => {
  test('the email address is read-only and Cannot be changed', async () => {
    await onProfile(async (page) => {
      await button(page, 'Edit Profile').click()
      await expect(button(page, 'Edit Profile')).toHaveCount(0)
      await expect(field(page, 'Email Address')).toHaveAttribute('readonly', '')
      await expect(field(page, 'Email Address')).toHaveAccessibleDescription('Cannot be changed')
      await expect(field(page, 'Phone Number')).toHaveAttribute('type', 'tel')
    })
  })

  test('Cancel discards the changes to name, phone and switch', async () => {
    await onProfile(async (page) => {
      await button(page, 'Edit Profile').click()
      await field(page, 'Full Name').fill('Somebody Else')
      await field(page, 'Phone Number').fill('6000000000')
      await autoParticipate(page).click()
      await expect(indicator(page)).toBeVisible()
      await button(page, 'Cancel').click()
      await expect(page.locator('.profile-name')).toHaveText('Asha Devi Verma')
      await expect(page.locator('.facts-list')).toContainText(PHONE)
      await expect(autoParticipate(page)).toHaveAccessibleDescription('Disabled')
    })
    expect(await stored()).toMatchObject({ name: 'Asha Devi Verma', phone: PHONE, autoParticipate: false })
  })

  test('Save Changes saves all three, and the bar shows the new name', async () => {
    await onProfile(async (page) => {
      await button(page, 'Edit Profile').click()
      await field(page, 'Full Name').fill('Usha Rao')
      await field(page, 'Phone Number').fill('6000000000')
      await autoParticipate(page).click()
      // In the edit mode the switch is a draft.
      expect((await stored()).autoParticipate).toBe(false)
      await button(page, 'Save Changes').click()
      await expect(page.locator('.profile-name')).toHaveText('Usha Rao')
      await expect(indicator(page)).toBeVisible()
      await expect(page.getByRole('banner').locator('.menu-face').filter({ visible: true })).toHaveText('UUsha Rao')
    })
    expect(await stored()).toMatchObject({ name: 'Usha Rao', phone: '6000000000', autoParticipate: true })
  })

  test.each(['cut', 'wordless'] as const)(
    'Profile failures are logged (%s) and shown; the unsaved input stays in the form',
    async (fault) => {
      line.breakLine('PUT /api/user', fault)
      await onProfile(async (page) => {
        await button(page, 'Edit Profile').click()
        await field(page, 'Full Name').fill('Somebody Else')
        const logged = isLogged(page, 'Failed to save the profile:')
        await button(page, 'Save Changes').click()
        await logged
        await expect(toast(page, NOT_SAVED)).toBeVisible()
        await expect(field(page, 'Full Name')).toHaveValue('Somebody Else')
        await button(page, 'Cancel').click()
        await expect(page.locator('.profile-name')).toHaveText('Usha Rao')
      })
    },
  )

  test.each([
    ['Full Name', 'A', 'Name must be 2 to 100 characters'],
    ['Phone Number', '12345', 'Please enter a valid 10-digit mobile number'],
    ['Phone Number', '', 'Phone number is required'],
  ])('%s "%s": %s', async (label, value, words) => {
    await onProfile(async (page) => {
      await button(page, 'Edit Profile').click()
      await field(page, label).fill(value)
      await button(page, 'Save Changes').click()
      await expect(toast(page, words)).toBeVisible()
      await expect(field(page, label)).toHaveAttribute('aria-invalid', 'true')
      await expect(field(page, label)).toHaveAccessibleDescription(words)
    })
    expect(await stored()).toMatchObject({ name: 'Usha Rao', phone: '6000000000' })
  })
})

describe('the picture', () => {
  const picker = (page: Page) => page.locator('input[type=file]')
  const picture = (name: string, mimeType: string) => ({ name, mimeType, buffer: png(1, 1, () => [128, 128, 128]) })

  test('the file picker exists in the edit mode only and accepts images only', async () => {
    await onProfile(async (page) => {
      await expect(button(page, 'Edit Profile')).toBeVisible()
      await expect(picker(page)).toHaveCount(0)
      await button(page, 'Edit Profile').click()
      await expect(picker(page)).toHaveAttribute('accept', 'image/*')
      const chooser = page.waitForEvent('filechooser')
      await button(page, 'Change picture').click()
      await (await chooser).setFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') })
      await expect(toast(page, 'Please choose an image file.')).toBeVisible()
      await expect(page.locator('.profile-card img')).toHaveCount(0)
    })
  })

  test('a file with an image type but other content: Please choose an image file.', async () => {
    await onProfile(async (page) => {
      await button(page, 'Edit Profile').click()
      await picker(page).setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
      await expect(toast(page, 'Please choose an image file.')).toBeVisible()
    })
  })

  test('an avatar failure is logged, and shown: Your picture could not be uploaded.', async () => {
    line.breakLine('POST /api/user/avatar', 'cut')
    await onProfile(async (page) => {
      await button(page, 'Edit Profile').click()
      await picker(page).setInputFiles(picture('a.png', 'image/png'))
      const logged = isLogged(page, 'Failed to upload the avatar:')
      await usePicture(page)
      await logged
      await expect(toast(page, 'Your picture could not be uploaded.')).toBeVisible()
      await expect(page.locator('.avatar-overlay')).toHaveCount(0)
    })
  })

  test('a name saved during an upload stays', async () => {
    const mira = await newMember(roz, { name: 'Mira Das' })
    line.breakLine('POST /api/user/avatar', 'hold')
    await onProfile(async (page) => {
      await button(page, 'Edit Profile').click()
      await picker(page).setInputFiles(picture('a.png', 'image/png'))
      await usePicture(page)
      await field(page, 'Full Name').fill('Mira Sen')
      await button(page, 'Save Changes').click()
      await expect(page.locator('.profile-name')).toHaveText('Mira Sen')
      line.mend()
      await expect(page.locator('.profile-card img')).toBeVisible()
      await expect(page.locator('.profile-name')).toHaveText('Mira Sen')
    }, mira)
  })

  test('a profile answer requested before a name was saved does not restore the old name', async () => {
    const mira = await newMember(roz, { name: 'Mira Das' })
    await onProfile(async (page) => {
      await button(page, 'Edit Profile').click()
      const [answered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      await page.route(
        '**/api/user/me',
        async (route) => {
          const response = await route.fetch()
          answered.resolve()
          await released.promise
          // The page may have given this request up.
          await route.fulfill({ response }).catch(() => undefined)
        },
        { times: 1 },
      )
      // The page becomes visible again, as after the choice of a file.
      await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
      await answered.promise
      await field(page, 'Full Name').fill('Mira Sen')
      await button(page, 'Save Changes').click()
      await expect(page.locator('.profile-name')).toHaveText('Mira Sen')
      released.resolve()
      await page.unrouteAll({ behavior: 'wait' })
      await settle(page)
      await expect(page.locator('.profile-name')).toHaveText('Mira Sen')
    }, mira)
  })

  test('a spinner covers the picture during the upload; then card and bar show the new picture', async () => {
    line.breakLine('POST /api/user/avatar', 'hold')
    await onProfile(async (page) => {
      await button(page, 'Edit Profile').click()
      await picker(page).setInputFiles(picture('a.png', 'image/png'))
      await usePicture(page)
      await expect(page.locator('.avatar-overlay').getByRole('status')).toHaveText('Loading')
      line.mend()
      await expect(page.locator('.avatar-overlay')).toHaveCount(0)
      for (const place of ['.profile-card img', '.menu.wide-only .avatar img']) {
        await expect(page.locator(place)).toBeVisible()
        await expect.poll(() => page.locator(place).evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
      }
    })
  })
})

describe('the bar', () => {
  test('the logo leads to /dashboard, the balance to the wallet, and Logout in the user menu to /login without a bar', async () => {
    await onProfile(async (page) => {
      await expect(balanceInBar(page)).toHaveText('₹20.00')
      await expect(balanceInBar(page)).toHaveAttribute('href', '/wallet')
      await page.getByRole('banner').locator('.logo').click()
      await page.waitForURL(`${line.url}/dashboard`)
      await page.getByRole('button', { name: 'User menu' }).click()
      await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).click()
      await page.waitForURL(`${line.url}/login`)
      await expect(balanceInBar(page)).toHaveCount(0)
      await expect(page.getByRole('button', { name: 'User menu' })).toHaveCount(0)
    })
  })
})

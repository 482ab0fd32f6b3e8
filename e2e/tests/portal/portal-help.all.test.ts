/** The help desk in the browser: a beneficiary, a bill whose personal data is gone from its pixels, and the entry that it proves. */
import { expect } from '../../harness/expect.ts'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { beforeAll, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { adminToken, newMember } from '../../harness/people.ts'
import { png } from '../../harness/pictures.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { addColleague } from '../../harness/team.ts'
import { chooseOption, toast } from '../../harness/steps.ts'

const fixture = useAppFixture()
let roz: Program
let admin: string
/** The author of a person's record pays nothing to that person. */
let editor: string
beforeAll(async () => {
  ;({ roz } = fixture)
  admin = await adminToken(roz.url)
  editor = await addColleague(roz, 'editor')
  const giver = await newMember(roz, { name: 'Asha Verma', rupees: 30 })
  expect((await ask(roz.url, 'closeAccount', { token: giver.token, body: { gift: true } })).status).toBe(200)
})

const inPortal = (tab: string, work: (page: Page) => Promise<void>) =>
  fixture.at(`/admin/dashboard?tab=${tab}`, work, { token: tab === 'beneficiaries' ? editor : admin })
const COMPARED = 'I have compared the amount, the words and the bills.'
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const receipt = (red: number) => ({ name: 'bill.png', mimeType: 'image/png', buffer: png(400, 300, () => [red, 120, 40]) })

test('a beneficiary is added with the consent that was given', async () => {
  await inPortal('beneficiaries', async (page) => {
    await page.getByRole('button', { name: 'New beneficiary' }).click()
    const form = dialog(page, 'New beneficiary')
    await form.getByLabel('Public name').fill('Meera Sharma')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form.getByText('Please give the first name only, or words such as “A family in Surat”')).toBeVisible()
    await form.getByLabel('Public name').fill('Meera')
    await form.getByLabel('How the consent was given').selectOption('In writing')
    await form.getByLabel('Day of the consent').fill('2026-01-05')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'The beneficiary is saved.')).toBeVisible()
    await expect(page.getByRole('listitem').filter({ hasText: 'Meera' })).toContainText('Consent recorded')
  })
})

test('a recorded consent has no way back but its revocation; somebody without a consent may refuse it for good', async () => {
  await inPortal('beneficiaries', async (page) => {
    await page.getByRole('button', { name: 'Edit: Meera' }).click()
    const form = dialog(page, 'Edit beneficiary')
    const options = form.getByLabel('How the consent was given').getByRole('option')
    await expect(options).toHaveText(['In writing', 'Recorded on video or audio', 'Spoken before a witness'])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New beneficiary' }).click()
    const fresh = dialog(page, 'New beneficiary')
    await expect(fresh.getByLabel('How the consent was given').getByRole('option').first()).toHaveText('Not given yet')
    await fresh.getByLabel('Public name').fill('Ramesh')
    await fresh.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'Ramesh' })).toContainText('Consent missing')
    await expect(page.getByRole('button', { name: 'Revoke the consent: Meera' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Revoke the consent: Ramesh' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Record consent: Ramesh' }).click()
    await expect(dialog(page, 'Edit beneficiary').getByLabel('Public name')).toHaveValue('Ramesh')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Consent refused: Ramesh' }).click()
    await dialog(page, 'Did they refuse their consent?').getByRole('button', { name: 'Record the refusal' }).click()
    await expect(toast(page, 'The refusal is recorded.')).toBeVisible()
    const ramesh = page.getByRole('listitem').filter({ hasText: 'Ramesh' })
    await expect(ramesh).toContainText(/Refused on \d+ \w+ \d{4}/)
    await expect(ramesh.locator('.badge')).toHaveText('Consent refused')
    await expect(ramesh.getByRole('button')).toHaveCount(0)
  })
})

/** Adds a second cover in the right lower corner; a third is undone, and another one deleted. */
async function coverByKeyboard(cover: Locator): Promise<void> {
  const add = cover.getByRole('button', { name: 'Add a cover' })
  await add.press('Enter')
  const second = cover.getByLabel('Cover 2')
  for (const key of ['ArrowRight', 'ArrowDown']) for (let press = 0; press < 40; press++) await second.press(key)
  await add.press('Enter')
  await cover.getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(cover.getByLabel(/Cover \d/)).toHaveCount(2)
  // Delete leaves the focus on the cover beside the removed one.
  await add.press('Enter')
  await cover.getByLabel('Cover 3').press('Delete')
  await expect(second).toBeFocused()
}

test('help is sent with a receipt: what was covered is gone from the published pixels, and the rest stays', async () => {
  let hash = ''
  await inPortal('help-given', async (page) => {
    await page.getByRole('button', { name: 'New disbursement' }).click()
    const form = dialog(page, 'New disbursement')
    await form.getByRole('button', { name: 'Record it now' }).click()
    await expect(form.getByText('Please add at least one bill')).toBeVisible()
    await expect(form.getByText('Please tick this first')).toBeVisible()
    await form.getByLabel('Add a page').last().setInputFiles(receipt(200))

    const cover = dialog(page, 'Cover personal data')
    const picture = cover.getByRole('img', { name: 'The page of the bill' })
    const box = await picture.boundingBox()
    if (box === null) throw new Error('the page is not shown')
    // The left upper quarter by mouse.
    await page.mouse.move(box.x, box.y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 })
    await page.mouse.up()
    await expect(cover.getByLabel('Cover 1')).toBeVisible()
    await coverByKeyboard(cover)
    const sent = page.waitForResponse((response) => response.url().endsWith('/api/admin/uploads'))
    await cover.getByRole('button', { name: 'Use this page' }).click()
    hash = ((await (await sent).json()) as { hash: string }).hash
    await expect(form.getByRole('img', { name: 'Page 1' })).toBeVisible()

    await chooseOption(form.getByLabel('Who is helped'), 'Meera ')
    await form.getByLabel('Amount in rupees').fill('12.50')
    await expect(form.getByText(/In the help fund: ₹30\.00\. This takes help of/)).toBeVisible()
    await form.getByLabel('Amount in rupees').fill('1000.01')
    await expect(form.getByRole('button', { name: 'Request approval' })).toBeVisible()
    await form.getByLabel('Amount in rupees').fill('12.50')
    await form.getByLabel('What it is for', { exact: true }).fill('school shoes for Meera')
    await form.getByLabel(COMPARED).check()
    await form.getByRole('button', { name: 'Record it now' }).click()
    await expect(form.getByText('Please leave the name out: it is shown beside these words').first()).toBeVisible()
    await form.getByLabel('What it is for', { exact: true }).fill('school shoes')
    // The tick was for other words.
    await expect(form.getByLabel(COMPARED)).not.toBeChecked()
    await expect(form.getByText('this cannot be undone')).toBeVisible()
    await form.getByLabel(COMPARED).check()
    await form.getByRole('button', { name: 'Record it now' }).click()
    await expect(toast(page, 'Recorded.')).toBeVisible()
    const row = page.getByRole('listitem').filter({ hasText: 'school shoes' })
    await expect(row).toContainText('Sent')
    await expect(page.getByText(/In the help fund: ₹17\.50/)).toBeVisible()
    await row.getByRole('button', { name: /^Translate/ }).click()
    const words = dialog(page, 'The words in each language')
    await words.getByLabel('हिन्दी').fill('Meera के जूते')
    await words.getByRole('button', { name: 'Save' }).click()
    await expect(words.getByText('Please leave the name out: it is shown beside these words').first()).toBeVisible()
    await words.getByLabel('हिन्दी').fill('स्कूल के जूते')
    await words.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Saved.')).toBeVisible()
    await page.getByLabel('Status').selectOption('A language is missing (last 30 days)')
    await expect(page.getByText('No help found')).toBeVisible()
    await page.getByLabel('Status').selectOption('')
    await row.getByRole('button', { name: /^Bills/ }).click()
    await expect(dialog(page, 'Bills').getByRole('img', { name: 'Page 1' })).toBeVisible()
  })

  const published = Buffer.from(await (await fetch(`${roz.url}/api/receipts/${hash}`)).arrayBuffer())
  const { data, info } = await sharp(published).raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number): number[] => [...data.subarray((y * info.width + x) * info.channels).subarray(0, 3)]
  const isBlack = (pixel: number[]): boolean => pixel.every((part) => part < 12)
  for (const [x, y] of [
    [5, 5],
    [100, 70],
    [190, 140],
    [395, 295],
    [260, 285],
  ] as const)
    expect(isBlack(at(x, y)), `${x}, ${y}`).toBe(true)
  for (const [x, y] of [
    [300, 50],
    [50, 250],
    [220, 200],
  ] as const)
    expect(at(x, y)[0], `${x}, ${y}`).toBeGreaterThan(150)
})

/** Another editor links the story while this one has a dialog of it open. */
async function editedByAnother(page: Page): Promise<void> {
  const { id, outlayId } = (await ask(roz.url, 'storiesAdmin', { token: admin })).output.stories[0] ?? { id: '', outlayId: '' }
  const another = (body: object) => ask(roz.url, 'updateStory', { token: admin, params: { id }, body })
  const row = page.locator('.story-rows li')
  const button = (deed: string) => row.getByRole('button', { name: `${deed}: school shoes for Meera` })
  const unlink = async (): Promise<void> => {
    await another({ outlayId: null })
    await page.reload()
    await expect(row).not.toContainText('About:')
  }
  await unlink()
  await button('Publish').click()
  const publication = dialog(page, 'Publish this story?')
  await expect(publication).toContainText('No help is linked, so no member is told.')
  await another({ outlayId })
  await publication.getByRole('button', { name: 'Publish' }).click()
  await expect(toast(page, 'This changed while you had it open. Look at it again, then decide.')).toBeVisible()
  await expect(row).toContainText('About: school shoes, Meera')
  await expect(row.locator('.badge')).toHaveText('Draft')

  await unlink()
  await button('Edit').click()
  const edit = dialog(page, 'Edit story')
  await edit.getByLabel('Description', { exact: true }).fill('Her old ones hurt.')
  await another({ outlayId, charity: { name: 'Meera of Surat', description: 'Shoes and socks' } })
  await edit.getByRole('button', { name: 'Save story' }).click()
  await expect(row).toContainText('About: school shoes, Meera')
  const story = (await ask(roz.url, 'storiesAdmin', { token: admin })).output.stories.find((each) => each.id === id)
  expect(story).toMatchObject({ description: 'Her old ones hurt.', charity: { name: 'Meera of Surat', description: 'Shoes and socks' } })

  // The link that this editor changed was changed by the other one too.
  await button('Edit').click()
  await edit.getByLabel('Help that it tells of').selectOption('None')
  await another({ outlayId: null, isActive: true })
  await edit.getByRole('button', { name: 'Save story' }).click()
  await expect(toast(page, 'This changed while you had it open. Look at it again, then decide.')).toBeVisible()
  await edit.getByRole('button', { name: 'Cancel' }).click()
  await another({ isActive: false, outlayId })
  await page.reload()
}

test('booked help waits on the to-do list and in its own list until its story is published', async () => {
  await inPortal('overview', async (page) => {
    const todo = page.getByRole('region', { name: 'To do' })
    await todo.getByRole('link', { name: 'Help without a published story' }).click()
    await expect(page.getByRole('heading', { name: 'Help given' })).toBeVisible()
    await expect(page.getByLabel('Status').locator('option:checked')).toHaveText('Sent, no published story')
    const row = page.getByRole('listitem').filter({ hasText: 'school shoes' })
    await row.getByRole('button', { name: /^Write its story/ }).click()
    const form = dialog(page, 'New story')
    await expect(form.getByLabel('Help that it tells of').locator('option:checked')).toHaveText('school shoes for Meera, ₹12.50')
    await expect(form.getByLabel('Title', { exact: true })).toHaveValue('school shoes for Meera')
    await expect(form.getByLabel('Charity name', { exact: true })).toHaveValue('Meera')
    await form.getByLabel('Description', { exact: true }).fill('Her old ones were too small.')
    await form.getByRole('button', { name: 'Save story' }).click()
    await expect(row).toContainText('Story: draft')
    await expect(row.getByRole('button', { name: /^Write its story/ })).toHaveCount(0)
    await row.getByRole('link', { name: /^Open story/ }).click()
    await expect(page.locator('.story-rows li')).toHaveCount(1)
    await expect(page.locator('.story-rows li')).toContainText('About: school shoes, Meera')
    await expect(page.getByRole('link', { name: 'All stories' })).toBeVisible()

    // The link is removed and chosen again.
    await page.getByRole('button', { name: 'Edit: school shoes for Meera' }).click()
    const edit = dialog(page, 'Edit story')
    await edit.getByLabel('Help that it tells of').selectOption('None')
    await edit.getByRole('button', { name: 'Save story' }).click()
    await expect(page.locator('.story-rows li')).not.toContainText('About:')
    await page.getByRole('button', { name: 'Edit: school shoes for Meera' }).click()
    await edit.getByLabel('Help that it tells of').selectOption({ label: 'school shoes for Meera, ₹12.50' })
    await edit.getByRole('button', { name: 'Save story' }).click()
    await expect(page.locator('.story-rows li')).toContainText('About: school shoes, Meera')
    await editedByAnother(page)
    // All of it was a gift.
    await page.getByRole('button', { name: 'Publish: school shoes for Meera' }).click()
    await expect(dialog(page, 'Publish this story?')).toContainText('No member is told: this help came from donations.')
    await dialog(page, 'Publish this story?').getByRole('button', { name: 'Publish' }).click()
    await expect(toast(page, 'Story published successfully!')).toBeVisible()
    // Its givers count as told: the unpublished story offers no other help.
    await page.getByRole('button', { name: 'Unpublish: school shoes for Meera' }).click()
    await dialog(page, 'Take this story back?').getByRole('button', { name: 'Unpublish' }).click()
    await page.getByRole('button', { name: 'Edit: school shoes for Meera' }).click()
    await expect(edit).toContainText('This story is about: school shoes for Meera, ₹12.50. It was published with this help')
    await expect(edit.getByLabel('Help that it tells of')).toHaveCount(0)
    await edit.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Publish: school shoes for Meera' }).click()
    await dialog(page, 'Publish this story?').getByRole('button', { name: 'Publish' }).click()
    await expect(page.locator('.story-rows li .badge')).toHaveText('Published')
    await page.getByRole('link', { name: 'All stories' }).click()
    await page.getByLabel('Status').selectOption('Not published')
    await expect(page.getByText('No stories found')).toBeVisible()
  })
  await inPortal('overview', async (page) => {
    // The story is told in English alone; nothing else waits.
    await expect(page.getByRole('region', { name: 'To do' }).getByRole('listitem')).toHaveText(/^Stories that lack a language/)
  })
})

test.each([
  [
    'help-given',
    'New disbursement',
    '/api/admin/beneficiaries',
    'The beneficiaries could not be loaded.',
    'Find the beneficiary',
    'Nobody with this name has a recorded consent.',
  ],
  [
    'stories',
    'New story',
    '/api/admin/disbursements',
    'The help given could not be loaded.',
    'Find the help',
    'No help that still needs a story matches your search.',
  ],
] as const)(
  'in %s the picker of “%s” says that it failed and loads again, and says when it finds nothing',
  async (tab, name, call, failed, search, nothing) => {
    await inPortal(tab, async (page) => {
      await expect(page.locator('.story-rows li').first()).toBeVisible()
      fixture.line.breakLine(`GET ${call}`, 'cut')
      await page.getByRole('button', { name }).click()
      const form = dialog(page, name)
      await expect(form.getByText(failed)).toBeVisible()
      fixture.line.mend()
      await form.getByRole('button', { name: 'Retry' }).click()
      await expect(form.getByText(failed)).toHaveCount(0)
      await form.getByLabel(search).fill('nothing like it')
      await expect(form.getByText(nothing)).toBeVisible()
    })
  },
)

test('money that came back is booked after a tick, with a warning while a published story tells of the help, and everybody reads it', async () => {
  // The payer does not book the correction alone.
  const token = await addColleague(roz, 'finance')
  const asFinance = (work: (page: Page) => Promise<void>) => fixture.at('/admin/dashboard?tab=help-given', work, { token })
  await asFinance(async (page) => {
    await page.getByRole('button', { name: /^Money came back/ }).click()
    const form = dialog(page, 'Money came back')
    await expect(form.getByText('A published story tells of this help')).toBeVisible()
    await expect(form.getByRole('link', { name: 'Impact Stories' })).toHaveAttribute('href', /tab=stories/)
    await form.getByLabel('Add a page').last().setInputFiles(receipt(90))
    const cover = dialog(page, 'Cover personal data')
    await cover.getByRole('button', { name: 'Add a cover' }).press('Enter')
    await cover.getByLabel('Cover 1').press('Delete')
    await expect(cover.getByRole('button', { name: 'Add a cover' })).toBeFocused()
    await cover.getByRole('button', { name: 'Use this page' }).click()
    await expect(form.getByRole('img', { name: 'Page 1' })).toBeVisible()
    await form.getByLabel('Amount in rupees').fill('12.50')
    await form.getByLabel('Why it came back', { exact: true }).fill('The shop was closed')
    await form.getByRole('button', { name: 'Record it now' }).click()
    await expect(form.getByText('Please tick this first')).toBeVisible()
    await form.getByLabel(COMPARED).check()
    await form.getByRole('button', { name: 'Record it now' }).click()
    await expect(toast(page, 'Recorded.')).toBeVisible()
  })
  const trail = await ask(roz.url, 'publicDays', {})
  expect(trail.output.otherEntries).toMatchObject([{ kind: 'disbursement_back', amount: 12.5, purpose: 'The shop was closed' }])
})

test('a picture with personal data is withheld from everybody; the team still sees it and why', async () => {
  const { output } = await ask(roz.url, 'disbursements', { token: admin })
  const hash = output.disbursements.find(({ kind }) => kind === 'disbursement_back')?.receipts[0]?.hash ?? ''
  expect((await fetch(`${roz.url}/api/receipts/${hash}`)).status).toBe(200)
  await inPortal('help-given', async (page) => {
    const row = page.getByRole('listitem').filter({ hasText: 'The shop was closed' })
    await row.getByRole('button', { name: /^Bills/ }).click()
    await dialog(page, 'Bills').getByRole('button', { name: 'Withhold this picture: page 1' }).click()
    const form = dialog(page, 'Withhold page 1?')
    await form.getByLabel('Reason').fill('It shows a phone number')
    await form.getByRole('button', { name: 'Withhold' }).click()
    await expect(toast(page, 'The picture is withheld.')).toBeVisible()
    await expect(dialog(page, 'Bills')).toContainText('It shows a phone number')
    await expect(dialog(page, 'Bills').getByRole('button', { name: 'Withhold this picture: page 1' })).toHaveCount(0)
  })
  expect((await fetch(`${roz.url}/api/receipts/${hash}`)).status).toBe(404)
  await fixture.at('/money-trail', async (page) => {
    await expect(page.getByText('Picture withheld').first()).toBeVisible()
    await page.locator('details', { hasText: hash }).first().locator('summary').click()
    await expect(page.getByText(hash).first()).toBeVisible()
  })
})

test('a revoked consent takes the name and the bill from everybody', async () => {
  await inPortal('beneficiaries', async (page) => {
    await page.getByRole('button', { name: 'Revoke the consent: Meera' }).click()
    await dialog(page, 'Revoke the consent?').getByRole('button', { name: 'Revoke' }).click()
    await expect(toast(page, 'The consent is revoked. The public pages no longer show this name.')).toBeVisible()
    await expect(page.getByRole('listitem').filter({ hasText: 'Meera' })).toContainText('Consent revoked')
  })
  const { output } = await ask(roz.url, 'disbursements', { token: admin })
  const hash = output.disbursements.find(({ kind }) => kind === 'disbursement')?.receipts[0]?.hash ?? ''
  expect((await fetch(`${roz.url}/api/receipts/${hash}`)).status).toBe(404)
})

test('two people with the same name are told apart where they are added, where help is sent, and in its row', async () => {
  const consent = { how: 'written', on: '2026-01-05' }
  const child = { publicName: 'Lata', isChild: true, guardian: 'mother', consent, note: '' }
  const { id } = (await ask(roz.url, 'createBeneficiary', { token: editor, body: child })).output.beneficiary
  const number = `#${id.slice(0, 4).toUpperCase()}`
  await inPortal('beneficiaries', async (page) => {
    await page.getByRole('button', { name: 'New beneficiary' }).click()
    const form = dialog(page, 'New beneficiary')
    await form.getByLabel('Public name').fill('Lat')
    await expect(form.getByText('This name exists already.')).toHaveCount(0)
    await form.getByLabel('Public name').fill('lata')
    await expect(form.getByText('This name exists already.')).toBeVisible()
    await expect(form.getByText(`${number} · consent of 5 Jan 2026 · given by: Mother · helped so far: ₹0.00`)).toBeVisible()
    await form.getByLabel('Public name').fill('Lata')
    await form.getByLabel('How the consent was given').selectOption('In writing')
    await form.getByLabel('Day of the consent').fill('2026-01-06')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'The beneficiary is saved.')).toBeVisible()
    await expect(page.getByRole('button', { name: `Edit: Lata ${number}`, exact: true })).toHaveCount(1)
  })
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(receipt(150).buffer)], { type: 'image/png' }), 'receipt.png')
  const { hash } = (await ask(roz.url, 'uploadReceipt', { token: admin, form })).output
  const body = { amount: 1, purpose: 'a school bag', beneficiaryId: id, receipts: [hash] }
  expect((await ask(roz.url, 'askDisbursement', { token: admin, body })).status).toBe(200)
  await inPortal('help-given', async (page) => {
    const row = page.getByRole('listitem').filter({ hasText: 'a school bag' })
    await expect(row).toContainText(`Lata · ${number} · consent of 5 Jan 2026 · given by: Mother · helped so far: ₹1.00`)
    await page.getByRole('button', { name: 'New disbursement' }).click()
    const options = dialog(page, 'New disbursement').getByLabel('Who is helped').getByRole('option', { name: /^Lata/ })
    await expect(options).toHaveCount(2)
    await expect(options.filter({ hasText: number })).toHaveText(/given by: Mother · helped so far: ₹1\.00$/)
    await expect(options.filter({ hasText: 'consent of 6 Jan 2026 · helped so far: ₹0.00' })).toHaveCount(1)
  })
})

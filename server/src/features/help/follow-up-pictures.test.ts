/** Pictures of follow-ups: what is kept of one, who sees it when, and that nothing of it outlives the consent. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { startOfDayMs } from '@roz/core/ist-day.ts'
import sharp from 'sharp'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { DAY } from '../../ledger/testing/fixtures.ts'
import { makeStaff } from '../../testing/calls.ts'
import { forgetAlone } from '../../testing/database.ts'
import { useHelpWorld, pictureForm } from '../../testing/help-world.ts'
import { listPublished } from '../impact/queries.ts'
import { storyOf } from '../impact/story.ts'

const NOON = startOfDayMs(DAY) + 12 * 3_600_000
const world = useHelpWorld()
let caller: bigint
beforeAll(async () => {
  await world.give(40_000)
  caller = await makeStaff(world.db, 'editor')
})
beforeEach(async () => {
  await forgetAlone(world.database)
  await world.database.setClock(new Date(NOON))
})

type Helped = { readonly beneficiaryId: string; readonly id: string }
const later = (days: number): Promise<unknown> => world.database.setClock(new Date(NOON + days * 86_400_000))
/** Help that arrived 15 days ago, with a story. */
async function help(isActive = true): Promise<Helped> {
  await world.database.setClock(new Date(NOON))
  const beneficiaryId = await world.beneficiary({ followUps: { on: '2026-11-20' } })
  const asked = { amount: 5, purpose: 'school shoes', beneficiaryId, receipts: [await world.bill()] }
  const { id } = (await world.calls.ask('POST /admin/disbursements', { as: world.staff.finance, body: asked })).body.disbursement
  await world.db.query(sql`
    insert into story (id, day, title, description, charity_name, charity_description, outlay_id, is_active, published_at)
    values (gen_random_uuid(), ist_day(roz_now()), 'Shoes', 'For school.', 'Meera', 'Shoes', ${id}::uuid, ${isActive}::boolean, roz_now())`)
  const arrived = { status: 'booked', received: true, how: 'call', on: DAY }
  await world.calls.ask(`POST /admin/disbursements/${id}/arrival`, { as: caller, body: arrived })
  await later(15)
  return { beneficiaryId, id }
}
let made = 40
const upload = async ({ id }: Helped, width = ++made, as = caller) =>
  world.calls.ask(`POST /admin/disbursements/${id}/picture`, { as, form: await pictureForm(width) })
const tell = ({ id }: Helped, hash?: string, as = caller) =>
  world.calls.ask(`POST /admin/disbursements/${id}/follow-ups`, {
    as,
    body: { language: 'en', words: 'The shoes fit.', ...(hash === undefined ? {} : { picture: { hash, agreed: true } }) },
  })
/** Tells with a picture; its follow-up and its public address. */
async function show(helped: Helped): Promise<{ readonly followUp: string; readonly address: string }> {
  const { hash } = (await upload(helped)).body
  const followUp = (await tell(helped, hash)).body.disbursement.followUps.at(-1).id
  return { followUp, address: `/follow-ups/${followUp}/pictures/${hash}` }
}
const read = (address: string, headers: Record<string, string> = {}) => fetch(`${world.calls.url}/api${address}`, { headers })
const readAs = (as: bigint, followUp: string) => read(`/admin/follow-ups/${followUp}/picture`, { authorization: `Bearer session-${as}` })
const end = ({ beneficiaryId }: Helped, body: object = { revoked: true }) =>
  world.calls.ask(`PUT /admin/beneficiaries/${beneficiaryId}`, { as: world.staff.owner, body })
const withhold = (followUp: string) =>
  world.calls.ask(`POST /admin/follow-ups/${followUp}/withhold`, { as: caller, body: { reason: 'It shows the street' } })
const said = ({ status, body }: { status: number; body: { code?: string } }) => `${status} ${body.code ?? ''}`.trim()
const rows = ({ id }: Helped) => world.db.query<{ file: string }>(sql`select file from follow_up_picture where outlay_id = ${id}::uuid`)
const files = async (): Promise<ReadonlySet<string>> => new Set(await readdir(path.join(world.folder, 'receipts')))
/** The files that were there and are gone. */
async function goneSince(before: ReadonlySet<string>): Promise<number> {
  const now = await files()
  return [...before].filter((file) => !now.has(file)).length
}
const jobsOf = (file: string) =>
  world.db
    .query<{ kind: string }>(sql`select kind from job where key = ${file}::text order by kind`)
    .then((all) => all.map(({ kind }) => kind))

test('nothing but the pixels of a photo is kept, at most 1,280 of them at a side; another file is refused', async () => {
  const helped = await help()
  const photo = await sharp({ create: { width: 1600, height: 1000, channels: 3, background: '#336699' } })
    .jpeg()
    .withExif({ IFD0: { Copyright: 'a secret camera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '21/1 10/1 0/1' } })
    .toBuffer()
  const send = (bytes: Uint8Array, as = caller) => {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'me.jpg')
    return world.calls.ask(`POST /admin/disbursements/${helped.id}/picture`, { as, form })
  }
  const { status, body } = await send(photo)
  expect([status, body]).toEqual([201, { hash: expect.stringMatching(/^[0-9a-f]{64}$/), width: 1280, height: 800 }])
  const followUp = (await tell(helped, body.hash)).body.disbursement.followUps[0].id
  const kept = Buffer.from(await (await readAs(world.staff.auditor, followUp)).arrayBuffer())
  const { format, exif, xmp } = await sharp(kept).metadata()
  expect([format, exif, xmp, /secret|GPS|Exif/i.test(kept.toString('latin1'))]).toEqual(['webp', undefined, undefined, false])
  const refused = await send(Buffer.from('<svg/>'.repeat(10)))
  expect([said(refused), refused.body.message]).toEqual(['400 picture_not_picture', 'Please choose a photo, not another kind of file.'])
  expect(said(await send(photo, world.staff.volunteer))).toBe('403 forbidden')
  expect(said(await send(photo, world.staff.support))).toBe('403 forbidden')
})

test('it is taken only for a follow-up that is due, with the consent, from somebody other than the payer', async () => {
  const helped = await help()
  expect(said(await upload({ ...helped, id: '00000000-0000-4000-8000-000000000000' }))).toBe('404 disbursement_not_found')
  expect(said(await upload(helped, 45, world.staff.finance))).toBe('403 own_arrival')
  await later(1)
  const before = await files()
  expect(said(await upload(helped))).toBe('409 follow_up_not_due')
  await later(15)
  await end(helped, { followUps: null })
  expect(said(await upload(helped))).toBe('409 follow_up_consent')
  expect([await rows(helped), await files()]).toEqual([[], before])
})

test('everybody sees it with the published story, in its size, and caches ask each time; before that only the team does', async () => {
  const helped = await help(false)
  const { followUp, address } = await show(helped)
  expect([(await read(address)).status, (await readAs(world.staff.support, followUp)).status]).toEqual([404, 200])
  expect((await readAs(world.staff.volunteer, followUp)).status).toBe(403)
  await world.db.query(sql`update story set is_active = true where outlay_id = ${helped.id}::uuid`)
  const shown = await read(address)
  const etag = shown.headers.get('etag') ?? ''
  expect([shown.status, shown.headers.get('content-type'), shown.headers.get('cache-control')]).toEqual([
    200,
    'image/webp',
    'public, no-cache',
  ])
  expect((await read(address, { 'if-none-match': etag })).status).toBe(304)
  expect((await readAs(caller, followUp)).headers.get('cache-control')).toBe('private, no-store')
  const stories = (await listPublished(world.db, { after: undefined, limit: 100 })).filter(({ outlayId }) => outlayId === helped.id)
  expect(stories.map(storyOf('en')).flatMap(({ followUps }) => followUps.map(({ picture }) => picture))).toEqual([
    { url: `/api${address}`, width: made, height: 30 },
  ])
  // Neither another hash nor another follow-up has it, and the plain folder of uploads does not serve it.
  expect((await read(address.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).status).toBe(404)
  expect((await read(address.replace(followUp, '00000000-0000-4000-8000-000000000000'))).status).toBe(404)
  const [row] = await rows(helped)
  expect((await fetch(`${world.calls.url}/uploads/${row?.file}`)).status).toBe(404)
})

test('it needs the person’s agreement, and a picture of this payment that no follow-up shows', async () => {
  const [helped, other] = [await help(), await help()]
  const [mine, theirs] = [(await upload(helped)).body.hash, (await upload(other)).body.hash]
  const body = { language: 'en', words: 'The shoes fit.', picture: { hash: mine, agreed: false } }
  const refused = await world.calls.ask(`POST /admin/disbursements/${helped.id}/follow-ups`, { as: caller, body })
  expect([said(refused), refused.body.fields]).toEqual([
    '400 invalid_input',
    { 'picture.agreed': 'Please publish a picture only after the person has seen it and agreed' },
  ])
  expect(said(await tell(helped, theirs))).toBe('409 follow_up_picture')
  // An upload whose answer was lost is sent again, and kept once.
  expect((await upload(helped, made - 1)).body.hash).toBe(mine)
  expect(await rows(helped)).toHaveLength(1)
  expect(said(await tell(helped, mine))).toBe('200')
  await later(29)
  const again = await upload(helped, made - 1)
  expect([said(again), again.body.message]).toEqual([
    '409 follow_up_picture',
    'This picture is gone, or another follow-up shows it. Please choose a picture again.',
  ])
  expect(said(await tell(helped, mine))).toBe('409 follow_up_picture')
  expect((await tell(helped)).body.disbursement.followUps).toMatchObject([{ hasPicture: true }, { hasPicture: false }])
})

test('a withheld one is gone at once: its address, its row and its file', async () => {
  const helped = await help()
  const { followUp, address } = await show(helped)
  const etag = (await read(address)).headers.get('etag') ?? ''
  const [row] = await rows(helped)
  const before = await files()
  expect((await withhold(followUp)).body.disbursement.followUps).toMatchObject([{ withheld: 'It shows the street', hasPicture: false }])
  expect([(await read(address, { 'if-none-match': etag })).status, (await readAs(caller, followUp)).status]).toEqual([404, 404])
  expect([await rows(helped), await goneSince(before), await jobsOf(row?.file ?? '')]).toEqual([
    [],
    1,
    ['forget_follow_up_picture', 'remove_file'],
  ])
})

test('the end of either consent deletes it, and an upload that no follow-up names', async () => {
  for (const body of [{ revoked: true }, { followUps: null }]) {
    const helped = await help()
    const { address } = await show(helped)
    await later(29)
    expect(said(await upload(helped))).toBe('201')
    const before = await files()
    expect(said(await end(helped, body))).toBe('200')
    expect([(await read(address)).status, await rows(helped), await goneSince(before)]).toEqual([404, [], 2])
  }
})

test('an upload that no follow-up names is deleted after a day; a named one stays', async () => {
  const [named, unnamed] = [await help(), await help()]
  await show(named)
  await upload(unnamed)
  const due = await world.db.query<{ file: string; hours: number }>(sql`
    select payload ->> 'file' as file, round(extract(epoch from due_at - roz_now()) / 3600)::int as hours from job
     where kind = 'forget_follow_up_picture' and key in (select file from follow_up_picture where outlay_id = any (${[named.id, unnamed.id]}::uuid[]))`)
  expect(due.map(({ hours }) => hours)).toEqual([24, 24])
  const before = await files()
  for (const { file } of due) await world.jobs.forget_follow_up_picture({ file })
  for (const { file } of due) await world.jobs.forget_follow_up_picture({ file })
  expect([(await rows(named)).length, (await rows(unnamed)).length, await goneSince(before)]).toEqual([1, 0, 1])
})

test('at the same moment as a revocation no upload, record or withholding leaves a picture', async () => {
  for (let round = 0; round < 2; round++) {
    const [uploaded, recorded, withheld] = [await help(), await help(), await help()]
    const { hash } = (await upload(recorded)).body
    const { followUp } = await show(withheld)
    const answers = await Promise.all([
      upload(uploaded),
      end(uploaded),
      tell(recorded, hash),
      end(recorded),
      withhold(followUp),
      end(withheld),
    ])
    expect(answers.map(said)).toEqual([
      expect.stringMatching(/^201$|^409 follow_up_consent$/),
      '200',
      expect.stringMatching(/^200$|^409 follow_up_consent$/),
      '200',
      expect.stringMatching(/^200$|^404 follow_up_not_found$/),
      '200',
    ])
    expect([await rows(uploaded), await rows(recorded), await rows(withheld)]).toEqual([[], [], []])
  }
  const named = await world.db.query<{ file: string }>(sql`select file from receipt union all select file from follow_up_picture`)
  expect([...(await files())].filter((file) => !named.some((row) => row.file === `receipts/${file}`))).toEqual([])
})

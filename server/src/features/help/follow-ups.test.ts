/** Follow-ups: when one is due, what is refused, what the story shows, and what the end of a consent deletes. */
import { startOfDayMs } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { DAY } from '../../ledger/testing/fixtures.ts'
import { makeStaff, testSecrets } from '../../testing/calls.ts'
import { forgetAlone } from '../../testing/database.ts'
import { useHelpWorld } from '../../testing/help-world.ts'
import { insertStory } from '../../testing/help.ts'
import { listAll, listPublished } from '../impact/queries.ts'
import { storyOf } from '../impact/story.ts'
import { readTodo } from '../desk/todo.ts'
import { seal } from './cases.ts'

/** The action of each call in the staff log. e2e/scenario/audit-watch.ts relies on these names. */
const LOGGED = {
  uploadFollowUpPicture: 'follow_up.picture',
  recordFollowUp: 'follow_up.record',
  withholdFollowUp: 'follow_up.withhold',
} as const
const NOON = startOfDayMs(DAY) + 12 * 3_600_000
const HINDI = 'वह अब रोज़ स्कूल जाती है।'
const ASKABLE = { followUps: { on: '2026-11-20' } }
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

const later = (days: number): Promise<unknown> => world.database.setClock(new Date(NOON + days * 86_400_000))
/** Help to this person that arrived on the first day, with a published story. */
async function help(beneficiaryId: string, as = world.staff.finance): Promise<string> {
  const { body, text } = await world.calls.ask('POST /admin/disbursements', {
    as,
    body: { amount: 5, purpose: 'school shoes', beneficiaryId, receipts: [await world.bill()] },
  })
  if (body.disbursement?.status !== 'booked') throw new Error(text)
  const { id } = body.disbursement
  await insertStory(world.db, { outlayId: id, isActive: true })
  const arrived = { status: 'booked', received: true, how: 'call', on: DAY }
  expect((await world.calls.ask(`POST /admin/disbursements/${id}/arrival`, { as: caller, body: arrived })).status).toBe(200)
  return id
}
const tell = (id: string, fields: object = {}, as = caller) =>
  world.calls.ask(`POST /admin/disbursements/${id}/follow-ups`, { as, body: { language: 'hi', words: HINDI, ...fields } })
const edit = (id: string, body: object) => world.calls.ask(`PUT /admin/beneficiaries/${id}`, { as: world.staff.editor, body })
const said = ({ status, body }: { status: number; body: { code?: string } }) => `${status} ${body.code ?? ''}`.trim()
const told = async (outlay: string, language: Language = 'en') => {
  const rows = await listPublished(world.db, { after: undefined, limit: 100 })
  return rows
    .filter(({ outlayId }) => outlayId === outlay)
    .map(storyOf(language))
    .flatMap(({ followUps }) => followUps)
}
const due = async (): Promise<readonly string[]> =>
  (await world.calls.ask('GET /admin/disbursements?status=follow_up_due&limit=100', { as: caller })).body.disbursements.map(
    (entry: { id: string }) => entry.id,
  )
const todo = async (): Promise<number> =>
  (await readTodo(world.db, { viewer: { memberId: caller, staffRole: 'editor' }, payoutsByHand: true })).find(
    ({ code }) => code === 'follow_ups',
  )?.count ?? 0

test('it is due 2, 4 and 12 weeks after the arrival, only with the consent to be asked, and a missed one is not asked for', async () => {
  const [asked, silent] = [await world.beneficiary(ASKABLE), await world.beneficiary()]
  const [id, other] = [await help(asked), await help(silent)]
  expect([await due(), await todo()]).toEqual([[], 0])
  expect(said(await tell(id))).toBe('409 follow_up_not_due')
  await later(15)
  expect([await due(), await todo()]).toEqual([[id], 1])
  expect(said(await tell(other))).toBe('409 follow_up_consent')
  expect((await tell(id)).body.disbursement).toMatchObject({ followUps: [{ weeks: 2, words: HINDI }], followUpDue: null })
  expect([said(await tell(id)), await due()]).toEqual(['409 follow_up_not_due', []])
  await later(90)
  expect((await tell(id)).body.disbursement.followUps.map(({ weeks }: { weeks: number }) => weeks)).toEqual([2, 12])
  expect(await due()).toEqual([])
})

test('the story shows the words in their language, who retold them, and a translation that is marked as one', async () => {
  const id = await help(await world.beneficiary(ASKABLE))
  await later(29)
  const translation = { language: 'en', words: 'The shoes are too small already.' }
  expect((await tell(id, { translation: { language: 'hi', words: HINDI } })).body.code).toBe('invalid_input')
  expect((await tell(id, { words: 'Call me on 98765 43210' })).body.fields.words).toMatch(/leave out phone numbers/)
  expect((await tell(id, { words: 'a' })).body.fields).toEqual({ words: 'Please write what the person says in 3 to 2,000 characters' })
  expect(said(await tell(id, { retoldBy: 'Dev', translation }))).toBe('200')
  const shown = { weeks: 4, words: HINDI, language: 'hi', retoldBy: 'Dev', picture: null }
  expect(await told(id)).toEqual([{ ...shown, translation: translation.words }])
  expect(await told(id, 'hi')).toEqual([{ ...shown, translation: null }])
})

test('the request whose payment it is counts as followed up from then, and its history has none of the words', async () => {
  const id = await help(await world.beneficiary(ASKABLE))
  const known = { words: 'Shoes, please.', name: 'Gita', phone: '9800000001', email: '', knows: true }
  await world.db.query(sql`
    insert into help_case (number, kind, for_whom, district, state, language, stage, stage_at, agreed_paise, beneficiary_id, outlay_id, sealed, phone_mac)
    select '7Q7Q', 'school', 'self', 'Pune', 'MH', 'en', 'helped', roz_now(), 500, beneficiary_id, id, ${seal(testSecrets, '7Q7Q', known)}::bytea, sha256('7')
      from outlay where id = ${id}::uuid`)
  await later(15)
  expect(said(await tell(id))).toBe('200')
  const { stage, stageAt, steps } = (await world.calls.ask('GET /admin/help-cases/7Q7Q', { as: caller })).body.case
  expect([stage, Date.parse(stageAt) >= NOON + 15 * 86_400_000]).toEqual(['followed_up', true])
  expect(steps).toMatchObject([{ step: 'followed_up', note: null }])
})

test('of two at once one is recorded', async () => {
  const id = await help(await world.beneficiary(ASKABLE))
  await later(15)
  const answers = await Promise.all([tell(id), tell(id, { words: 'दूसरी बात' }, world.staff.owner)])
  expect(answers.map(said).toSorted()).toEqual(['200', '409 follow_up_not_due'])
})

test('one with personal data is withheld, with a reason in the staff log; the log has no words', async () => {
  const id = await help(await world.beneficiary(ASKABLE))
  await later(15)
  const followUp = (await tell(id)).body.disbursement.followUps[0].id
  const withhold = (as = caller) =>
    world.calls.ask(`POST /admin/follow-ups/${followUp}/withhold`, { as, body: { reason: 'It names the street' } })
  expect(said(await withhold(world.staff.finance))).toBe('403 forbidden')
  expect((await withhold()).body.disbursement.followUps).toMatchObject([{ withheld: 'It names the street' }])
  expect(said(await withhold())).toBe('409 follow_up_withheld')
  expect(said(await world.calls.ask('POST /admin/follow-ups/unknown/withhold', { as: caller, body: { reason: 'It names her' } }))).toBe(
    '404 follow_up_not_found',
  )
  expect(await told(id)).toEqual([])
  const log = await world.db.query<{ action: string; after: object }>(
    sql`select action, after from audit_log where subject = ${`outlay:${id}`}::text and action like 'follow_up.%' order by id`,
  )
  expect(log.map(({ action }) => action)).toEqual([LOGGED.recordFollowUp, LOGGED.withholdFollowUp])
  expect(JSON.stringify(log)).not.toContain(HINDI)
})

test('the payer neither records, withholds nor ends a follow-up; the owners get a mail when somebody else does', async () => {
  const ownersTold = () =>
    world.db.query<object>(sql`
      select payload -> 'data' ->> 'what' as what, payload -> 'data' ->> 'detail' as detail from job j join member m on m.email = j.payload ->> 'to'
       where j.payload ->> 'template' = 'team_changed' and m.id = ${world.staff.owner}::bigint order by j.id desc limit 2`)
  const meera = await world.beneficiary(ASKABLE)
  const payer = await makeStaff(world.db, 'owner')
  const id = await help(meera, payer)
  await later(15)
  expect(said(await tell(id, {}, payer))).toBe('403 own_arrival')
  const followUp = (await tell(id)).body.disbursement.followUps[0].id
  const withhold = (as: bigint) =>
    world.calls.ask(`POST /admin/follow-ups/${followUp}/withhold`, { as, body: { reason: 'It names the street' } })
  const end = (as: bigint) => world.calls.ask(`PUT /admin/beneficiaries/${meera}`, { as, body: { followUps: null } })
  expect([said(await withhold(payer)), said(await end(payer))]).toEqual(['403 own_payment', '403 own_payment'])
  expect(await told(id)).toHaveLength(1)
  expect([said(await withhold(caller)), said(await end(caller))]).toEqual(['200', '200'])
  expect(await ownersTold()).toEqual([
    { what: 'follow_ups_ended', detail: '1' },
    { what: 'follow_up_withheld', detail: 'It names the street' },
  ])
})

test('the search of stories finds it in each language until it is withheld or its consent ends', async () => {
  const found = async (q: string) => {
    const rows = await listAll(world.db, { after: undefined, limit: 100, only: undefined, status: undefined, q })
    return rows.map(({ outlayId }) => outlayId)
  }
  const meera = await world.beneficiary(ASKABLE)
  const id = await help(meera)
  await later(15)
  const first = (await tell(id, { words: 'जूते छोटे हैं।', translation: { language: 'en', words: 'The shoes pinch.' } })).body.disbursement
  expect([await found('छोटे'), await found('PINCH'), await found('pinches')]).toEqual([[id], [id], []])
  await world.calls.ask(`POST /admin/follow-ups/${first.followUps[0].id}/withhold`, { as: caller, body: { reason: 'It names the street' } })
  expect([await found('छोटे'), await found('pinch')]).toEqual([[], []])
  await later(29)
  await tell(id, { words: 'नई चप्पल मिली।' })
  expect(await found('चप्पल')).toEqual([id])
  await edit(meera, { followUps: null })
  expect(await found('चप्पल')).toEqual([])
})

test('the end of the consent to be asked deletes what was told; a revoked consent does too, and the help still counts', async () => {
  for (const end of [{ followUps: null }, { revoked: true }]) {
    const meera = await world.beneficiary(ASKABLE)
    const id = await help(meera)
    await later(15)
    await tell(id)
    expect(await told(id)).toHaveLength(1)
    const keyed = { as: caller, headers: { 'idempotency-key': `translate ${id}` } }
    const translated = () =>
      world.calls.ask(`POST /admin/disbursements/${id}/translations`, {
        ...keyed,
        body: { status: 'booked', translations: { hi: 'स्कूल के जूते' } },
      })
    expect((await translated()).text).toContain(HINDI)
    expect((await world.calls.ask(`PUT /admin/beneficiaries/${meera}`, { as: world.staff.owner, body: end })).status).toBe(200)
    // Nor does the answer that its key remembers say them again.
    expect(said(await translated())).toBe('409 changed_since_seen')
    expect(await told(id)).toEqual([])
    expect(await world.db.query(sql`select from follow_up where outlay_id = ${id}::uuid`)).toEqual([])
    expect(await due()).toEqual([])
    expect(await world.db.query(sql`select from outlay_public where id = ${id}::uuid and received is not null`)).toHaveLength(1)
    await world.database.setClock(new Date(NOON))
  }
})

test('the consent to be asked has a day of its own, not in the future and not without the first consent', async () => {
  const meera = await world.beneficiary()
  expect((await edit(meera, { followUps: { on: '2026-02-30' } })).body.fields).toEqual({
    followUps: 'Please give the day of the consent to be asked again',
  })
  expect((await edit(meera, { followUps: { on: '2099-01-01' } })).body.code).toBe('invalid_input')
  expect((await edit(await world.beneficiary({ consent: null }), ASKABLE)).body.code).toBe('invalid_input')
  expect((await edit(meera, ASKABLE)).body.beneficiary.followUps).toEqual(ASKABLE.followUps)
  // Another edit leaves it as it is.
  expect((await edit(meera, { note: 'In the red folder' })).body.beneficiary.followUps).toEqual(ASKABLE.followUps)
})

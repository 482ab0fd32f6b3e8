/** The public words of help in each language: asked for with it, added later, searched, and never with the name of who is helped. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { forgetAlone } from '../../testing/database.ts'
import { useHelpWorld } from '../../testing/help-world.ts'

const HINDI = 'स्कूल के जूते'
const NAMES = 'Please leave the name out: it is shown beside these words'

const world = useHelpWorld({ approvalAbove: 10 })
let meera: string
beforeAll(async () => {
  meera = await world.beneficiary()
  await world.give(5000)
})
beforeEach(() => forgetAlone(world.database))

type Sent = Readonly<Record<string, unknown>>
const ask = async (fields: Sent = {}) =>
  world.calls.ask('POST /admin/disbursements', {
    as: world.staff.finance,
    body: { amount: 5, purpose: 'school shoes', beneficiaryId: meera, receipts: [await world.bill()], ...fields },
  })
const given = async (fields: Sent = {}) => (await ask(fields)).body.disbursement
/** A payment that waits for a second person. */
const waiting = (fields: Sent = {}) => given({ amount: 11, ...fields })
type Row = { readonly id: string; readonly status: string; readonly seen?: string | undefined }
const translate = ({ id, status, seen }: Row, translations: Sent, as = world.staff.editor) =>
  world.calls.ask(`POST /admin/disbursements/${id}/translations`, { as, body: { status, seen, translations } })
const decide = ({ id, seen }: Row, action: 'approve' | 'reject') =>
  world.calls.ask(`POST /admin/disbursements/${id}/${action}`, {
    as: world.staff.owner,
    body: { status: 'requested', seen, ...(action === 'reject' ? { reason: 'The bill is not readable' } : {}) },
  })
const list = async (query: string): Promise<Row[]> =>
  (await world.calls.ask(`GET /admin/disbursements?${query}`, { as: world.staff.auditor })).body.disbursements
const found = async (id: string) => (await list('limit=100')).find((row) => row.id === id)
const logged = (id: string) =>
  world.db.query<{ action: string; after: Sent }>(
    sql`select action, after from audit_log where subject = ${`outlay:${id}`}::text order by id`,
  )

describe('a request', () => {
  test('without a language is in English, and its answer says so', async () => {
    expect(await given()).toMatchObject({ purpose: 'school shoes', language: 'en', translations: {} })
  })

  test('has words in several languages, or in another one alone', async () => {
    const both = await given({ translations: { hi: HINDI } })
    expect(both).toMatchObject({ purpose: 'school shoes', language: 'en', translations: { hi: HINDI } })
    expect((await logged(both.id))[0]?.after).toMatchObject({ purpose: 'school shoes', translations: { hi: HINDI } })
    expect(await given({ purpose: HINDI, language: 'hi' })).toMatchObject({ purpose: HINDI, language: 'hi', translations: {} })
  })

  test.each([
    ['a name', 'Meera के जूते', NAMES],
    ['a name in its own script', 'मीरा के जूते', NAMES],
    ['a phone number', '98765 43210 पर फ़ोन कीजिए', 'Everybody can read this: please leave out phone numbers, email and web addresses'],
    ['too few letters', 'क', 'Please say in 3 to 120 characters what the money is for'],
    ['too many letters', 'क'.repeat(121), 'Please say in 3 to 120 characters what the money is for'],
  ])('with %s in a translation is refused', async (_what, hi, message) => {
    const { status, body } = await ask({ translations: { hi } })
    expect([status, body.fields]).toEqual([400, { 'translations.hi': message }])
  })

  test('with a second text in the language of its words, or in an unknown one, is refused', async () => {
    expect((await ask({ translations: { en: 'shoes' } })).body.fields).toHaveProperty(['translations.en'])
    expect((await ask({ language: 'hi', translations: { hi: HINDI } })).body.fields).toHaveProperty(['translations.hi'])
    expect((await ask({ translations: { xx: 'shoes' } })).status).toBe(400)
    expect((await ask({ language: 'xx' })).status).toBe(400)
  })
})

describe('words that are added later', () => {
  test('are those of a booked payment, in the staff log, and nothing else of it changes', async () => {
    const row = await given()
    const { status, body } = await translate(row, { hi: HINDI })
    expect([status, body.disbursement]).toEqual([200, { ...row, translations: { hi: HINDI }, seen: expect.any(String) }])
    expect(body.disbursement.seen).not.toBe(row.seen)
    const changed = await translate(body.disbursement, { hi: 'नए जूते' })
    expect(changed.body.disbursement).toMatchObject({ translations: { hi: 'नए जूते' } })
    expect((await translate(changed.body.disbursement, { hi: 'नए जूते' })).body.disbursement).toEqual(changed.body.disbursement)
    expect((await logged(row.id)).slice(-3, -1)).toMatchObject([
      { action: 'disbursement.translate', after: { translations: { hi: HINDI } } },
      { action: 'disbursement.translate', after: { translations: { hi: 'नए जूते' }, replaced: { hi: HINDI } } },
    ])
  })

  test('are refused with a name, in the written language, and after a rejection', async () => {
    const row = await waiting()
    expect((await translate(row, { hi: 'Meera के जूते' })).body.fields).toEqual({ 'translations.hi': NAMES })
    expect((await translate(row, { en: 'new shoes' })).body.fields).toHaveProperty(['translations.en'])
    const rejected = (await decide(row, 'reject')).body.disbursement
    expect((await translate(rejected, { hi: HINDI })).body.code).toBe('outlay_final')
    expect((await translate({ ...row, id: 'unknown' }, { hi: HINDI })).body.code).toBe('outlay_not_found')
    expect((await translate(row, { hi: HINDI }, world.staff.support)).body.code).toBe('forbidden')
    expect(await found(row.id)).toMatchObject({ status: 'rejected', translations: {} })
  })

  test('are part of what is approved', async () => {
    const row = await waiting()
    const translated = (await translate(row, { hi: HINDI })).body.disbursement
    expect((await decide(row, 'approve')).body.code).toBe('changed_since_seen')
    expect((await decide(translated, 'approve')).body.disbursement).toMatchObject({ status: 'booked', translations: { hi: HINDI } })
  })

  test('of two persons at once are those of one, and the other one sees that they changed', async () => {
    for (let round = 0; round < 3; round++) {
      const row = await given()
      const answers = await Promise.all([translate(row, { hi: HINDI }), translate(row, { hi: 'नए जूते' }, world.staff.owner)])
      expect(answers.map(({ body }) => body.code ?? 'saved').sort()).toEqual(['changed_since_seen', 'saved'])
      const saved = answers.find(({ status }) => status === 200)?.body.disbursement
      expect(await found(row.id)).toEqual(saved)
      expect((await logged(row.id)).filter(({ action }) => action === 'disbursement.translate')).toHaveLength(1)
    }
  })

  test('and a rejection at once: one of the two takes effect', async () => {
    for (let round = 0; round < 3; round++) {
      const row = await waiting()
      const [translated, rejected] = await Promise.all([translate(row, { hi: HINDI }), decide(row, 'reject')])
      expect([translated.status, rejected.status].sort()).toEqual([200, 409])
      expect(await found(row.id)).toMatchObject(
        translated.status === 200 ? { status: 'requested', translations: { hi: HINDI } } : { status: 'rejected', translations: {} },
      )
    }
  })
})

describe('a public name', () => {
  const rename = (id: string, publicName: string) =>
    world.calls.ask(`PUT /admin/beneficiaries/${id}`, { as: world.staff.editor, body: { publicName } })

  test('that a translation contains is refused', async () => {
    const family = await world.beneficiary({ publicName: 'A family' })
    await given({ beneficiaryId: family, translations: { hi: 'Ravi की किताबें' } })
    expect((await rename(family, 'Ravi')).body.fields).toEqual({
      publicName: 'The public words of a payment to this person contain this name. Please choose another name',
    })
  })

  test('and a translation with it at the same time are never both accepted', async () => {
    for (let round = 0; round < 3; round++) {
      const family = await world.beneficiary({ publicName: 'A family' })
      // A payment that waits for a second person would refuse another name.
      const row = await given({ beneficiaryId: family, amount: 1 })
      // Without the fingerprint, which has the name too.
      const answers = await Promise.all([translate({ ...row, seen: undefined }, { hi: 'Ravi की किताबें' }), rename(family, 'Ravi')])
      expect(answers.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort()).toEqual(['200 ', '400 invalid_input'])
    }
  })

  test('that a waiting payment has in a translation since an older rule is not approved', async () => {
    const family = await world.beneficiary({ publicName: 'A family' })
    const row = await waiting({ beneficiaryId: family, translations: { hi: 'Ravi की किताबें' } })
    await world.db.query(sql`update beneficiary set public_name = 'Ravi' where id = ${family}::uuid`)
    expect((await decide((await found(row.id)) as Row, 'approve')).body.code).toBe('purpose_names_person')
  })
})

test('the list finds help by its words in any language, and the one that lacks a language', async () => {
  const row = await given({ purpose: 'an umbrella' })
  const idsOf = async (query: string) => (await list(query)).map(({ id }) => id)
  expect(await idsOf('status=lacks_language&limit=100')).toContain(row.id)
  await translate(row, { hi: 'एक छाता' })
  expect(await idsOf('status=lacks_language&limit=100')).not.toContain(row.id)
  for (const q of ['UMBRELLA', 'छाता']) expect([q, await idsOf(`q=${encodeURIComponent(q)}`)]).toEqual([q, [row.id]])
  for (const q of ['"hi"', '{']) expect([q, await idsOf(`q=${encodeURIComponent(q)}`)]).toEqual([q, []])
})

test('a row of before the languages is in English; a booked one keeps all but its translations, a rejected one everything', async () => {
  const booked = await given()
  const row = await waiting()
  await decide(row, 'reject')
  await world.db.query(sql`update outlay set translations = '{"hi": "जूते"}' where id = ${booked.id}::uuid`)
  for (const change of [
    sql`update outlay set written_in = 'hi' where id = ${booked.id}::uuid`,
    sql`update outlay set purpose = 'a new phone', translations = '{}' where id = ${booked.id}::uuid`,
    sql`update outlay set amount_paise = amount_paise + 1 where id = ${booked.id}::uuid`,
    sql`update outlay set decided_at = roz_now() where id = ${booked.id}::uuid`,
    sql`update outlay set status = 'requested', decided_by = null, decided_at = null where id = ${booked.id}::uuid`,
    sql`update outlay set translations = '{"hi": "जूते"}' where id = ${row.id}::uuid`,
  ])
    await expect(world.db.query(change)).rejects.toMatchObject({ code: 'RZ003' })
})

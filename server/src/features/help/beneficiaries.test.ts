/** Beneficiaries: the rules of their names and consents, who reads what, and what a revocation takes back. */
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { listParked } from '../../jobs/parking.ts'
import { makeMember } from '../../testing/calls.ts'
import { insertOutlay } from '../../testing/help.ts'
import { MEERA, useHelpWorld } from '../../testing/help-world.ts'

const world = useHelpWorld()
beforeAll(async () => {
  await world.database.setClock(new Date('2026-11-21T12:00:00+05:30'))
})

const create = (body: object) => world.calls.ask('POST /admin/beneficiaries', { as: world.staff.editor, body: { ...MEERA, ...body } })
const edit = (id: string, body: object, as = world.staff.editor) => world.calls.ask(`PUT /admin/beneficiaries/${id}`, { as, body })
const list = (query = '', as = world.staff.finance) => world.calls.ask(`GET /admin/beneficiaries${query}`, { as })

describe('a new beneficiary', () => {
  test('has the consent that was given and is in the list; the note is encrypted at rest', async () => {
    const { status, body } = await create({})
    expect([status, body.beneficiary]).toEqual([
      201,
      {
        id: expect.any(String),
        ...MEERA,
        followUps: null,
        status: 'consented',
        revokedAt: null,
        createdAt: expect.stringMatching(/^2026-11-21T12:00/),
        helped: 0,
      },
    ])
    expect((await list()).body.beneficiaries).toEqual([body.beneficiary])
    const { sealed } = await world.db.one<{ sealed: Buffer }>(sql`select sealed_note as sealed from beneficiary`)
    expect(sealed.toString('latin1')).not.toContain('Sharma')
  })

  test('without a consent yet waits for it', async () => {
    expect((await create({ publicName: 'A family in Surat', consent: null })).body.beneficiary).toMatchObject({
      status: 'waiting',
      consent: null,
    })
    expect((await list('?status=waiting')).body.beneficiaries).toMatchObject([{ publicName: 'A family in Surat' }])
    const [{ id }] = (await list('?q=surat')).body.beneficiaries
    // By its id it is found behind a hundred newer ones.
    expect((await list(`?id=${id}`)).body.beneficiaries).toMatchObject([{ id, publicName: 'A family in Surat' }])
  })

  test.each([
    [{ publicName: 'Meera Sharma' }, 'publicName', 'Please give the first name only, or words such as “A family in Surat”'],
    [{ publicName: 'Meera Sharma of Surat' }, 'publicName', 'Please give the first name only, or words such as “A family in Surat”'],
    [{ publicName: 'call 98765' }, 'publicName', 'The public name is letters only: no numbers, phone or email address'],
    [{ consent: { how: 'written', on: '2026-11-22' } }, 'consent', 'The day of the consent cannot be in the future'],
    [{ consent: { how: 'written', on: '2026-02-30' } }, 'consent', 'Please give the day of the consent'],
    [{ consent: { how: 'by nod', on: '2026-11-20' } }, 'consent.how', 'Please choose one of the listed values'],
    [{ isChild: true }, 'guardian', 'Please say who gave the consent for the child'],
    [{ guardian: 'mother' }, 'guardian', 'Please choose one of the listed values'],
    [{ note: 'x'.repeat(2001) }, 'note', 'A note has at most 2,000 characters'],
  ])('%j is refused', async (fields, field, words) => {
    const { status, body } = await create(fields)
    expect([status, body.fields]).toEqual([400, { [field]: words }])
  })

  test('a child’s consent is its guardian’s', async () => {
    expect((await create({ publicName: 'Asha', isChild: true, guardian: 'mother' })).body.beneficiary).toMatchObject({
      status: 'consented',
      guardian: 'mother',
    })
  })
})

describe('the private note', () => {
  test.each([
    ['owner', true],
    ['finance', true],
    ['editor', true],
    ['support', false],
    ['auditor', false],
  ] as const)('%s reads it: %s', async (role, reads) => {
    const { beneficiaries } = (await list('?q=meera', world.staff[role])).body
    expect(beneficiaries[0].note).toBe(reads ? MEERA.note : null)
  })

  test('is never in the staff log', async () => {
    const id = await world.beneficiary({ publicName: 'Kavita' })
    await edit(id, { note: 'Kavita Rao, Ward 5' })
    const entries = await world.db.query<{ text: string }>(
      sql`select coalesce(before::text, '') || coalesce(after::text, '') as text from audit_log where subject = ${`beneficiary:${id}`}::text`,
    )
    expect(entries).toHaveLength(2)
    for (const { text } of entries) expect(text).not.toMatch(/Rao|Ring Road/)
  })
})

describe('the table', () => {
  test('has the rows of the list with its filters; without the note for anybody, and after a revocation without the name', async () => {
    const id = await world.beneficiary({ publicName: 'Kamla' })
    const table = async (query: string) =>
      (await world.calls.ask(`GET /admin/beneficiaries.csv${query}`, { as: world.staff.owner })).text.trimEnd().split('\r\n')
    const head = 'id,created,status,public_name,child,guardian,consent,consented_on,revoked,helped'
    const rowOf = (rest: string) => expect.stringMatching(new RegExp(`^${id},2026-11-21T[^,]+,${rest}$`))
    expect(await table('?status=consented&q=kamla')).toEqual([head, rowOf('consented,Kamla,no,,written,2026-11-20,,0')])
    expect(await table('?status=waiting&q=kamla')).toEqual([head])
    await edit(id, { revoked: true })
    expect(await table('?status=revoked&q=kamla')).toEqual([head, rowOf('revoked,,no,,written,2026-11-20,2026-11-21T[^,]+,0')])
  })
  test('is read by every role of the team, as the list is, and by no volunteer and no member', async () => {
    const { volunteer, ...team } = world.staff
    for (const as of Object.values(team)) expect((await world.calls.ask('GET /admin/beneficiaries.csv', { as })).status).toBe(200)
    for (const as of [volunteer, await makeMember(world.db)])
      expect((await world.calls.ask('GET /admin/beneficiaries.csv', { as })).body.code).toBe('forbidden')
  })
})

describe('an edit', () => {
  test('changes the named fields and leaves the rest', async () => {
    const id = await world.beneficiary({ publicName: 'Ravi', consent: null })
    const { body } = await edit(id, { consent: { how: 'recorded', on: '2026-11-21' } })
    expect(body.beneficiary).toMatchObject({ publicName: 'Ravi', status: 'consented', consent: { how: 'recorded' }, note: MEERA.note })
  })
  test('corrects a recorded consent, but never removes it: that is a revocation', async () => {
    const id = await world.beneficiary({ publicName: 'Usha' })
    const { status, body } = await edit(id, { consent: null })
    expect([status, body.fields]).toEqual([
      400,
      { consent: 'A consent that was recorded cannot be removed. To end it, press “Revoke the consent”' },
    ])
    expect((await list('?q=usha')).body.beneficiaries).toMatchObject([{ status: 'consented', consent: MEERA.consent }])
    const consent = { how: 'witnessed', on: '2026-11-19' }
    expect((await edit(id, { consent })).body.beneficiary).toMatchObject({ status: 'consented', consent })
  })
  test('to a name that the words of a payment contain is refused; words of a rejected request do not count', async () => {
    const by = { askedBy: world.staff.finance, decidedBy: world.staff.owner }
    const words = { publicName: 'A family', purpose: 'shoes for Meera' }
    const renamed = async (outlay: { beneficiaryId: string }) => edit(outlay.beneficiaryId, { publicName: 'Meera and Ravi' })
    const requested = await insertOutlay(world.db, { ...by, ...words, status: 'requested' })
    expect((await renamed(requested)).body.code).toBe('request_waiting')
    const { status, body } = await renamed(await insertOutlay(world.db, { ...by, ...words }))
    expect([status, body.fields]).toEqual([
      400,
      { publicName: 'The public words of a payment to this person contain this name. Please choose another name' },
    ])
    await world.db.query(sql`
      update outlay set status = 'rejected', decided_by = ${by.decidedBy}::bigint, decided_at = roz_now(), decision = 'the name is in the words'
       where id = ${requested.id}::uuid`)
    expect((await renamed(requested)).body.beneficiary).toMatchObject({ publicName: 'Meera and Ravi' })
  })
  test('without a consent may repeat that, and the consent may be revoked all the same', async () => {
    const id = await world.beneficiary({ publicName: 'Jaya', consent: null })
    expect((await edit(id, { publicName: 'Jaya', consent: null })).body.beneficiary.status).toBe('waiting')
    expect((await edit(id, { revoked: true })).body.beneficiary.status).toBe('revoked')
  })
  test('of an unknown one is refused', async () => {
    expect((await edit('2b1c0a9e-0000-4000-8000-000000000000', {})).body.code).toBe('beneficiary_not_found')
    expect((await edit('unknown', {})).body.code).toBe('beneficiary_not_found')
  })
  test('needs a step-up', async () => {
    const id = await world.beneficiary()
    const answer = await world.calls.ask(`PUT /admin/beneficiaries/${id}`, { as: world.staff.editor, isStale: true, body: {} })
    expect(answer.body.code).toBe('step_up_required')
  })
})

/** A published story of a booked disbursement with one bill and a poster of ours. */
async function tell(beneficiaryId: string) {
  const hash = await world.bill()
  const poster = await world.storage.put('posters', 'webp', Buffer.from('poster'))
  const by = world.staff.finance
  await world.db.query(sql`
    with o as (
      insert into outlay (id, kind, amount_paise, purpose, beneficiary_id, needs_second, status, asked_by, decided_by, decided_at)
      values (gen_random_uuid(), 'disbursement', 50000, 'school shoes', ${beneficiaryId}::uuid, false, 'booked', ${by}::bigint, ${by}::bigint, roz_now())
      returning id),
    l as (insert into outlay_receipt select id, 1, ${Buffer.from(hash, 'hex')}::bytea from o)
    insert into story (id, day, title, description, charity_name, charity_description, outlay_id, image_url, is_active, published_at)
    select gen_random_uuid(), '2026-11-21', 'Shoes', 'New shoes', 'Roz', 'Help', id, ${`/uploads/${poster}`}::text, true, roz_now() from o`)
  return { hash, poster }
}
const storyOf = (beneficiaryId: string) =>
  world.db.one<{ isActive: boolean; imageUrl: string | null }>(
    sql`select s.is_active as "isActive", s.image_url as "imageUrl" from story s join outlay o on o.id = s.outlay_id where o.beneficiary_id = ${beneficiaryId}::uuid`,
  )

describe('a revocation', () => {
  test('takes back the stories, their pictures and the bills; the entry stays, without the name', async () => {
    const id = await world.beneficiary({ publicName: 'Lata' })
    const { hash, poster } = await tell(id)
    expect((await world.calls.ask(`GET /receipts/${hash}`)).status).toBe(200)
    expect((await world.calls.ask(`GET root:/uploads/${poster}`)).status).toBe(200)

    const { body } = await edit(id, { revoked: true })
    expect(body.beneficiary).toMatchObject({ status: 'revoked', revokedAt: expect.any(String), helped: 500 })
    expect(await storyOf(id)).toEqual({ isActive: false, imageUrl: null })
    expect((await world.calls.ask(`GET /receipts/${hash}`)).body.code).toBe('receipt_not_found')
    expect((await world.calls.ask(`GET root:/uploads/${poster}`)).status).toBe(404)
    expect((await world.calls.ask(`GET /admin/receipts/${hash}`, { as: world.staff.auditor })).status).toBe(200)
    expect(
      await world.db.one(sql`select public_name, amount_paise, receipts from outlay_public where amount_paise = 50000 and is_revoked`),
    ).toEqual({ public_name: null, amount_paise: 50000n, receipts: [] })
  })

  test('takes back a story whose link was removed or leads to somebody else since, and no later link makes it public', async () => {
    const [lata, ravi] = [await world.beneficiary({ publicName: 'Lata' }), await world.beneficiary({ publicName: 'Ravi' })]
    const [unlinked, relinked] = [await tell(lata), await tell(lata)]
    const { id: other } = await insertOutlay(world.db, { askedBy: world.staff.finance, decidedBy: world.staff.owner, publicName: 'Asha' })
    await world.db.query(sql`update story set outlay_id = null where image_url = ${`/uploads/${unlinked.poster}`}::text`)
    await world.db.query(sql`update story set outlay_id = ${other}::uuid where image_url = ${`/uploads/${relinked.poster}`}::text`)
    const theirs = sql`id in (select story_id from story_subject where beneficiary_id = ${lata}::uuid)`
    expect(await world.db.query(sql`select 1 from story where is_active and ${theirs}`)).toHaveLength(2)
    await edit(ravi, { revoked: true })
    expect(await world.db.query(sql`select 1 from story where is_active and ${theirs}`)).toHaveLength(2)
    await edit(lata, { revoked: true })
    expect(await world.db.query(sql`select is_active, image_url from story where ${theirs}`)).toEqual([
      { is_active: false, image_url: null },
      { is_active: false, image_url: null },
    ])
    for (const { poster } of [unlinked, relinked]) expect((await world.calls.ask(`GET root:/uploads/${poster}`)).status).toBe(404)
    await expect(world.db.query(sql`update story set is_active = true where ${theirs}`)).rejects.toThrow('the consent was revoked')
  })

  test('leaves a job that removes the pictures, for a process that ends before it has', async () => {
    const id = await world.beneficiary()
    const { poster } = await tell(id)
    await edit(id, { revoked: true })
    expect(await world.db.query(sql`select payload from job where kind = 'remove_file' and key = ${poster}::text`)).toEqual([
      { payload: { name: poster } },
    ])
  })

  test('ends the schedule of a draft, and the draft is not parked any more', async () => {
    const id = await world.beneficiary()
    await tell(id)
    await world.db.query(sql`
      with draft as (
        update story s set is_active = false, published_at = null, publish_at = roz_now() from outlay o
         where o.id = s.outlay_id and o.beneficiary_id = ${id}::uuid returning s.id)
      insert into failing_work (work, item, tries, error, next_at) select 'story', id::text, 5, 'broken', roz_now() from draft`)
    expect(await listParked(world.db)).toHaveLength(1)
    await edit(id, { revoked: true })
    expect(await listParked(world.db)).toEqual([])
  })

  test('is final', async () => {
    const id = await world.beneficiary()
    await edit(id, { revoked: true })
    expect((await edit(id, { publicName: 'Meera' })).body.code).toBe('consent_revoked')
    expect((await edit(id, { revoked: true })).body.code).toBe('consent_revoked')
  })

  test('at the same time as a publication leaves nothing published', async () => {
    for (let round = 0; round < 8; round++) {
      const id = await world.beneficiary()
      await tell(id)
      await world.db.query(sql`update story set is_active = false`)
      const publish = world.db.query(sql`
        update story s set is_active = true from outlay o where o.id = s.outlay_id and o.beneficiary_id = ${id}::uuid`)
      const [published, revoked] = await Promise.allSettled([publish, edit(id, { revoked: true })])
      expect(revoked).toMatchObject({ value: { status: 200 } })
      if (published.status === 'rejected') expect(String(published.reason)).toMatch(/consent was revoked|deadlock/)
      expect((await storyOf(id)).isActive).toBe(false)
    }
  })
})

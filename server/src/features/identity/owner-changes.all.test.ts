/** Changes of an owner by another owner: two agree, or 48 hours pass in which the person can stop it. */
import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { startPeople } from '../../testing/people.ts'
import { addStaff, type Colleague, openPortal, said } from '../../testing/staff.ts'
import { perTest } from '../../testing/fixture.ts'

type Owner = Colleague & { token: string }
const roz = perTest(startPeople)
let asha: Owner
let binu: Owner
beforeEach(async () => {
  ;[asha, binu] = [await owner('asha'), await owner('binu')]
})

async function owner(name: string, since = '30 days'): Promise<Owner> {
  const colleague = await addStaff(roz, `${name}@x.test`, 'owner')
  await roz.db.query(
    sql`update member set staff_since = roz_now() - ${since}::interval, name = ${name}::text where id = ${colleague.memberId}::bigint`,
  )
  return { ...colleague, token: await openPortal(roz, colleague.email) }
}
async function pass(hours: number, ...people: Owner[]): Promise<void> {
  await roz.pass(hours * 3600)
  for (const person of people) person.token = await openPortal(roz, person.email)
}
const LOGGED = { stopStaffChange: 'staff.stop' } as const
const why = { reason: 'She has left us.' }
const ACTS = {
  remove: (by: Owner, of: Owner) => roz.ask(`POST /admin/staff/${of.publicId}/remove`, { token: by.token, body: why }),
  demote: (by: Owner, of: Owner) => roz.ask(`PUT /admin/staff/${of.publicId}`, { token: by.token, body: { role: 'support' } }),
  reset: (by: Owner, of: Owner) => roz.ask(`POST /admin/staff/${of.publicId}/reset-totp`, { token: by.token, body: why }),
} as const
const { remove, demote } = ACTS
const stop = (by: Owner, of: Owner) => roz.ask(`POST /admin/staff/${of.publicId}/stop`, { token: by.token })
const isChanged = async (of: Owner): Promise<boolean> =>
  (
    await roz.db.one<{ is: boolean }>(sql`select deleted_at is not null or staff_role <> 'owner'
            or not exists (select from staff_totp t where t.member_id = m.id) as is from member m where id = ${of.memberId}::bigint`)
  ).is
const giveApp = (of: Owner) =>
  roz.db.query(sql`insert into staff_totp (member_id, sealed, confirmed_at) values (${of.memberId}::bigint, 'x', roz_now())`)
const told = async (of: Owner): Promise<string[]> =>
  (
    await roz.db.query<{ what: string }>(sql`
      select payload -> 'data' ->> 'what' as what from job
       where kind = 'mail' and payload ->> 'template' = 'team_changed' and payload ->> 'to' = ${of.email}::text order by id`)
  ).map(({ what }) => what)

test.each([
  ['remove', 'removed'],
  ['demote', 'role'],
  ['reset', 'totp_reset'],
] as const)('of three owners two %s the third; neither one of them twice, nor a new owner, nor the third', async (how, what) => {
  const [act, third, young] = [ACTS[how], await owner('chitra'), await owner('deepa', '47 hours')]
  await giveApp(binu)
  const asked = [{ what, role: how === 'demote' ? 'support' : null, by: 'asha' }]
  expect((await act(asha, binu)).body.staff.asked).toMatchObject(asked)
  expect((await act(asha, binu)).body.staff.asked).toMatchObject(asked)
  for (const all of [asha, binu, third, young]) expect(await told(all)).toEqual([`${what}_asked`])
  expect((await act(young, binu)).body.staff.asked).toHaveLength(2)
  expect(said(await stop(binu, binu))).toBe('403 forbidden')
  // A role that stays is no change, and ends no request.
  await roz.ask(`PUT /admin/staff/${binu.publicId}`, { token: binu.token, body: { role: 'owner' } })
  expect(await isChanged(binu)).toBe(false)
  const done = await act(third, binu)
  expect([said(done), done.body.staff.asked, await isChanged(binu)]).toEqual(['200', [], true])
  expect(await told(third)).toEqual([`${what}_asked`, `${what}_asked`, what])
})

test('with three owners 48 hours are not enough, and a request ends after seven days', async () => {
  const third = await owner('chitra')
  await giveApp(binu)
  await remove(asha, binu)
  await pass(49, asha)
  expect((await remove(asha, binu)).body.staff.removedAt).toBeNull()
  await pass(6 * 24, third)
  expect((await remove(third, binu)).body.staff).toMatchObject({ removedAt: null, asked: [{ by: 'chitra' }] })
})

test('one of two owners removes the other after 48 hours, unless the other stops it', async () => {
  await remove(asha, binu)
  await pass(47, asha, binu)
  expect((await remove(asha, binu)).body.staff.removedAt).toBeNull()
  expect((await stop(binu, binu)).body.staff.asked).toEqual([])
  // Nothing is asked any more: no second mail, and no second entry.
  expect(said(await stop(asha, binu))).toBe('200')
  expect(await told(binu)).toEqual(['removed_asked', 'asked_withdrawn'])
  const stops = await roz.db.query(
    sql`select actor_id as "actorId" from audit_log where action = ${LOGGED.stopStaffChange}::text and subject = ${`member:${binu.memberId}`}::text`,
  )
  expect(stops).toEqual([{ actorId: binu.memberId }])
  await pass(2, asha)
  expect((await remove(asha, binu)).body.staff).toMatchObject({ removedAt: null, asked: [{ by: 'asha' }] })
  await pass(48, asha)
  // Another role is another request.
  expect((await demote(asha, binu)).body.staff.role).toBe('owner')
  expect((await remove(asha, binu)).body.staff.removedAt).not.toBeNull()
})

test('an owner in the first 48 hours of the role is removed at once, and everybody may leave', async () => {
  const young = await owner('deepa', '47 hours')
  expect((await remove(asha, young)).body.staff.removedAt).not.toBeNull()
  expect((await demote(binu, binu)).body.staff.role).toBe('support')
})

test('two who ask at once agree; a stop at the same moment stops both or comes too late', async () => {
  const third = await owner('chitra')
  for (let round = 0; round < 5; round++) {
    const leaves = await owner(`leaves${round}`)
    const both = await Promise.all([remove(asha, leaves), remove(third, leaves)])
    expect(both.map(({ body }) => body.staff.removedAt !== null).toSorted()).toEqual([false, true])
    const stays = await owner(`stays${round}`)
    await giveApp(stays)
    await remove(asha, stays)
    const [stopped, confirmed] = await Promise.all([stop(asha, stays), remove(third, stays)])
    if (said(stopped) === '200') expect(confirmed.body.staff).toMatchObject({ removedAt: null, asked: [{ by: 'chitra' }] })
    else expect([said(stopped), await isChanged(stays)]).toEqual(['404 staff_not_found', true])
    if (said(stopped) === '200') await remove(stays, stays)
  }
})

/** The team: invitations, roles, removals, and the owner who always remains. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connect, sql } from '../../db/sql.ts'
import { usePeople } from '../../testing/people.ts'
import { addStaff, adminLogin, type Colleague, openPortal, said, STAFF_PASSWORD } from '../../testing/staff.ts'
import { ensureAdmin } from './ensure-admin.ts'
import { freeAddress } from '../rights/unconfirmed.ts'

const roz = usePeople()
let owner: Colleague
let token: string
let made = 0
const address = (): string => `person${++made}@x.test`
beforeAll(async () => {
  owner = await addStaff(roz, 'owner@x.test', 'owner')
})
beforeEach(async () => {
  token = await openPortal(roz, owner.email)
})

const invite = (email: string, role = 'editor', as = token) =>
  roz.ask('POST /admin/staff', { token: as, body: { name: 'Meera Nair', email, role } })
const accept = (given: string, password = STAFF_PASSWORD, ip = '198.51.100.30') =>
  roz.ask('POST /admin/invitations/accept', { body: { token: given, password }, ip })
const linkOf = (email: string) => roz.tokenFrom(email, '/admin/invitation')
const confirm = async (email: string) => roz.ask(`GET /auth/verify-email?token=${await roz.tokenFrom(email, '/verify-email')}`)
const remove = (id: string, as = token) => roz.ask(`POST /admin/staff/${id}/remove`, { token: as, body: { reason: 'She has left us.' } })
const setRole = (id: string, role: string, as = token) => roz.ask(`PUT /admin/staff/${id}`, { token: as, body: { role } })
/** As if the owner had the role since now: another owner changes it at once. */
const beNew = ({ memberId }: Colleague) => roz.db.query(sql`update member set staff_since = roz_now() where id = ${memberId}::bigint`)
const owners = async (): Promise<bigint> =>
  (await roz.db.one<{ n: bigint }>(sql`select count(*) as n from member where staff_role = 'owner' and deleted_at is null`)).n
const logOf = (action: string) =>
  roz.db.query<{ actor: bigint; subject: string; before: unknown; after: unknown; address: string }>(sql`
    select actor_id as actor, subject, before, after, from_address as address from audit_log where action = ${action}::text order by id`)

describe('the list of the team', () => {
  let stays: Colleague
  let left: Colleague
  beforeAll(async () => {
    stays = await addStaff(roz, address(), 'editor')
    left = await addStaff(roz, address(), 'support')
    token = await openPortal(roz, owner.email)
    expect(said(await remove(left.publicId))).toBe('200')
  })

  test('is narrowed to those in the team or those who left it, and by name and mail', async () => {
    const found = async (query: string): Promise<string[]> =>
      (await roz.ask(`GET /admin/staff?${query}`, { token })).body.staff.map(({ id }: { id: string }) => id)
    expect(await found(`q=${stays.email.toUpperCase()}`)).toEqual([stays.publicId])
    expect(await found('q=meera')).toEqual(expect.arrayContaining([stays.publicId, left.publicId]))
    expect(await found('status=former&q=meera')).toEqual([left.publicId])
    expect(await found('status=current')).toEqual(expect.not.arrayContaining([left.publicId]))
    expect(await found('q=nobody')).toEqual([])
    expect(said(await roz.ask('GET /admin/staff?status=away', { token }))).toBe('400 invalid_input')
  })

  test('downloads as a table with its filters, to the roles that read it', async () => {
    const table = async (query: string) => (await roz.ask(`GET /admin/staff.csv?${query}`, { token })).text.trimEnd().split('\r\n')
    const head = 'id,name,email,role,authenticator_app,since,last_login,removed'
    const rowOf = (row: string) => expect.stringMatching(new RegExp(`^${row}$`))
    expect(await table(`q=${stays.email}`)).toEqual([head, rowOf(`${stays.publicId},Meera Nair,${stays.email},editor,no,[^,]+,,`)])
    expect(await table('status=former')).toEqual([head, rowOf(`${left.publicId},Meera Nair,,support,no,[^,]+,,[^,]+`)])
    const editor = await openPortal(roz, stays.email)
    expect(said(await roz.ask('GET /admin/staff.csv', { token: editor }))).toBe('403 forbidden')
  })
})

describe('an invitation', () => {
  test('is a mailed link that makes the account with a password of its own, and opens the portal in the invited role', async () => {
    const email = address()
    const answer = await invite(email, 'finance')
    expect([answer.status, answer.body.invitation.email, answer.body.invitation.invitedBy]).toEqual([201, email, 'Meera Nair'])
    expect(said(await adminLogin(roz, email))).toBe('401 invalid_credentials')
    expect(said(await accept(await linkOf(email)))).toBe('200')
    const login = await adminLogin(roz, email)
    expect(login.body.user).toMatchObject({ staffRole: 'finance', emailVerified: true, wallet: { balance: 0 } })
    const { staff, invitations } = (await roz.ask('GET /admin/staff', { token })).body
    expect(staff[0]).toMatchObject({ email, role: 'finance', totp: false, removedAt: null })
    expect(staff[0].lastSignInAt).toMatch(/^20/)
    expect(invitations.filter((one: { email: string }) => one.email === email)).toEqual([])
  })

  test('works once, also when it is accepted twice at the same moment', async () => {
    const email = address()
    await invite(email)
    const link = await linkOf(email)
    const both = await Promise.all([accept(link), accept(link, 'another password')])
    expect(both.map(said).toSorted()).toEqual(['200', '400 invitation_invalid'])
    expect(said(await accept(link))).toBe('400 invitation_invalid')
    expect(await roz.db.query(sql`select 1 from member where email = ${email}::text`)).toHaveLength(1)
  })

  test('expires after 24 hours; a new invitation of the address replaces it, and only the new link works', async () => {
    const email = address()
    await invite(email)
    const first = await linkOf(email)
    await roz.pass(24 * 3600 - 5)
    token = await openPortal(roz, owner.email)
    await invite(email, 'support')
    const second = await linkOf(email)
    expect(said(await accept(first))).toBe('400 invitation_invalid')
    await roz.pass(24 * 3600 + 1)
    expect(said(await accept(second))).toBe('400 invitation_invalid')
    token = await openPortal(roz, owner.email)
    const { invitations } = (await roz.ask('GET /admin/staff', { token })).body
    expect(invitations.filter((one: { email: string }) => one.email === email)).toMatchObject([{ role: 'support', expired: true }])
  })

  test('sent twice at once to an address leaves one open link', async () => {
    const email = address()
    const both = await Promise.all([invite(email), invite(email)])
    expect(both.map(said)).toEqual(['201', '201'])
    expect(await roz.db.query(sql`select 1 from staff_invitation where email = ${email}::text and cancelled_at is null`)).toHaveLength(1)
  })

  test('to the address of a member or of the team is refused in words', async () => {
    await roz.register('mere@x.test')
    await confirm('mere@x.test')
    expect(said(await invite('Mere@x.test'))).toBe('409 member_address')
    expect(said(await invite('OWNER@x.test'))).toBe('409 staff_exists')
  })

  test('is refused to the address that became a member meanwhile, and stays unused', async () => {
    const email = address()
    await invite(email)
    const link = await linkOf(email)
    await roz.register(email)
    await confirm(email)
    expect(said(await accept(link))).toBe('409 email_taken')
    const row = await roz.db.one(sql`select role, staff_role from member where email = ${email}::text`)
    expect(row).toEqual({ role: 'member', staff_role: null })
  })

  test.each(['before', 'after'] as const)(
    'goes to an address with which a stranger signed up %s it, and ends that account',
    async (when) => {
      const email = address()
      const stranger = when === 'before' ? await roz.register(email.toUpperCase()) : undefined
      expect(said(await invite(email))).toBe('201')
      const link = await linkOf(email)
      const { token: theirs } = stranger ?? (await roz.register(email))
      expect(said(await accept(link))).toBe('200')
      expect(await roz.codeOf('GET /auth/me', theirs)).toBe('401 unauthenticated')
      const rows = await roz.db.query(sql`select role, staff_role as "staffRole" from member where lower(email) = ${email}::text`)
      expect(rows).toEqual([{ role: 'admin', staffRole: 'editor' }])
      expect(said(await adminLogin(roz, email))).toBe('200')
    },
  )

  test('leaves a suspended account of its address as evidence, though nobody confirmed it', async () => {
    const email = address()
    await roz.register(email)
    await roz.db.query(sql`update member set suspended_at = roz_now() where email = ${email}::text`)
    expect(said(await invite(email))).toBe('409 member_address')
  })

  test('needs a password of 12 characters that is not a common one', async () => {
    const email = address()
    await invite(email)
    const link = await linkOf(email)
    const short = await accept(link, 'eleven char')
    expect([short.status, short.body.fields.password]).toEqual([400, 'A staff password needs at least 12 characters'])
    expect(said(await accept(link))).toBe('200')
  })

  test('can be cancelled once; its link and any guess open nothing', async () => {
    const email = address()
    const { id } = (await invite(email)).body.invitation
    const link = await linkOf(email)
    const cancel = () => roz.ask(`POST /admin/invitations/${id}/cancel`, { token })
    const both = await Promise.all([cancel(), cancel()])
    expect(both.map(said).toSorted()).toEqual(['204', '404 invitation_not_found'])
    expect([said(await accept(link)), said(await accept('guess'))]).toEqual(['400 invitation_invalid', '400 invitation_invalid'])
    expect(said(await roz.ask('POST /admin/invitations/nothing/cancel', { token }))).toBe('404 invitation_not_found')
  })

  test.each(['removed', 'demoted'] as const)('ends with its owner: an owner who is %s leaves no open link behind', async (how) => {
    const other = await addStaff(roz, address(), 'owner')
    const email = address()
    await invite(email, 'owner', await openPortal(roz, other.email))
    const link = await linkOf(email)
    await beNew(other)
    const ended = how === 'removed' ? await remove(other.publicId) : await setRole(other.publicId, 'support')
    expect(said(ended)).toBe('200')
    expect(said(await accept(link))).toBe('400 invitation_invalid')
  })

  test('stores no token, and 30 days after its end neither name nor address', async () => {
    const email = address()
    await invite(email)
    const link = await linkOf(email)
    const rows = JSON.stringify(await roz.db.query(sql`select to_jsonb(i) as row from staff_invitation i`))
    expect(rows).not.toContain(link)
    await roz.pass(32 * 86_400)
    await roz.runJobs()
    expect(await roz.db.query(sql`select 1 from staff_invitation where email = ${email}::text`)).toEqual([])
  })
})

describe('a role', () => {
  test('counts from the next call of a session that is open', async () => {
    const person = await addStaff(roz, address(), 'auditor')
    const theirs = await openPortal(roz, person.email)
    expect(said(await roz.ask('GET /admin/staff', { token: theirs }))).toBe('200')
    const changed = await setRole(person.publicId, 'support')
    expect(changed.body.staff).toMatchObject({ id: person.publicId, role: 'support' })
    expect(said(await roz.ask('GET /admin/staff', { token: theirs }))).toBe('403 forbidden')
    expect((await logOf('staff.role')).at(-1)).toMatchObject({
      actor: owner.memberId,
      subject: `member:${person.memberId}`,
      before: { role: 'auditor' },
      after: { role: 'support' },
    })
  })

  test('is given only by owners; an unknown person answers 404, an unknown role 400', async () => {
    const person = await addStaff(roz, address(), 'auditor')
    const theirs = await openPortal(roz, person.email)
    expect(said(await setRole(person.publicId, 'owner', theirs))).toBe('403 forbidden')
    expect(said(await invite(address(), 'owner', theirs))).toBe('403 forbidden')
    expect(said(await setRole('00000000-0000-4000-8000-000000000000', 'owner'))).toBe('404 staff_not_found')
    expect(said(await setRole('nobody', 'owner'))).toBe('404 staff_not_found')
    expect(said(await setRole(person.publicId, 'king'))).toBe('400 invalid_input')
    const member = await roz.register(address())
    expect(said(await setRole(member.publicId, 'owner'))).toBe('404 staff_not_found')
  })

  test('changes only after a step-up', async () => {
    const person = await addStaff(roz, address(), 'auditor')
    await roz.pass(601)
    expect(said(await setRole(person.publicId, 'owner'))).toBe('403 step_up_required')
    expect(said(await remove(person.publicId))).toBe('403 step_up_required')
  })
})

describe('a removal', () => {
  test('ends every session and credential at once, keeps the name, and frees the address for a member', async () => {
    const person = await addStaff(roz, address(), 'finance')
    const theirs = await openPortal(roz, person.email)
    await roz.ask('POST /auth/forgot-password', { body: { email: person.email } })
    const reset = await roz.tokenFrom(person.email, '/reset-password')
    const removed = await remove(person.publicId)
    expect(removed.body.staff).toMatchObject({ name: 'Meera Nair', email: null, role: 'finance' })
    expect(removed.body.staff.removedAt).toMatch(/^20/)
    expect(said(await roz.ask('GET /auth/me', { token: theirs }))).toBe('401 unauthenticated')
    expect(said(await adminLogin(roz, person.email))).toBe('401 invalid_credentials')
    expect(said(await roz.ask('POST /auth/reset-password', { body: { token: reset, password: 'another password' } }))).toBe(
      '400 reset_token_invalid',
    )
    expect((await logOf('staff.remove')).at(-1)).toMatchObject({
      actor: owner.memberId,
      before: { role: 'finance', name: 'Meera Nair', email: person.email },
      after: { reason: 'She has left us.' },
      address: '127.0.0.1',
    })
    expect((await roz.register(person.email)).token).toBeDefined()
    expect(said(await remove(person.publicId))).toBe('404 staff_not_found')
  })

  test.each(['removed', 'removed and invited again as finance', 'demoted'] as const)(
    'is not undone by the next start: a first administrator who is %s stays so, and the server still starts',
    async (how) => {
      const first = { email: address(), password: 'the first password' }
      await ensureAdmin(roz.db, first, freeAddress)
      const { id } = await roz.db.one<{ id: string }>(sql`select public_id as id from member where email = ${first.email}::text`)
      expect(said(await (how === 'demoted' ? setRole(id, 'support') : remove(id)))).toBe('200')
      if (how === 'removed and invited again as finance') {
        await invite(first.email, 'finance')
        await accept(await linkOf(first.email))
      }
      expect(await ensureAdmin(roz.db, first, freeAddress)).toEqual({ isNew: false, madePassword: undefined, isPassedOver: true })
      expect(await owners()).toBe(1n)
      if (how === 'removed') {
        expect(said(await adminLogin(roz, first.email, first))).toBe('401 invalid_credentials')
        // The address is free, and may become a member's.
        await roz.register(first.email)
        expect(await ensureAdmin(roz.db, first, freeAddress)).toMatchObject({ isPassedOver: true })
      }
    },
  )

  test('of the last owner is refused, of oneself too, and by the schema; with another owner it is possible', async () => {
    expect(await owners()).toBe(1n)
    expect(said(await remove(owner.publicId))).toBe('409 last_owner')
    expect(said(await setRole(owner.publicId, 'finance'))).toBe('409 last_owner')
    await expect(roz.db.query(sql`update member set deleted_at = roz_now() where id = ${owner.memberId}::bigint`)).rejects.toThrow(
      'the last owner cannot be removed',
    )
    const other = await addStaff(roz, address(), 'owner')
    const theirs = await openPortal(roz, other.email)
    expect(said(await remove(other.publicId, theirs))).toBe('200')
    expect(await owners()).toBe(1n)
  })

  test.each(['remove', 'demote'] as const)('two owners who %s each other at once leave one owner', async (action) => {
    for (let round = 0; round < 8; round++) {
      const other = await addStaff(roz, address(), 'owner')
      const theirs = await openPortal(roz, other.email)
      for (const one of [owner, other]) await beNew(one)
      const act = (id: string, as: string) => (action === 'remove' ? remove(id, as) : setRole(id, 'support', as))
      const [mine, others] = await Promise.all([act(other.publicId, token), act(owner.publicId, theirs)])
      expect(await owners()).toBe(1n)
      // The loser's session has ended, or its role is no longer an owner's.
      expect([mine, others].filter(({ status }) => status === 200)).toHaveLength(1)
      if (others.status !== 200) continue
      owner = other
      token = theirs
    }
  })

  test('two transactions that pass every check of the program leave one owner, by the trigger', async () => {
    const other = await addStaff(roz, address(), 'owner')
    const own = connect({ url: roz.database.ownerUrl, max: 2 })
    try {
      const demote = (id: bigint) => own.query(sql`update member set staff_role = 'support' where id = ${id}::bigint`)
      const both = await Promise.allSettled([demote(owner.memberId), demote(other.memberId)])
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await owners()).toBe(1n)
      await own.query(sql`update member set staff_role = 'owner' where id = ${owner.memberId}::bigint`)
    } finally {
      await own.close()
    }
  })
})

describe('a change of the team', () => {
  const told = async (email: string): Promise<string[]> =>
    (
      await roz.db.query<{ what: string }>(sql`
        select payload -> 'data' ->> 'what' as what from job
         where kind = 'mail' and payload ->> 'template' = 'team_changed' and payload ->> 'to' = ${email}::text order by id`)
    ).map(({ what }) => what)

  test('is mailed to all owners and to the person: invitation, joining, role, removal, reset of the app', async () => {
    const [second, email] = [await addStaff(roz, address(), 'owner'), address()]
    await invite(email, 'finance')
    // A mail that was sent leaves no words behind.
    const invited = await told(second.email)
    await accept(await linkOf(email))
    const { id } = await roz.db.one<{ id: string }>(sql`select public_id as id from member where email = ${email}::text`)
    expect(said(await setRole(id, 'finance'))).toBe('200')
    expect(said(await setRole(id, 'support'))).toBe('200')
    await roz.db.query(sql`
      insert into staff_totp (member_id, sealed, confirmed_at) select id, 'x', roz_now() from member where email = ${email}::text`)
    expect(said(await roz.ask(`POST /admin/staff/${id}/reset-totp`, { token, body: { reason: 'The phone is lost.' } }))).toBe('200')
    expect(said(await remove(id))).toBe('200')
    expect([...invited, ...(await told(second.email))]).toEqual(['invited', 'joined', 'role', 'totp_reset', 'removed'])
    expect(await told(email)).toEqual(['joined', 'role', 'removed'])
  })

  test('is told however many there are: noise hides none', async () => {
    const [second, person] = [await addStaff(roz, address(), 'owner'), await addStaff(roz, address(), 'editor')]
    for (const role of ['support', 'editor', 'support', 'editor', 'support', 'editor', 'finance'])
      expect(said(await setRole(person.publicId, role))).toBe('200')
    const subjects = (await roz.mailsTo(second.email)).map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject.includes('a change in the team'))).toHaveLength(7)
  })

  test('ends the open first approvals and requests of the person', async () => {
    const left = await addStaff(roz, address(), 'finance')
    const id = crypto.randomUUID()
    await roz.db.query(sql`
      insert into outlay (id, kind, amount_paise, purpose, needs_second, asked_by)
      values (${id}::uuid, 'platform_out', 1, 'office rent', true, ${left.memberId}::bigint)`)
    expect(said(await setRole(left.publicId, 'editor'))).toBe('200')
    const row = await roz.db.one<{ status: string; by: bigint }>(sql`select status, decided_by as by from outlay where id = ${id}::uuid`)
    expect(row).toEqual({ status: 'rejected', by: owner.memberId })
  })
})

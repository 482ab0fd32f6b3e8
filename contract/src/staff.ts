/** Calls of the team: invitations, roles, one's own account with its second factor, and the staff log. */
import { decisionReason } from '@roz/core/money-fields.ts'
import { name } from '@roz/core/name-fields.ts'
import { email, givenPassword } from '@roz/core/person-fields.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { secondFactor, staffPassword, totpCode } from '@roz/core/staff-fields.ts'
import { z } from 'zod'
import { endpoint, staffCall, tableCall } from './endpoint.ts'
import { signedInDevice } from './identity.ts'
import { passkeyCalls, passkeyRecord } from './passkeys.ts'
import { CONTROL, EVERYONE, OWNERS, STAFF_ROLES } from './roles.ts'
import { count, day, instant, messageAnswer, nextCursor, page, userAnswer } from './shapes.ts'

const staffRole = z.enum(STAFF_ROLES, 'choice_invalid')
const id = z.object({ id: z.string().max(100) })

const staffMember = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable().meta({ description: 'null after the removal' }),
  role: staffRole,
  totp: z.boolean().meta({ description: 'An authenticator app is set up' }),
  createdAt: instant,
  lastSignInAt: instant.nullable(),
  removedAt: instant.nullable(),
  asked: z
    .array(z.object({ what: z.enum(['role', 'removed', 'totp_reset']), role: staffRole.nullable(), by: z.string(), at: instant }))
    .meta({ description: 'Changes of this owner that another owner asked for and that wait. Empty after a change took effect' }),
})
const invitation = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: staffRole,
  invitedBy: z.string(),
  createdAt: instant,
  expiresAt: instant,
  expired: z.boolean(),
})
const staffAnswer = z.object({ staff: staffMember })
const narrowing = {
  status: z.enum(['current', 'former'], 'choice_invalid').optional().meta({ description: 'former: removed from the team' }),
  q: z.string().max(200).optional(),
}
const recoveryCodes = z.object({
  recoveryCodes: z.array(z.string()).meta({ description: 'Shown once. Each replaces a code of the app once' }),
})

const auditFilter = z.object({
  actor: z.string().max(100).optional().meta({ description: 'The id of a staff account, or `system`' }),
  action: z.string().max(100).optional().meta({ description: 'Thing and action: `staff.invite`' }),
  subject: z.string().max(254).optional().meta({ description: '`round:2026-11-21`, or the mail address of an account' }),
  from: day.optional(),
  to: day.optional().meta({ description: 'The last day, included' }),
})
const values = z.record(z.string(), z.unknown()).nullable()
const auditEntry = z.object({
  id: z.string(),
  at: instant,
  actor: z.object({ id: z.string(), name: z.string() }).nullable().meta({ description: 'null: the system' }),
  action: z.string(),
  subject: z.string(),
  subjectName: z.string().nullable().meta({ description: 'The name of the account, if the subject is one' }),
  before: values,
  after: values,
  from: z
    .object({ address: z.string(), browser: z.string().nullable(), system: z.string().nullable() })
    .nullable()
    .meta({ description: 'Network address and device of the acting session' }),
})

export const staffCalls = {
  ...passkeyCalls,
  staff: staffCall('GET /admin/staff', {
    roles: CONTROL,
    summary: 'The team, the newest first, former members included, and all open invitations; q searches name and mail of the team.',
    query: z.object({ ...page.shape, ...narrowing }),
    output: z.object({ staff: z.array(staffMember), invitations: z.array(invitation), nextCursor }),
    refusals: [],
  }),
  staffCsv: tableCall('/admin/staff.csv', 'The team without the invitations', { roles: CONTROL, query: z.object(narrowing) }),
  inviteStaff: staffCall('POST /admin/staff', {
    roles: OWNERS,
    stepUp: true,
    summary: 'Mails a link that works once within 24 hours. A second invitation of an address replaces the first.',
    body: z.strictObject({ name, email, role: staffRole }),
    output: z.object({ invitation }),
    status: 201,
    refusals: ['forbidden', 'member_address', 'staff_exists'],
  }),
  cancelInvitation: staffCall('POST /admin/invitations/{id}/cancel', {
    roles: OWNERS,
    stepUp: true,
    summary: 'Makes the link of an invitation invalid.',
    params: id,
    output: 'empty',
    status: 204,
    refusals: ['invitation_not_found'],
  }),
  acceptInvitation: endpoint('POST /admin/invitations/accept', {
    access: 'visitor',
    summary: 'Makes the staff account of an invitation, with a password of its own. It opens no session.',
    body: z.strictObject({ token: z.string('fill_all').min(1, 'fill_all').max(200, 'fill_all'), password: staffPassword }),
    output: messageAnswer,
    refusals: ['invitation_invalid', 'email_taken', 'too_many_requests'],
  }),
  changeStaffRole: staffCall('PUT /admin/staff/{id}', {
    roles: OWNERS,
    stepUp: true,
    summary:
      'Gives a staff account another role, from its next call on. One owner always remains. Taken from an owner by another owner it waits for a second one, or 48 hours.',
    params: id,
    body: z.strictObject({ role: staffRole }),
    output: staffAnswer,
    refusals: ['forbidden', 'staff_not_found', 'last_owner'],
  }),
  removeStaff: staffCall('POST /admin/staff/{id}/remove', {
    roles: OWNERS,
    stepUp: true,
    summary:
      'Ends a staff account and all its sessions; the staff log keeps its name. One owner always remains. The removal of an owner waits like a change of the role.',
    params: id,
    body: z.strictObject({ reason: decisionReason }),
    output: staffAnswer,
    refusals: ['forbidden', 'staff_not_found', 'last_owner'],
  }),
  resetStaffTotp: staffCall('POST /admin/staff/{id}/reset-totp', {
    roles: OWNERS,
    stepUp: true,
    summary:
      "Removes another person's authenticator app and passkeys after a lost phone or key, and ends their sessions. Of an owner it waits like a change of the role.",
    params: id,
    body: z.strictObject({ reason: decisionReason }),
    output: staffAnswer,
    refusals: ['forbidden', 'staff_not_found', 'totp_not_enrolled', 'own_totp'],
  }),
  stopStaffChange: staffCall('POST /admin/staff/{id}/stop', {
    roles: OWNERS,
    stepUp: true,
    summary:
      'Stops the changes of an owner that wait. The owner whom they are about may stop them only where no second owner could confirm them.',
    params: id,
    output: staffAnswer,
    refusals: ['forbidden', 'staff_not_found'],
  }),
  staffAccount: staffCall('GET /admin/account', {
    roles: EVERYONE,
    beforeTotp: true,
    summary: "The caller's account: its authenticator app, its passkeys, and the devices on which it is logged in.",
    output: z.object({
      totp: z.object({
        enrolledAt: instant.nullable(),
        required: z.boolean().meta({ description: 'This role must set it up before any other call' }),
        recoveryCodesLeft: count,
        passkeysOnly: z.boolean().meta({ description: 'Codes of the app neither log in nor step up' }),
      }),
      passkeys: z.array(passkeyRecord),
      sessions: z.array(signedInDevice.extend({ isThis: z.boolean() })),
    }),
    refusals: [],
  }),
  updateStaffAccount: staffCall('PUT /admin/account', {
    roles: EVERYONE,
    summary: "Changes the caller's name or the language of mails. A field left out is not changed.",
    body: z.strictObject({ name: z.optional(name), language: z.enum(LANGUAGES, 'choice_invalid').optional() }),
    output: userAnswer,
    refusals: [],
  }),
  changeStaffPassword: staffCall('POST /admin/account/password', {
    roles: EVERYONE,
    summary: 'Sets a new password of one’s own and logs the account out on every other device.',
    body: z.strictObject({ currentPassword: givenPassword, newPassword: staffPassword }),
    output: z.object({ ended: count }),
    refusals: ['wrong_password', 'too_many_requests'],
  }),
  endOtherStaffSessions: staffCall('POST /admin/account/end-others', {
    roles: EVERYONE,
    summary: 'Logs the own account out on every other device.',
    output: z.object({ ended: count }),
    refusals: [],
  }),
  startTotp: staffCall('POST /admin/totp', {
    roles: EVERYONE,
    stepUp: true,
    beforeTotp: true,
    summary:
      'Makes a secret for an authenticator app (RFC 6238: SHA-1, 6 digits, 30 s). The secret takes effect when one of its codes is confirmed.',
    output: z.object({ uri: z.string().meta({ description: 'otpauth://totp/…, for a QR code' }), secret: z.string() }),
    refusals: ['totp_enrolled'],
  }),
  confirmTotp: staffCall('POST /admin/totp/confirm', {
    roles: EVERYONE,
    beforeTotp: true,
    summary: 'Turns the authenticator app on by one of its codes, and returns the recovery codes once.',
    body: z.strictObject({ totp: totpCode }),
    output: recoveryCodes,
    refusals: ['wrong_code', 'totp_not_started', 'totp_enrolled', 'too_many_requests'],
  }),
  newRecoveryCodes: staffCall('POST /admin/totp/recovery-codes', {
    roles: EVERYONE,
    summary: 'New recovery codes in place of the old ones.',
    body: z.strictObject({ totp: secondFactor }),
    output: recoveryCodes,
    refusals: ['wrong_code', 'totp_not_enrolled', 'too_many_requests'],
  }),
  disableTotp: staffCall('POST /admin/totp/disable', {
    roles: EVERYONE,
    summary: 'Removes the own authenticator app with its recovery codes and passkeys, by password and code.',
    body: z.strictObject({ password: givenPassword, totp: secondFactor }),
    output: 'empty',
    status: 204,
    refusals: ['wrong_password', 'wrong_code', 'totp_not_enrolled', 'too_many_requests'],
  }),
  adminAudit: staffCall('GET /admin/audit', {
    roles: CONTROL,
    summary: 'The staff log of staff and system, newest first, by actor, action, subject and days.',
    query: z.object({ ...page.shape, ...auditFilter.shape }),
    output: z.object({ audit: z.array(auditEntry), actions: z.array(z.string()), nextCursor }),
    refusals: [],
  }),
  adminAuditCsv: tableCall('/admin/audit.csv', 'The staff log', { roles: CONTROL, query: auditFilter }),
} as const

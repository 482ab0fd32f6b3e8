/** Calls of registration, login and the member's own record. */
import { isText, registration, ticketKey as ticketKeyField } from '@roz/core/fields.ts'
import { name } from '@roz/core/name-fields.ts'
import { email, givenPassword, newPassword, PASSWORD_MAX, phone } from '@roz/core/person-fields.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { REMINDER_TIMES } from '@roz/core/reminder.ts'
import { secondFactor } from '@roz/core/staff-fields.ts'
import { z } from 'zod'
import { endpoint, staffCall } from './endpoint.ts'
import { passkeyAnswer, passkeyRequest } from './passkeys.ts'
import { EVERYONE } from './roles.ts'
import { count, day, instant, messageAnswer, newer, openedAnswer, signedIn, user, userAnswer } from './shapes.ts'

/** A token that is no text is treated as unknown and not as a malformed field. */
const unknownUnlessText = (token: string): string => (isText(token) ? token : '')
/** Why a password alone is not enough, or what came with it is wrong. */
const SECOND_FACTOR = ['code_required', 'wrong_code', 'passkey_required', 'passkeys_only', 'wrong_passkey', 'too_many_requests'] as const
const token = z.string('fill_all').max(8192, 'fill_all').overwrite(unknownUnlessText)
const queryToken = z.string().overwrite(unknownUnlessText)

/** The handler judges the length: only the link says whether the account is one of the staff, whose passwords are longer. */
const resetPassword = z.string('fill_all').min(1, 'fill_all').max(PASSWORD_MAX, 'password_long')

/** A session as its owner sees it: the device that opened it. */
export const signedInDevice = z.object({
  browser: z.string().nullable().meta({ description: 'Name of the browser as its maker writes it; null if unknown' }),
  system: z.string().nullable(),
  signedInAt: instant,
  lastUsedAt: instant.meta({ description: 'To the minute' }),
})

export const identityCalls = {
  register: endpoint('POST /auth/register', {
    access: 'visitor',
    summary: 'Opens an account and sends the verification mail.',
    body: z.strictObject(registration),
    output: signedIn,
    status: 201,
    refusals: ['email_taken', 'too_many_requests'],
  }),
  login: endpoint('POST /auth/login', {
    access: 'visitor',
    summary: "Opens a member's session.",
    body: z.strictObject({ email: z.string('fill_all').min(1, 'fill_all').max(1024, 'fill_all'), password: givenPassword }),
    output: signedIn,
    refusals: ['invalid_credentials', 'staff_portal', 'too_many_requests'],
  }),
  google: endpoint('POST /auth/google', {
    access: 'visitor',
    summary: "Opens a member's session by a Google ID token, once; `nonce` is the secret whose SHA-256 is in the token, if there is one.",
    body: z.strictObject({ token, nonce: z.string('wrong_type').max(200, 'wrong_type').optional() }),
    output: signedIn,
    refusals: ['google_failed', 'google_other_account', 'google_not_configured', 'staff_portal', 'too_many_requests'],
  }),
  googleNonce: endpoint('GET /auth/google/nonce', {
    access: 'visitor',
    summary: 'A secret for a page with the button of Google: the page gives `claim` to Google and sends `nonce` with the token.',
    output: z.object({
      nonce: z.string(),
      claim: z.string().meta({ description: 'SHA-256 of the nonce, base64url' }),
      lastsSeconds: z.number(),
    }),
    refusals: ['google_not_configured'],
  }),
  me: endpoint('GET /auth/me', {
    access: 'session',
    summary: 'The account of this session, and the announcements that run now.',
    output: openedAnswer,
    refusals: [],
  }),
  verifyEmail: endpoint('GET /auth/verify-email', {
    access: 'visitor',
    summary: 'Confirms a mail address; answers ok again within 24 hours.',
    query: z.object({ token: z.union([queryToken, z.array(queryToken)]).optional() }),
    output: 'text',
    refusals: ['verification_token_invalid', 'verification_token_expired'],
  }),
  resendVerification: endpoint('POST /auth/resend-verification', {
    access: 'member',
    summary: 'Sends the verification mail again: the first time at once, then once a minute.',
    output: messageAnswer,
    refusals: ['already_verified', 'too_many_requests'],
  }),
  changeAddress: endpoint('POST /user/email', {
    access: 'member',
    summary: 'Corrects a mail address that is not confirmed yet: the old links die, and the new address gets a link.',
    body: z.strictObject({ email, currentPassword: givenPassword }),
    output: userAnswer,
    refusals: ['already_verified', 'wrong_password', 'email_taken', 'on_hold', 'account_checked', 'too_many_requests'],
  }),
  forgotPassword: endpoint('POST /auth/forgot-password', {
    access: 'visitor',
    summary: 'Sends a reset link if the address is known; the answer is always the same.',
    body: z.strictObject({ email }),
    output: messageAnswer,
    refusals: ['too_many_requests'],
  }),
  resetPassword: endpoint('POST /auth/reset-password', {
    access: 'visitor',
    summary: 'Sets a new password by a reset link; every session ends and the mail counts as confirmed.',
    body: z.strictObject({ token, password: resetPassword }),
    output: messageAnswer,
    refusals: ['reset_token_invalid', 'too_many_requests'],
  }),
  notMe: endpoint('POST /auth/not-me', {
    access: 'visitor',
    summary:
      '"This was not me", by the link of a mail: ends sessions, password, Google link and mailed links, holds withdrawals, mails a reset link; a repeat does nothing.',
    body: z.strictObject({ token }),
    output: messageAnswer,
    refusals: ['alert_link_invalid', 'too_many_requests'],
  }),
  logout: endpoint('POST /auth/logout', {
    access: 'session',
    summary: 'Ends this session.',
    output: 'empty',
    status: 204,
    refusals: [],
  }),
  adminLogin: endpoint('POST /admin/login', {
    access: 'visitor',
    summary:
      "Opens an administrator's session; the only call that makes one. `totp` is a code of the app or a recovery code, `passkey` the answer of a passkey, where one is set up.",
    body: z.strictObject({
      email: z.string('fill_all').min(1, 'fill_all').max(1024, 'fill_all'),
      password: givenPassword,
      totp: z.optional(secondFactor),
      passkey: z.optional(passkeyAnswer),
    }),
    output: signedIn,
    refusals: ['invalid_credentials', ...SECOND_FACTOR],
  }),
  askLoginPasskey: endpoint('POST /admin/login/passkey', {
    access: 'visitor',
    summary:
      'After the right password: what the browser needs to use a passkey of the account for the login (WebAuthn), once within five minutes.',
    body: z.strictObject({ email: z.string('fill_all').min(1, 'fill_all').max(1024, 'fill_all'), password: givenPassword }),
    output: z.object({ publicKey: passkeyRequest }),
    refusals: ['invalid_credentials', 'no_passkey', 'too_many_requests'],
  }),
  stepUp: staffCall('POST /admin/step-up', {
    roles: EVERYONE,
    beforeTotp: true,
    summary:
      'Checks the code of the authenticator app or a passkey, or without an app the password: for ten minutes this session may move money. A login counts as a step-up.',
    body: z.strictObject({ password: z.optional(givenPassword), totp: z.optional(secondFactor), passkey: z.optional(passkeyAnswer) }),
    output: z.object({ until: instant }),
    refusals: ['unauthenticated', 'wrong_password', ...SECOND_FACTOR],
  }),
  profile: endpoint('GET /user/me', {
    access: 'member',
    summary: "The member's own record.",
    output: userAnswer,
    refusals: [],
  }),
  updateProfile: endpoint('PUT /user', {
    access: 'member',
    summary: 'Changes name, phone, Auto Participate, passing on, the evening reminder, public name or language; fields left out stay.',
    body: z.strictObject({
      name: z.optional(name),
      phone: z.optional(phone),
      autoParticipate: z.boolean('wrong_type').optional(),
      passOn: z.boolean('wrong_type').optional(),
      reminder: z.enum(REMINDER_TIMES, 'choice_invalid').nullable().optional(),
      publicName: z.enum(['initial', 'anonymous'], 'choice_invalid').optional(),
      language: z.enum(LANGUAGES, 'choice_invalid').optional(),
    }),
    output: z.object({ user: newer(user) }),
    refusals: [],
  }),
  uploadAvatar: endpoint('POST /user/avatar', {
    access: 'member',
    summary: 'Stores a picture of at most 24 megapixels as a square WebP of at most 512 px, without its metadata.',
    upload: { field: 'avatar', bytesMax: 5 * 1024 * 1024 },
    output: z.object({ avatarUrl: z.string() }),
    refusals: [
      'avatar_not_image',
      'avatar_too_large',
      'picture_heic',
      'picture_pixels',
      'invalid_input',
      'unsupported_media_type',
      'too_many_requests',
    ],
  }),
  changePassword: endpoint('POST /user/password', {
    access: 'member',
    summary: 'Sets a new password; every other session ends and the answer contains a new token.',
    body: z.strictObject({ currentPassword: givenPassword, newPassword }),
    output: signedIn,
    refusals: ['wrong_password', 'too_many_requests'],
  }),
  sessions: endpoint('GET /user/sessions', {
    access: 'member',
    summary: 'The devices on which the member is logged in, the last used first.',
    output: z.object({ sessions: z.array(signedInDevice.extend({ isThis: z.boolean() })) }),
    refusals: [],
  }),
  endOtherSessions: endpoint('POST /user/sessions/end-others', {
    access: 'member',
    summary: 'Logs the member out on every other device.',
    output: z.object({ ended: count }),
    refusals: [],
  }),
  ticketKey: endpoint('GET /user/ticket-key', {
    access: 'member',
    summary:
      'The key of the member’s tickets on a day (by default today), for another device of the member; null if there is none, or none that can be read.',
    query: z.object({ day: day.optional() }),
    output: z.object({ key: z.string().nullable(), custodial: z.boolean() }),
    refusals: [],
  }),
  setTicketKey: endpoint('PUT /user/ticket-key', {
    access: 'member',
    summary: 'Stores a new ticket key: at once before the first join, from the next day after it.',
    body: z.strictObject({ ticketKey: ticketKeyField }),
    output: z.object({ key: z.string(), custodial: z.boolean() }),
    refusals: ['ticket_key_taken'],
  }),
} as const

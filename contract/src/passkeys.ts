/** Calls of the passkeys of staff. Options and answers have the JSON of WebAuthn, level 3; an answer has only what the server checks. */
import { passkeyName, totpCode } from '@roz/core/staff-fields.ts'
import { z } from 'zod'
import { staffCall } from './endpoint.ts'
import { EVERYONE } from './roles.ts'
import { instant } from './shapes.ts'

const bytes = (max: number) =>
  z
    .string('wrong_type')
    .max(max, 'wrong_type')
    .regex(/^[\w-]+$/, 'wrong_type')
const id = bytes(1364)
const clientDataJSON = bytes(4096)

/** The answer of a passkey to a challenge, in base64url. */
export const passkeyAnswer = z.object({
  id,
  response: z.object({ clientDataJSON, authenticatorData: bytes(4096), signature: bytes(4096) }),
})
const newPasskey = z.object({ id, response: z.object({ clientDataJSON, attestationObject: bytes(16_384) }) })

const descriptor = z.object({ type: z.literal('public-key'), id: z.string() })
export const passkeyRequest = z
  .object({
    challenge: z.string(),
    timeout: z.number(),
    rpId: z.string(),
    allowCredentials: z.array(descriptor),
    userVerification: z.literal('required'),
  })
  .meta({ description: 'PublicKeyCredentialRequestOptionsJSON' })
const passkeyCreation = z
  .object({
    challenge: z.string(),
    timeout: z.number(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number() })),
    excludeCredentials: z.array(descriptor),
    authenticatorSelection: z.object({ residentKey: z.literal('discouraged'), userVerification: z.literal('required') }),
    attestation: z.literal('none'),
  })
  .meta({ description: 'PublicKeyCredentialCreationOptionsJSON' })
export const passkeyRecord = z.object({ id: z.string(), name: z.string(), addedAt: instant, usedAt: instant.nullable() })

export const passkeyCalls = {
  startPasskey: staffCall('POST /admin/passkeys/start', {
    roles: EVERYONE,
    summary: 'After a code of the app: what the browser needs to make a passkey (WebAuthn), once within five minutes and in this session.',
    body: z.strictObject({ totp: totpCode }),
    output: z.object({ publicKey: passkeyCreation }),
    refusals: ['wrong_code', 'totp_not_enrolled', 'passkeys_full', 'too_many_requests'],
  }),
  addPasskey: staffCall('POST /admin/passkeys', {
    roles: EVERYONE,
    summary: 'Adds the passkey that the browser made. The authenticator must have verified its person.',
    body: z.strictObject({ name: passkeyName, credential: newPasskey }),
    output: z.object({ passkey: passkeyRecord }),
    status: 201,
    refusals: ['wrong_passkey', 'passkeys_full'],
  }),
  removePasskey: staffCall('POST /admin/passkeys/{id}/remove', {
    roles: EVERYONE,
    stepUp: true,
    summary: 'Removes one of the own passkeys. Without any, codes of the app log in again.',
    params: z.object({ id: z.string().max(100) }),
    output: 'empty',
    status: 204,
    refusals: ['passkey_not_found'],
  }),
  setPasskeysOnly: staffCall('PUT /admin/passkeys/only', {
    roles: EVERYONE,
    stepUp: true,
    summary: 'Whether codes of the app are refused at the own login and step-up. Passkeys and recovery codes are always accepted.',
    body: z.strictObject({ only: z.boolean('wrong_type') }),
    output: 'empty',
    status: 204,
    refusals: ['no_passkey'],
  }),
  askPasskey: staffCall('POST /admin/passkeys/ask', {
    roles: EVERYONE,
    summary:
      'What the browser needs to use one of the own passkeys for a step-up (WebAuthn), once within five minutes and in this session.',
    output: z.object({ publicKey: passkeyRequest }),
    refusals: ['no_passkey'],
  }),
} as const

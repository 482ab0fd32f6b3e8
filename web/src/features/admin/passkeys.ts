/** Passkeys in the browser (WebAuthn): the options of the server become bytes, and the browser's answer becomes text. */
import type { Api, Input, Output } from '@roz/contract/api.ts'
import { call } from '../../app/api.ts'

type Creation = Output<Api['startPasskey']>['publicKey']
type Request = Output<Api['askPasskey']>['publicKey']
export type PasskeyAnswer = NonNullable<Input<Api['stepUp']>['body']['passkey']>

export const knowsPasskeys = (): boolean => 'PublicKeyCredential' in globalThis

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const listed = (keys: Request['allowCredentials']) => keys.map(({ type, id }) => ({ type, id: bytesOf(id) }))

/** Asks the person to use a passkey; rejects where they cancel. */
export async function signWithPasskey(options: Request): Promise<PasskeyAnswer> {
  const publicKey = { ...options, challenge: bytesOf(options.challenge), allowCredentials: listed(options.allowCredentials) }
  const { rawId, response } = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
  const { clientDataJSON, authenticatorData, signature } = response as AuthenticatorAssertionResponse
  return {
    id: textOf(rawId),
    response: {
      clientDataJSON: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
    },
  }
}

/** Asks the person to make a passkey; rejects where they cancel. */
export async function makePasskey(options: Creation): Promise<Input<Api['addPasskey']>['body']['credential']> {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: listed(options.excludeCredentials),
  }
  const { rawId, response } = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
  const { clientDataJSON, attestationObject } = response as AuthenticatorAttestationResponse
  return { id: textOf(rawId), response: { clientDataJSON: textOf(clientDataJSON), attestationObject: textOf(attestationObject) } }
}

export async function stepUpByPasskey(): Promise<void> {
  const { publicKey } = await call('askPasskey')
  await call('stepUp', { body: { passkey: await signWithPasskey(publicKey) } })
}

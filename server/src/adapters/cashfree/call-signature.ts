/** `x-cf-signature`: client id and time in seconds, encrypted for the gateway; valid for ten minutes. */
import { constants, publicEncrypt } from 'node:crypto'
import type { ApiConfig } from './calls.ts'

export type SignedConfig = ApiConfig & {
  /** PEM. With it each call is signed, which the gateway requires from addresses that are not on its list. */
  readonly publicKey?: string | undefined
  readonly nowMs: () => number
}

export function callSignature({ publicKey, clientId, nowMs }: SignedConfig): Readonly<Record<string, string>> {
  if (publicKey === undefined) return {}
  const text = Buffer.from(`${clientId}.${Math.floor(nowMs() / 1000)}`)
  const sealed = publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }, text)
  return { 'x-cf-signature': sealed.toString('base64') }
}

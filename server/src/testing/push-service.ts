/**
 * A test push service over TLS on its own port, together with the browsers behind it.
 * - Each message is verified by RFC 8292 and decrypted as a browser would, with the keys of its subscription.
 * - The code is written from the RFCs and shares nothing with the library that sends.
 */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { closeServer, listen } from './listening.ts'

/** Key only for localhost, made for these tests and used nowhere else. */
export const PUSH_SERVICE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQ2j9Hawrqgu3uoZ6
OyqRBTR4+cK2DLJvFI5qr2/X9lahRANCAATWKUeAe+gnHOY4BPpv9BfNc9bxbDmr
kl5x4REjzZwrbybrQhNCVrtYAaK7smmjHsaB3YnNhNVfO381lH4XI9rI
-----END PRIVATE KEY-----
`
export const PUSH_SERVICE_CA = `-----BEGIN CERTIFICATE-----
MIIBvDCCAWGgAwIBAgIUDAZuKDhV3CHKAE22zei/5m3NnkUwCgYIKoZIzj0EAwIw
JDEiMCAGA1UEAwwZcHVzaCBzZXJ2aWNlIG9mIHRoZSB0ZXN0czAgFw0yNjExMjEx
ODM3MjRaGA8yMTI2MTAyODE4MzcyNFowJDEiMCAGA1UEAwwZcHVzaCBzZXJ2aWNl
IG9mIHRoZSB0ZXN0czBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNYpR4B76Ccc
5jgE+m/0F81z1vFsOauSXnHhESPNnCtvJutCE0JWu1gBoruyaaMexoHdic2E1V87
fzWUfhcj2sijbzBtMB0GA1UdDgQWBBTrW0YSB7hhnvewhjH6lG5HyIyJkjAfBgNV
HSMEGDAWgBTrW0YSB7hhnvewhjH6lG5HyIyJkjAPBgNVHRMBAf8EBTADAQH/MBoG
A1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAKBggqhkjOPQQDAgNJADBGAiEA13eS
2Cb66UniUHFlx1rIWFHYbV6JaLcmIpRjTzj+3oACIQCZ4dxyEmzN5Mim7DJY4uni
eGOEN+q+972jX6fGUlnwGg==
-----END CERTIFICATE-----
`

/** Makes this process trust the certificate; other processes use NODE_EXTRA_CA_CERTS. */
export const trustPushService = (): void => setDefaultCACertificates([...getCACertificates('default'), PUSH_SERVICE_CA])

type Reader = { readonly privateKey: Buffer; readonly auth: Buffer }

/** Decrypts one record by RFC 8291 and RFC 8188; throws if a byte was changed. */
function readPush(body: Buffer, { privateKey, auth }: Reader): Buffer {
  const [salt, idLength] = [body.subarray(0, 16), body.readUInt8(20)]
  const sender = body.subarray(21, 21 + idLength)
  const record = body.subarray(21 + idLength)
  if (record.length > body.readUInt32BE(16)) throw new Error('more than one record')
  const own = createECDH('prime256v1')
  own.setPrivateKey(privateKey)
  const secret = own.computeSecret(sender)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender])
  const ikm = Buffer.from(hkdfSync('sha256', secret, auth, info, 32))
  const derive = (what: string, length: number): Buffer => Buffer.from(hkdfSync('sha256', ikm, salt, `Content-Encoding: ${what}\0`, length))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12)).setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = padded.findLastIndex((byte) => byte !== 0)
  if (padded[end] !== 2) throw new Error('not the last record')
  return padded.subarray(0, end)
}

/** The key that signed a request; throws if the request violates RFC 8292. */
function signerOf(request: IncomingMessage, origin: string): Buffer {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(request.headers.authorization ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const part = (from: number): string => point.subarray(from, from + 32).toString('base64url')
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) } })
  const signed = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature, 'base64url'))) throw new Error('a wrong signature')
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
  const aheadSeconds = Number(exp) - Date.now() / 1000
  if (aud !== origin || !(aheadSeconds > 0 && aheadSeconds <= 86_400)) throw new Error('a token for somebody else, or too long')
  if (!/^(mailto:\S+@\S+|https:\/\/\S+)$/.test(String(sub))) throw new Error('nobody to write to')
  return point
}

type Arrived = {
  readonly text: string
  readonly signer: string
  readonly ttl: number
  readonly topic: string
  readonly bytes: number
}
export type TestBrowser = {
  readonly subscription: { readonly endpoint: string; readonly keys: { readonly p256dh: string; readonly auth: string } }
  /** All messages that the service accepted for this browser. */
  readonly arrived: Arrived[]
  /** Number of requests for this browser, accepted or not. */
  asked: number
  /** The service's next answers instead of 201; `hang` never answers. */
  answers: ({ readonly status: number; readonly headers?: Readonly<Record<string, string>> } | 'hang')[]
}
export type PushService = Awaited<ReturnType<typeof startPushService>>

export async function startPushService() {
  const browsers = new Map<string, TestBrowser & Reader>()
  const problems: string[] = []
  const server = createServer({ key: PUSH_SERVICE_KEY, cert: PUSH_SERVICE_CA }, (request, response) => {
    take(request, response).catch((error: unknown) => {
      problems.push(String(error))
      response.writeHead(400).end()
    })
  })
  const host = `localhost:${new URL(await listen(server)).port}`

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const browser = browsers.get(request.url ?? '')
    if (browser === undefined) return void response.writeHead(404).end()
    const body = await buffer(request)
    browser.asked++
    const answer = browser.answers.shift()
    if (answer === 'hang') return
    if (answer !== undefined) return void response.writeHead(answer.status, answer.headers).end('x'.repeat(100_000))
    const { ttl, topic = '', 'content-encoding': encoding } = request.headers
    if (request.method !== 'POST' || encoding !== 'aes128gcm' || !/^\d+$/.test(String(ttl))) throw new Error('not as RFC 8030 wants it')
    const signer = signerOf(request, `https://${host}`).toString('base64url')
    browser.arrived.push({ text: readPush(body, browser).toString(), signer, ttl: Number(ttl), topic: String(topic), bytes: body.length })
    response.writeHead(201, { location: `https://${host}/message` }).end()
  }

  return {
    /** Host and port as in PUSH_HOSTS. */
    host,
    /** Errors of requests that violate the RFCs. */
    problems,
    newBrowser(): TestBrowser {
      const keys = createECDH('prime256v1')
      const p256dh = keys.generateKeys('base64url')
      const auth = randomBytes(16)
      const path = `/wpush/${randomBytes(12).toString('base64url')}`
      const subscription = { endpoint: `https://${host}${path}`, keys: { p256dh, auth: auth.toString('base64url') } }
      const browser = { subscription, arrived: [], asked: 0, answers: [], privateKey: keys.getPrivateKey(), auth }
      browsers.set(path, browser)
      return browser
    },
    close: () => closeServer(server),
  }
}

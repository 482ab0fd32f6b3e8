/**
 * An S3-compatible server with an empty bucket, in memory.
 * - It checks the signature of every request (AWS Signature Version 4) by the text of that specification, without the library that
 *   signs, and the SHA-256 of the body.
 * - The bucket is named by the path or by the host, as the server is asked.
 */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { S3Place } from '../adapters/storage/s3.ts'

type S3Server = {
  readonly place: S3Place
  /** The names of all files below the prefix. */
  readonly names: () => readonly string[]
  readonly stop: () => Promise<void>
  /** Answers again on the same port, with the files of before. */
  readonly goAway: () => Promise<void>
  readonly comeBack: () => Promise<void>
}
type File = { readonly bytes: Buffer; readonly contentType: string }
type Keys = Pick<S3Place, 'accessKeyId' | 'secretAccessKey' | 'sessionToken' | 'region'>

const BUCKET = 'roz-files'
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

export async function startS3Server(keys: Partial<Keys> = {}): Promise<S3Server> {
  const all: Keys = { accessKeyId: 'KEY', secretAccessKey: 'the secret', sessionToken: undefined, region: 'us-east-1', ...keys }
  const files = new Map<string, File>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bytes = await buffer(request)
    const fault = faultOf(request, bytes, all)
    const { bucket, key } = placeOf(request)
    if (fault !== undefined) refuse(response, 403, fault)
    else if (bucket !== BUCKET) refuse(response, 404, 'NoSuchBucket')
    else serve(request, response, { files, key, bytes })
  }
  const start = async (port: number): Promise<Server> => {
    const server = createServer((request, response) => void answer(request, response))
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return server
  }
  const close = (server: Server): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  let server = await start(0)
  const { port } = server.address() as AddressInfo
  const place: S3Place = { kind: 's3', endpoint: `http://127.0.0.1:${port}`, bucket: BUCKET, isByHost: false, prefix: 'uploads/', ...all }
  return {
    place,
    names: () => [...files.keys()].map((name) => name.replace(place.prefix, '')).toSorted(),
    stop: () => close(server),
    goAway: () => close(server),
    comeBack: async () => {
      server = await start(port)
    },
  }
}

/** The address of STORAGE_URL for this place. */
export const storageUrlOf = ({ bucket, prefix, endpoint, region }: S3Place): string =>
  `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&region=${region}`

function placeOf(request: IncomingMessage): { readonly bucket: string; readonly key: string } {
  const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '').slice(1)
  const [name = '', ...labels] = (request.headers.host ?? '').split('.')
  if (labels[0] === 'localhost') return { bucket: name, key: path }
  const [bucket = '', ...key] = path.split('/')
  return { bucket, key: key.join('/') }
}

function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { files, key, bytes }: { readonly files: Map<string, File>; readonly key: string; readonly bytes: Buffer },
): void {
  const found = files.get(key)
  if (request.method === 'PUT') files.set(key, { bytes, contentType: String(request.headers['content-type']) })
  if (request.method === 'DELETE') files.delete(key)
  if (request.method !== 'GET') response.writeHead(request.method === 'PUT' ? 200 : 204).end()
  else if (found === undefined) refuse(response, 404, 'NoSuchKey')
  else response.writeHead(200, { 'content-type': found.contentType }).end(found.bytes)
}

const refuse = (response: ServerResponse, status: number, code: string): void =>
  void response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`)

/** The code of S3's refusal of a request that is not signed by these keys. */
function faultOf(request: IncomingMessage, bytes: Buffer, keys: Keys): string | undefined {
  const [, id, date = '', scope = '', names = '', signature] =
    /Credential=([^/]+)\/(\d{8})(\/[^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(request.headers.authorization ?? '') ?? []
  if (id !== keys.accessKeyId) return 'InvalidAccessKeyId'
  if (request.headers['x-amz-security-token'] !== keys.sessionToken) return 'InvalidToken'
  const hash = sha256(bytes)
  if (request.headers['x-amz-content-sha256'] !== hash) return 'XAmzContentSHA256Mismatch'
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name])}\n`)
  const canonical = [request.method, path, query.split('&').toSorted().join('&'), headers.join(''), names, hash].join('\n')
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const key = [keys.region, 's3', 'aws4_request'].reduce(
    (last: Buffer, part) => hmac(last, part),
    hmac(`AWS4${keys.secretAccessKey}`, date),
  )
  const signed = `AWS4-HMAC-SHA256\n${String(request.headers['x-amz-date'])}\n${date}${scope}\n${sha256(canonical)}`
  return hmac(key, signed).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}

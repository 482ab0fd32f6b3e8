/**
 * Files in a bucket of an S3-compatible store (STORAGE_URL=s3://bucket/prefix?endpoint=…&region=…).
 * - Requests address the bucket by path, or by host with `&style=host`; they carry the SHA-256 of their body, and are signed (AWS Signature Version 4).
 * - An answer of 500 and above is asked again twice; a store that still fails, or refuses our keys, is unavailable.
 */
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { UnavailableError } from '../../http/faults.ts'
import { inSpan } from '../../tracing/spans.ts'
import { CONTENT_TYPE, isStoredName, type KeepingStorage, puttingBy } from './port.ts'

export type S3Place = {
  readonly kind: 's3'
  readonly endpoint: string
  readonly bucket: string
  /** True: `https://bucket.endpoint/`, which Amazon prefers. False: `https://endpoint/bucket/`. */
  readonly isByHost: boolean
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary keys. */
  readonly sessionToken: string | undefined
}
type Ask = {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly name: string
  readonly bytes?: Buffer
  readonly endMs?: number
}
export type S3Times = { readonly timeoutMs?: number; readonly findMs?: number }

const TIMEOUT_MS = 10_000
/** A page waits for its picture. */
const FIND_MS = 3000
const RETRIES = 2

export function createS3Storage(place: S3Place, { timeoutMs = TIMEOUT_MS, findMs = FIND_MS }: S3Times = {}): KeepingStorage {
  const { accessKeyId, secretAccessKey, sessionToken, region } = place
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
  const client = new AwsClient({ ...keys, region, service: 's3', retries: RETRIES, initRetryMs: 100 })
  const root = place.isByHost ? place.endpoint.replace('://', `://${place.bucket}.`) : `${place.endpoint}/${place.bucket}`

  /** The response; 404 means that the file is missing. */
  async function ask({ method, name, bytes, endMs = timeoutMs }: Ask): Promise<Response> {
    const address = `${root}/${place.prefix}${name}`
    const body = bytes === undefined ? {} : { body: new Uint8Array(bytes) }
    const headers = {
      'x-amz-content-sha256': createHash('sha256')
        .update(bytes ?? '')
        .digest('hex'),
      ...(bytes === undefined ? {} : { 'content-type': CONTENT_TYPE }),
    }
    const response = await inSpan({ name: `file store ${method}`, kind: 'client' }, () =>
      client.fetch(address, { method, headers, signal: AbortSignal.timeout(endMs), ...body }),
    ).catch((error: unknown) => {
      throw new UnavailableError('the file store does not answer', { cause: error })
    })
    if (response.ok) return response
    const text = await response.text()
    const code = /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1]
    if (response.status === 404 && code !== 'NoSuchBucket') return response
    throw new UnavailableError(`the file store answered ${response.status}${code === undefined ? '' : ` ${code}`}`)
  }

  const keep: KeepingStorage['keep'] = async (name, bytes) => {
    if (!isStoredName(name)) throw new Error('not the name of a stored file')
    const { status } = await ask({ method: 'PUT', name, bytes })
    if (status === 404) throw new UnavailableError('the file store took no file')
  }
  return {
    keep,
    put: puttingBy(keep),
    find: async (name) => {
      if (!isStoredName(name)) return undefined
      const response = await ask({ method: 'GET', name, endMs: findMs })
      return response.ok ? { bytes: await bytesOf(response), contentType: CONTENT_TYPE } : undefined
    },
    remove: async (name) => {
      if (isStoredName(name)) await ask({ method: 'DELETE', name })
    },
  }
}

/** A connection that breaks within a file is a store that is down. */
const bytesOf = async (response: Response): Promise<Buffer> => {
  try {
    return Buffer.from(await response.arrayBuffer())
  } catch (error) {
    throw new UnavailableError('the file store broke off', { cause: error })
  }
}

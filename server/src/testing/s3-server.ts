/**
 * An S3-compatible server with an empty bucket, in a temporary folder.
 * - It checks the key but not the signature, and cannot page a list: storage.test.ts tests both by other means.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { MovableStorage } from '../adapters/storage/port.ts'
import type { S3Place } from '../adapters/storage/s3.ts'

export type S3Server = {
  readonly place: S3Place
  readonly stop: () => Promise<void>
  /** Answers again on the same port, with the files of before. */
  readonly goAway: () => Promise<void>
  readonly comeBack: () => Promise<void>
}
type Running = { readonly run: () => Promise<{ readonly port: number }>; readonly close: () => Promise<void> }
// The package has no types.
const Server = createRequire(import.meta.url)('s3rver') as new (options: object) => Running

export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(path.join(tmpdir(), 'roz-s3-'))
  const start = async (port: number): Promise<{ readonly server: Running; readonly port: number }> => {
    const server = new Server({
      address: '127.0.0.1',
      port,
      silent: true,
      directory,
      configureBuckets: [{ name: 'roz-files', configs: [] }],
    })
    return { server, port: (await server.run()).port }
  }
  let running = await start(0)
  const { port } = running
  return {
    place: {
      kind: 's3',
      endpoint: `http://127.0.0.1:${port}`,
      bucket: 'roz-files',
      prefix: 'uploads/',
      region: 'us-east-1',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
    },
    stop: async () => {
      await running.server.close()
      await rm(directory, { recursive: true, force: true })
    },
    goAway: () => running.server.close(),
    comeBack: async () => {
      running = await start(port)
    },
  }
}

/** The address of STORAGE_URL for this place. */
export const storageUrlOf = ({ bucket, prefix, endpoint, region }: S3Place): string =>
  `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&region=${region}`

export async function namesIn(storage: Pick<MovableStorage, 'list'>): Promise<string[]> {
  const names: string[] = []
  for await (const name of storage.list()) names.push(name)
  return names.toSorted()
}

/**
 * Serves the build's hashed files, cached for ever, with the brotli copy made at build.
 *
 * - Only files that were in the folder at the start are served, so no address reaches another path.
 */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { etagOf } from '../../http/etag.ts'
import { type Body, sendBody } from './bodies.ts'
import { WORKER_POLICY } from './policy.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.wasm': 'application/wasm',
}

async function load(folder: string): Promise<Map<string, Body>> {
  const names = await readdir(folder)
  const files = new Map<string, Body>()
  for (const name of names.filter((one) => TYPES[path.extname(one)] !== undefined)) {
    const bytes = await readFile(path.join(folder, name))
    const brotli = names.includes(`${name}.br`) ? await readFile(path.join(folder, `${name}.br`)) : undefined
    files.set(name, { bytes, brotli, etag: etagOf(bytes) })
  }
  return files
}

/** A worker's file is sent with the security policy under which the worker runs. */
const isWorker = (name: string): boolean => /^(verify|ticket)-worker-/.test(name)

export async function registerAssets(app: FastifyInstance, webDir: string): Promise<void> {
  const files = await load(path.join(webDir, 'assets'))
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const { name } = request.params
    const file = files.get(name)
    if (file === undefined) return reply.code(404).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send('Not found')
    reply.header('cache-control', 'public, max-age=31536000, immutable').type(TYPES[path.extname(name)] as string)
    if (isWorker(name)) reply.header('content-security-policy', WORKER_POLICY)
    return sendBody(request, reply, file)
  })
}

/** The verifier program and its hash. Anybody may copy it; a newer one soon replaces it, so caches keep it for 300 s. */
export async function registerProgram(app: FastifyInstance, webDir: string): Promise<void> {
  const folder = path.join(webDir, 'verify')
  for (const name of await readdir(folder)) {
    const bytes = await readFile(path.join(folder, name))
    const body: Body = { bytes, brotli: undefined, etag: etagOf(bytes) }
    const type = name.endsWith('.mjs') ? 'text/javascript; charset=utf-8' : 'text/plain; charset=utf-8'
    app.get(`/verify/${name}`, async (request, reply) => {
      reply.header('cache-control', 'public, max-age=300').type(type)
      return sendBody(request, reply, body)
    })
  }
}

/** Tests that the root's compose.yaml is complete: its stage, files and roles exist, the product starts with its settings, and it is closed. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../server/src/config/config.ts'
import { LOCALE } from '../../server/src/db/embedded/embedded.ts'
import { ROOT } from './bundle.ts'
import { configOf, readStages } from './testing/dockerfile.ts'

type Service = {
  readonly image?: string
  readonly build?: { readonly context: string; readonly target: string }
  readonly user?: string
  readonly read_only?: boolean
  readonly tmpfs?: readonly string[]
  readonly command?: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes: readonly string[]
  readonly environment: Readonly<Record<string, string | number>>
}
const source = readFileSync(path.join(ROOT, 'compose.yaml'), 'utf8')
const { services } = parse(source, { strict: true, uniqueKeys: true }) as { readonly services: Record<'app' | 'postgres', Service> }
const { app, postgres } = services

test('the demo runs in the stage of the Dockerfile that has the sandbox, as its own user on a read-only root', () => {
  const stage = readStages().find(({ name }) => name === app.build?.target)
  expect(app.build?.context).toBe('.')
  if (stage === undefined) return expect.fail(`no stage ${app.build?.target}`)
  expect([app.user, app.read_only, app.tmpfs, app.volumes]).toEqual(['65532:65532', true, ['/tmp'], ['data:/data']])
  const made = stage.steps.map(({ words }) => words).join('\n')
  expect(made).toContain('install -d -o 65532 -g 65532 -m 0700 /data')
  expect(app.environment.WEB_DIR).toBe(`${configOf(stage).folder}/.build/package/roz/web`)
  expect(app.command).toEqual(['node', 'server/src/main.ts'])
})

test('the product starts with its settings: the demo, the sandbox, caught mails, and the roles of the database', () => {
  const env = Object.fromEntries(Object.entries(app.environment).map(([name, value]) => [name, String(value)]))
  const config = readConfig(env)
  expect(config).toMatchObject({ production: false, demo: true, payments: 'sandbox', mailUrl: undefined, port: 8080, sandboxPort: 8081 })
  const { OWNER_PASSWORD, APP_PASSWORD, POSTGRES_INITDB_ARGS } = postgres.environment
  expect([config.databaseUrl, config.migrateDatabaseUrl]).toEqual([
    `postgres://roz_app:${APP_PASSWORD}@postgres:5432/roz`,
    `postgres://roz_owner:${OWNER_PASSWORD}@postgres:5432/roz`,
  ])
  expect([postgres.image, POSTGRES_INITDB_ARGS]).toEqual(['postgres:18', LOCALE.join(' ')])
})

test('only this machine reaches it, and the files that it mounts exist and stay as they are', () => {
  expect(app.ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:8081:8081'])
  expect(postgres.ports).toBeUndefined()
  const mounted = postgres.volumes.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':'))
  expect(mounted.map(([file = '', , mode]) => [file, existsSync(path.join(ROOT, file)), mode])).toEqual([
    ['./ops/package/roles.sh', true, 'ro'],
    ['./server/src/db/rights.sql', true, 'ro'],
  ])
})

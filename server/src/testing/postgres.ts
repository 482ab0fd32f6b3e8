/**
 * Starts one PostgreSQL for the whole test run, in a temporary folder.
 * - A template database has every migration; each test file clones it (testing/database.ts).
 * - Nothing of the server remains after the run.
 */
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { temporaryPostgres } from '../db/embedded/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { APP_ROLE, type ServerUrls, TEMPLATE, urlOf } from './server-urls.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Addresses of the run's PostgreSQL, by role. */
    readonly postgres: ServerUrls
  }
}

/** A server with the template, for tests and for tools that run like tests. */
export async function startTestServer(
  flags: readonly string[] = [],
): Promise<{ readonly urls: ServerUrls; readonly stop: () => Promise<void> }> {
  // Many test files run at once, each with one or more pools.
  const server = await temporaryPostgres({ flags: ['max_connections=300', ...flags] })
  const urls: ServerUrls = { superuser: server.superUrl, owner: server.ownerUrl, app: server.appUrl }
  try {
    await makeTemplate(urls)
  } catch (error) {
    await server.stop()
    throw error
  }
  return { urls, stop: server.stop }
}

/** A PostgreSQL with the template that another program has started. */
const GIVEN = process.env.ROZ_TEST_POSTGRES

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (GIVEN !== undefined) {
    project.provide('postgres', JSON.parse(GIVEN) as ServerUrls)
    return undefined
  }
  const { urls, stop } = await startTestServer()
  project.provide('postgres', urls)
  return stop
}

async function makeTemplate(urls: ServerUrls): Promise<void> {
  const superuser = new pg.Client({ connectionString: urlOf(urls, 'superuser', 'postgres') })
  await superuser.connect()
  await superuser.query(`create database ${TEMPLATE} owner roz_owner`)
  await superuser.end()
  await migrate(urlOf(urls, 'owner', TEMPLATE), { appRole: APP_ROLE, production: false })
}

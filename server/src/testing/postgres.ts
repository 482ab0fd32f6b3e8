/**
 * One PostgreSQL for the whole test run, in a temporary folder, with a template database that has
 * every migration. Each test file clones it (testing/database.ts). Nothing of it outlives the run.
 */
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { temporaryPostgres } from '../db/embedded/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { APP_ROLE, type ServerUrls, TEMPLATE, urlOf } from './server-urls.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run's PostgreSQL answers, by role. */
    readonly postgres: ServerUrls
  }
}

/** A server with the template on it, for tests and for tools that play what tests play. */
export async function startTestServer(
  flags: readonly string[] = [],
): Promise<{ readonly urls: ServerUrls; readonly stop: () => Promise<void> }> {
  // Many test files at once, each with a pool or several.
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

/** One that somebody else has started, with its template. */
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

/**
 * `npm run lab -- mutations`: Stryker changes the code of core, contract and verifier, one place at a time, and runs the tests that read it.
 * - A change that no test notices has survived: the table names it. The run fails if more than `--survivors` percent survive.
 * - Stryker works in a copy below `.stryker-tmp`; of the checkout only .build/ is written, with the report.
 * - The seeded bugs in SQL, locks and money are `npm run lab -- bugs`.
 *
 *   npm run lab -- mutations [core/src/split.ts …] [--survivors 30]
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = path.join(import.meta.dirname, '../..')
const BUILD = path.join(ROOT, '.build')
const EVERY = ['core/src/**/*.ts', 'contract/src/**/*.ts', 'verifier/src/**/*.ts']
/** Files that the tests read. Everything else stays out of the copy. */
const COPIED = ['core', 'contract', 'verifier', 'spec', 'locales', 'docs', 'package.json', 'tsconfig.base.json']

const { values, positionals } = parseArgs({ allowPositionals: true, options: { survivors: { type: 'string', default: '30' } } })
const broken = 100 - Number(values.survivors)
if (!(broken >= 0 && broken <= 100)) throw new Error('--survivors is a percentage, from 0 to 100')

mkdirSync(BUILD, { recursive: true })
const settings = path.join(BUILD, 'stryker.json')
writeFileSync(
  settings,
  JSON.stringify({
    mutate: [...(positionals.length > 0 ? positionals : EVERY), '!**/*.test.ts'],
    ignorePatterns: readdirSync(ROOT).filter((name) => !COPIED.includes(name)),
    plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner'))],
    testRunner: 'vitest',
    vitest: { configFile: path.join(import.meta.dirname, 'vitest.config.ts') },
    reporters: ['clear-text', 'html'],
    clearTextReporter: { allowColor: false, logTests: false, allowEmojis: false },
    htmlReporter: { fileName: '.build/mutations.html' },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    thresholds: { high: 100, low: broken, break: broken },
    tempDirName: '.stryker-tmp',
    allowConsoleColors: false,
  }),
)
const stryker = fileURLToPath(new URL('../../bin/stryker.js', import.meta.resolve('@stryker-mutator/core')))
const began = performance.now()
const { status } = spawnSync(process.execPath, [stryker, 'run', settings], { cwd: ROOT, stdio: 'inherit' })
process.stdout.write(`${Math.round((performance.now() - began) / 1000)} s; .build/mutations.html has the report\n`)
process.exitCode = status ?? 1

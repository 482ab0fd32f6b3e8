/** `npm run check`: types, type-aware lint, commit subjects, and format. Each counts as one check. */
import { pathToFileURL } from 'node:url'
import { install } from './install.mjs'
import { findNode } from './node26.mjs'
import { allEnded, isStopping, run, say, stopOnSignals } from './processes.mjs'

/**
 * The compiler and the linter are Go programs. One thread each does half the work of two: every further thread checks the common
 * types again. They collect garbage rarely, because they end soon.
 */
const IN_ONE_THREAD = { GOMAXPROCS: '1', GOGC: '300' }

/** Prints each check's result and returns the numbers of passed and failed checks. */
export async function check(node) {
  const outcome = { passed: 0, failed: 0 }
  for (const [name, args] of checks()) {
    if (isStopping()) return outcome
    const began = Date.now()
    const { code, output } = await run(node, args, { quiet: true, env: { ...process.env, ...IN_ONE_THREAD } })
    const passed = code === 0
    outcome[passed ? 'passed' : 'failed'] += 1
    say(`${passed ? '✓' : '✗'} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    if (!passed) say(output.trim())
  }
  return outcome
}

function checks() {
  const types = ['node_modules/typescript/bin/tsc', '--pretty', 'false', '--singleThreaded', '-p']
  return [
    ['types', [...types, '.']],
    ['types of web', [...types, 'web']],
    ['lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--threads=1']],
    ['commit subjects', ['ops/launch/commits.mjs']],
    ['format', ['node_modules/@biomejs/biome/bin/biome', 'format', '--max-diagnostics=200']],
  ]
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  stopOnSignals(async () => {
    await allEnded()
    process.exit(130)
  })
  await install()
  const { passed, failed } = await check(findNode())
  say(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}

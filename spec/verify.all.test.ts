/** Runs the Python side of the protocol: the generator of the vectors and the tests of spec/verify.py. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test, vi } from 'vitest'

// Each run takes seconds, more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

function python(...args: readonly string[]): { readonly code: number | null; readonly said: string } {
  const { status, stdout, stderr, error } = spawnSync('python3', ['-B', ...args], { cwd: import.meta.dirname, encoding: 'utf8' })
  if (error !== undefined) throw new Error(`python3 does not run (${error.message}). To install it: sudo apt-get install python3`)
  return { code: status, said: `${stdout}${stderr}` }
}

test('vectors/ equals the output of make_vectors.py', () => {
  expect(python('make_vectors.py', '--check')).toEqual({ code: 0, said: '' })
})

test('verify.py agrees with every vector, and detects each lie by its step and every changed byte', () => {
  const { code, said } = python('test_verify.py')
  expect(said).toMatch(/^OK$/m)
  expect(code).toBe(0)
})

test('a wrong call of verify.py prints its usage', () => {
  const named = ['--key', '--witness', '--chain', '--drand', '--beacon-signature', '--kept', '--receipt', '--order', '--ticket-key']
  const wrong = named.map((name) => ['folder', '2026-11-21', name, 'x'])
  for (const args of [
    [],
    ['folder', '2026-13-01'],
    ['folder', '0001-01-01'],
    ['folder', '2026-11-21', '--key'],
    ['folder', '2026-11-21', '--what'],
    ...wrong,
  ]) {
    const { code, said } = python('verify.py', ...args)
    expect(code).toBe(1)
    expect(said).toContain('python3 verify.py <address or folder> <day>')
  }
})

test('a day without published files is incomplete', () => {
  const { code, said } = python('verify.py', path.join(import.meta.dirname, 'vectors'), '2026-11-21')
  expect(said).toContain('INCOMPLETE files')
  expect(code).toBe(4)
})

/** The Python side of the protocol: its vectors are what its maker makes, and the second verifier holds. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test, vi } from 'vitest'

// Some seconds of work each, on a machine that may have much else to do.
vi.setConfig({ testTimeout: 120_000 })

function python(...args: readonly string[]): { readonly code: number | null; readonly said: string } {
  const { status, stdout, stderr, error } = spawnSync('python3', ['-B', ...args], { cwd: import.meta.dirname, encoding: 'utf8' })
  if (error !== undefined) throw new Error(`python3 does not run (${error.message}). To install it: sudo apt-get install python3`)
  return { code: status, said: `${stdout}${stderr}` }
}

test('vectors/ holds what make_vectors.py makes', () => {
  expect(python('make_vectors.py', '--check')).toEqual({ code: 0, said: '' })
})

test('verify.py agrees with every vector, catches each lie by its step and every changed byte', () => {
  const { code, said } = python('test_verify.py')
  expect(said).toMatch(/^OK$/m)
  expect(code).toBe(0)
})

test('called wrongly, verify.py says how to call it', () => {
  const wrong = ['--key', '--witness', '--chain', '--drand', '--kept', '--receipt', '--ticket-key'].map((name) => [
    'folder',
    '2026-11-21',
    name,
    'x',
  ])
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

test('where nothing is published, a day is incomplete', () => {
  const { code, said } = python('verify.py', path.join(import.meta.dirname, 'vectors'), '2026-11-21')
  expect(said).toContain('INCOMPLETE files')
  expect(code).toBe(4)
})

/** `npm run <tool>`: what the launcher passes on to the program. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

test('a tool gets standard input and every argument', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roz-tool-'))
  try {
    const program = path.join(folder, 'echo.mjs')
    writeFileSync(program, `console.log(process.argv.slice(2).join(' ')); process.stdin.pipe(process.stdout)`)
    const child = spawn(process.execPath, ['ops/launch/tool.mjs', program, '1002', 'put', 'beginning'], {
      cwd: new URL('../..', import.meta.url),
    })
    child.stdin.end('a secret\n')
    expect(await text(child.stdout)).toBe('1002 put beginning\na secret\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 60_000)

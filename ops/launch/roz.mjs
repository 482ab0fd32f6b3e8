#!/usr/bin/env node
/** `npx roz <noun> <verb>`: the operator's commands in a checkout. `roz serve` is `npm start`; without a word it prints the help. */
const words = process.argv.slice(2)
if (words.join(' ') === 'serve') await import('./start.mjs')
else {
  process.argv.splice(2, words.length, 'server/src/main.ts', ...(words.length === 0 ? ['--help'] : words))
  await import('./tool.mjs')
}

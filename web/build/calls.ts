/**
 * The contract as a table of methods and paths, for the browser. The contract's schemas weigh more
 * than the rest of the shell and the server judges every call anyway.
 */
import { api } from '@roz/contract/api.ts'
import type { Plugin } from 'vite'

const ID = 'virtual:calls'

export const callsPlugin = (): Plugin => ({
  name: 'roz-calls',
  resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
  load: (id) => {
    if (id !== `\0${ID}`) return undefined
    const table = Object.fromEntries(Object.entries(api).map(([name, { method, path }]) => [name, [method, path]]))
    return `export const calls = ${JSON.stringify(table)}`
  },
})

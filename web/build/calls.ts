/**
 * Gives the browser a table of the methods and paths of the calls that screens make.
 * - The table replaces the contract's schemas, which weigh more than the rest of the shell. The server checks every call anyway.
 * - Webhooks and published files are left out: only gateways send webhooks, and the verifier fetches the files.
 */
import { api } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { Plugin } from 'vite'

const ID = 'virtual:calls'

export const callsPlugin = (): Plugin => ({
  name: 'roz-calls',
  resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
  load: (id) => {
    if (id !== `\0${ID}`) return undefined
    const calls = Object.entries<EndpointSpec>(api).filter(([, { access, output }]) => access !== 'signed' && output !== 'file')
    const table = Object.fromEntries(calls.map(([name, { method, path }]) => [name, [method, path]]))
    return `export const calls = ${JSON.stringify(table)}`
  },
})

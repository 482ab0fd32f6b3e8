/**
 * The calls that screens make as a table of methods and paths, for the browser. The contract's schemas
 * weigh more than the rest of the shell, and the server judges every call anyway. Webhooks and published
 * files are left out: gateways send the ones, and the verifier fetches the others.
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

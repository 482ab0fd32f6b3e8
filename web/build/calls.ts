/**
 * Gives the browser two tables of the methods and paths of the calls that screens make: the app's, and the portal's.
 * - The tables replace the contract's schemas, which weigh more than the rest of the shell. The server checks every call anyway.
 * - Only the portal loads its own table, so an administrator's call adds nothing to a member's first page.
 * - Webhooks and published files are left out: only gateways send webhooks, and the verifier fetches the files. The receipts that only
 *   staff see are no published files.
 */
import { api } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { Plugin } from 'vite'

const isOfPortal = ({ access, path }: EndpointSpec): boolean => access === 'admin' || path.startsWith('/admin/')
const TABLES: Readonly<Record<string, (spec: EndpointSpec) => boolean>> = {
  'virtual:calls': (spec) => !isOfPortal(spec),
  'virtual:portal-calls': isOfPortal,
}

export const callsPlugin = (): Plugin => ({
  name: 'roz-calls',
  resolveId: (id) => (Object.hasOwn(TABLES, id) ? `\0${id}` : undefined),
  load: (id) => {
    const isListed = TABLES[id.slice(1)]
    if (!id.startsWith('\0') || isListed === undefined) return undefined
    const calls = Object.entries<EndpointSpec>(api).filter(
      ([, spec]) => spec.access !== 'signed' && (spec.output !== 'file' || spec.access === 'admin') && isListed(spec),
    )
    const table = Object.fromEntries(calls.map(([name, { method, path }]) => [name, [method, path]]))
    return `export const calls = ${JSON.stringify(table)}`
  },
})

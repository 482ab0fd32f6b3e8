/**
 * Gives the browser the methods and paths of the calls that screens make, and the forms of their answers: the app's, the portal's, and AutoPay's.
 * - They replace the contract's schemas, which weigh more than the rest of the shell. The server checks every call anyway.
 * - Portal and AutoPay load tables of their own, so their calls add nothing to a member's first page.
 * - Calls that no screen makes are left out (`ELSEWHERE`).
 * - Webhooks and published files are left out: only gateways send webhooks, and the verifier fetches the files. The receipts that only
 *   staff see are no published files.
 */
import { api } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { Plugin } from 'vite'
import { briefFormOf } from './forms.ts'

const isOfPortal = ({ access, path }: EndpointSpec): boolean => access === 'admin' || path.startsWith('/admin/')
const isOfAutopay = ({ path }: EndpointSpec): boolean => path === '/autopay' || path.startsWith('/autopay/')
const isOfApp = (spec: EndpointSpec): boolean => !isOfPortal(spec) && !isOfAutopay(spec)
/**
 * Witnesses cosign, a browser's ticket key comes with a join or a top-up, the service worker silences a reminder, and a request for help
 * is looked up and withdrawn by a page without scripts.
 */
const ELSEWHERE = ['setTicketKey', 'silenceReminder', 'askedHelp', 'withdrawAskedHelp']
const isElsewhere = (call: string, { path }: EndpointSpec): boolean => ELSEWHERE.includes(call) || path === '/public/log/cosignatures'
type Table = { readonly lists: (spec: EndpointSpec) => boolean; readonly exports: readonly (keyof typeof EXPORTS)[] }
const EXPORTS = {
  calls: ({ method, path }: EndpointSpec) => [method, path],
  forms: briefFormOf,
} as const
/** `start` needs only the addresses, so the forms of the app's calls are a module of their own. */
const TABLES: Readonly<Record<string, Table>> = {
  'virtual:calls': { lists: isOfApp, exports: ['calls'] },
  'virtual:forms': { lists: isOfApp, exports: ['forms'] },
  'virtual:portal-calls': { lists: isOfPortal, exports: ['calls', 'forms'] },
  'virtual:autopay-calls': { lists: isOfAutopay, exports: ['calls', 'forms'] },
}

export const callsPlugin = (): Plugin => ({
  name: 'roz-calls',
  resolveId: (id) => (Object.hasOwn(TABLES, id) ? `\0${id}` : undefined),
  load: (id) => {
    const wanted = TABLES[id.slice(1)]
    if (!id.startsWith('\0') || wanted === undefined) return undefined
    const calls = Object.entries<EndpointSpec>(api).filter(
      ([call, spec]) =>
        spec.access !== 'signed' && !isElsewhere(call, spec) && (spec.output !== 'file' || spec.access === 'admin') && wanted.lists(spec),
    )
    const tableOf = (name: keyof typeof EXPORTS): string =>
      JSON.stringify(Object.fromEntries(calls.map(([call, spec]) => [call, EXPORTS[name](spec)])))
    return wanted.exports.map((name) => `export const ${name} = ${tableOf(name)}`).join('\n')
  },
})

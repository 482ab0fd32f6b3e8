/**
 * The hosts of a database's address: `postgres://user:password@one:5432,two:5432/roz`.
 * - With several hosts a connection is used only if the host accepts writes, as libpq's target_session_attrs=read-write.
 * - All new connections go to the host that worked last; hosts that are down or read-only are skipped.
 */
import pg from 'pg'

/** A parameter of libpq that the driver does not know. With several hosts we always do what it asks for. */
const TARGET = 'target_session_attrs'
const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s
/** True if the host refuses writes: a standby, or a primary that was set read-only. */
export const IS_READ_ONLY = `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`

/** The host that answered is a standby. Nothing was sent to it. */
export class ReadOnlyHostError extends Error {
  override readonly name = 'ReadOnlyHostError'
  constructor() {
    super('the host is read-only')
  }
}

/** One address per host. An address that cannot be split is returned as it is. */
export function addressesOf(url: string): readonly string[] {
  const [, head = '', hosts = '', tail = ''] = AUTHORITY.exec(url) ?? []
  if (!hosts.includes(',')) return [url]
  return hosts.split(',').map((host) => withoutTarget(`${head}${host}${tail}`))
}

function withoutTarget(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  url.searchParams.delete(TARGET)
  return url.href
}

type Hosts = {
  readonly count: number
  readonly current: () => string
  /** Makes the next host the current one, unless another caller has passed over this one already. */
  readonly passOver: (address: string) => void
}

export function createHosts(url: string): Hosts {
  const addresses = addressesOf(url)
  let place = 0
  const current = (): string => addresses[place] ?? url
  return {
    count: addresses.length,
    current,
    passOver: (address) => {
      if (address === current()) place = (place + 1) % addresses.length
    },
  }
}

/** Opens a connection outside the pool: to the only host, or to the first that accepts writes. The caller ends it. */
export async function openConnection(url: string, applicationName: string): Promise<pg.Client> {
  const addresses = addressesOf(url)
  let failure: unknown
  for (const address of addresses) {
    const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 5000, application_name: applicationName })
    client.on('error', () => undefined)
    try {
      await client.connect()
      if (addresses.length > 1) await expectWritable(client)
      return client
    } catch (error) {
      // A host that is down explains more than a standby beside it.
      if (failure === undefined || !(error instanceof ReadOnlyHostError)) failure = error
      await client.end().catch(() => undefined)
    }
  }
  throw failure
}

async function expectWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isReadOnly: boolean }>(IS_READ_ONLY)
  if (rows[0]?.isReadOnly === true) throw new ReadOnlyHostError()
}

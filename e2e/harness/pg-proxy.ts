/**
 * A proxy between the server and PostgreSQL that cuts a connection at one chosen moment of a commit of money.
 * - The moments: before the commit is sent, after it was sent, or after the database has committed and before its answer is passed on.
 * - It parses message boundaries, prepared statements that write money, and when a connection is ready again.
 * - Without a cut all bytes pass unchanged.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Moment = 'before-send' | 'after-send' | 'after-commit'

export type PgProxy = {
  readonly port: number
  /** Cuts one connection at the next such moment; resolves after the cut. */
  readonly cutNext: (moment: Moment) => Promise<void>
  readonly disarm: () => void
  /** Cuts every connection now; returns their number. */
  readonly cutAll: () => number
  readonly close: () => Promise<void>
}

/** Tables of money, its keys and orders; cutting a read or a session's write would test nothing. */
const MOVES_MONEY = /\b(insert into|update|into)\s+(round_join|join_batch|transfer|wallet|topup|withdrawal|idempotency_key)\b/i
const READY = 'Z'.charCodeAt(0)
const COMMAND_COMPLETE = 'C'.charCodeAt(0)

type Line = {
  readonly client: Socket
  readonly database: Socket
  /** Names of prepared statements that write money. */
  readonly money: Set<string>
  /** Such a statement has run since the transaction began. */
  moved: boolean
  /** The database is executing a commit of money. */
  commits: boolean
}

/** Splits a stream of bytes into messages; `first` is the length word of a message without a type. */
function splitter(onMessage: (message: Buffer, type: number | undefined) => void, startsTyped: boolean) {
  let rest: Buffer = Buffer.alloc(0)
  let typed = startsTyped
  return (chunk: Buffer): void => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const head = typed ? 5 : 4
      if (rest.length < head) return
      const length = rest.readUInt32BE(head - 4) + (typed ? 1 : 0)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      const type = typed ? message[0] : undefined
      typed = true
      onMessage(message, type)
    }
  }
}

const textAt = (message: Buffer, from: number): { text: string; end: number } => {
  const end = message.indexOf(0, from)
  return { text: message.toString('utf8', from, end), end: end + 1 }
}

/** Whether a client's message commits money. */
function meaningOf(line: Line, message: Buffer, type: number | undefined): 'nothing' | 'commit' {
  const kind = type === undefined ? '' : String.fromCharCode(type)
  if (kind === 'P') {
    const name = textAt(message, 5)
    if (MOVES_MONEY.test(textAt(message, name.end).text)) line.money.add(name.text)
    else line.money.delete(name.text)
    return 'nothing'
  }
  if (kind === 'B') {
    const portal = textAt(message, 5)
    if (line.money.has(textAt(message, portal.end).text)) line.moved = true
    return 'nothing'
  }
  // A statement outside a transaction commits with its Sync; a transaction with its COMMIT.
  if (kind === 'S') return line.moved && !inTransaction.has(line) ? 'commit' : 'nothing'
  if (kind !== 'Q') return 'nothing'
  const { text } = textAt(message, 5)
  if (/^\s*begin/i.test(text)) {
    inTransaction.add(line)
    line.moved = false
    return 'nothing'
  }
  if (!/^\s*(commit|rollback)/i.test(text)) return 'nothing'
  const commits = line.moved && /^\s*commit/i.test(text)
  if (!commits) {
    inTransaction.delete(line)
    line.moved = false
  }
  return commits ? 'commit' : 'nothing'
}
const inTransaction = new WeakSet<Line>()

export async function startPgProxy(databasePort: () => number): Promise<PgProxy> {
  const lines = new Set<Line>()
  let armed: { readonly moment: Moment; readonly done: () => void } | undefined

  const drop = (line: Line): void => {
    lines.delete(line)
    line.client.resetAndDestroy()
    // Flush first: the database gets all that was sent.
    line.database.end()
  }
  const cut = (line: Line): void => {
    const { done } = armed as { readonly done: () => void }
    armed = undefined
    drop(line)
    done()
  }

  const fromClient = (line: Line) => (message: Buffer, type: number | undefined) => {
    if (!lines.has(line)) return
    const commits = meaningOf(line, message, type) === 'commit'
    if (commits && armed?.moment === 'before-send') return cut(line)
    line.database.write(message)
    if (!commits) return
    line.commits = true
    if (armed?.moment === 'after-send') cut(line)
  }

  const fromDatabase = (line: Line) => {
    let held: Buffer[] = []
    let committed = false
    return (message: Buffer, type: number | undefined): void => {
      if (!lines.has(line)) return
      if (!line.commits) return void line.client.write(message)
      held.push(message)
      if (type === COMMAND_COMPLETE) committed = !textAt(message, 5).text.startsWith('ROLLBACK')
      if (type !== READY) return
      if (committed && armed?.moment === 'after-commit') return cut(line)
      line.client.write(Buffer.concat(held))
      held = []
      committed = false
      line.commits = false
      line.moved = false
      inTransaction.delete(line)
    }
  }

  const server = createServer((client) => {
    const database = connect({ host: '127.0.0.1', port: databasePort(), noDelay: true })
    client.setNoDelay(true)
    const line: Line = { client, database, money: new Set(), moved: false, commits: false }
    lines.add(line)
    client.on('data', splitter(fromClient(line), false))
    database.on('data', splitter(fromDatabase(line), true))
    const end = (): void => {
      lines.delete(line)
      client.destroy()
      database.destroy()
    }
    client.on('error', () => undefined)
    database.on('error', end)
    database.on('close', end)
    client.on('close', () => {
      lines.delete(line)
      database.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    cutNext: (moment) => new Promise((done) => (armed = { moment, done })),
    disarm: () => {
      armed = undefined
    },
    cutAll: () => {
      const count = lines.size
      for (const line of lines) drop(line)
      return count
    },
    close: () =>
      new Promise((resolve) => {
        for (const line of lines) drop(line)
        server.close(() => resolve())
      }),
  }
}

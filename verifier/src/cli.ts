/** roz-verify, the command-line program: checks a day, or watches a log and cosigns it. It runs on Node 20 and newer. */
import { randomBytes } from 'node:crypto'
import { readFile as readLocal, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { fromHex, MalformedError } from './bytes.ts'
import { day as dayShape } from './canonical.ts'
import { readOrder } from './draw.ts'
import { folderSource } from './folder.ts'
import { readCheckpoint, readSignerKey, readVerifierKey, type Signer, verifierKeyOf, writeSignerKey } from './note.ts'
import { readReceipt } from './receipt.ts'
import { type Source, UnavailableError, urlSource } from './sources.ts'
import type { State } from './state.ts'
import { InUseError, openState, peekState, type StateFile } from './state-file.ts'
import type { Outcome, StepState } from './steps.ts'
import { type Progress, type Report, verifyDay, type VerifyOptions } from './verify.ts'
import { type Alarm, createWatch } from './watch.ts'

const USAGE = `roz-verify <address|folder> <YYYY-MM-DD> [options]      check a day
  --key <key>               the log's key as you know it (from a printed page, a friend, an earlier look)
  --state <file>            remember key and newest checkpoint here, and compare the site with them next time
  --kept <file>             compare the site with this checkpoint, which you kept from before
  --receipt <file>          your receipt: is its ticket in the list?
  --witness <key>           trust this witness instead of those that the site names (may be repeated)
  --chain <hash>            trust this drand chain instead of quicknet
  --beacon-signature <hex>  the signature of the random number's round, for a day that is void because it was missing
                            (also --drand)
  --order <numbers>         the requests for help in the order that the site shows for this day: 3F9A,7K2M
  --json                    print the report as JSON

roz-verify watch <address> --key <key> --state <file> [options]      check each day, raise alarms, cosign
  --witness-key <file>      cosign with the key in this file
  --every <seconds>         how often to check (30; at most 3600)
  --late <hours>            how late books and results may be before that is an alarm (12; 0: never)
                            only a program that keeps running can tell that the log was unreadable for that long
  --webhook <address>       where alarms are posted, as JSON; a failed one is posted again at the next check
  --once                    check once and end: 0 when nothing is wrong, 4 when the log could not be read;
                            each run reports again what is late

roz-verify keygen <name> <file>      make a witness's key

Address: of the site, or of a copy's folder with log/ and draws/.
The verdict comes first, then one line for each step.
Exit code: 0 PASS, 2 FAIL or alarm, 3 WEAK, 4 INCOMPLETE, 1 called wrongly.`

class UsageError extends Error {}

const OPTIONS = {
  key: { type: 'string' },
  state: { type: 'string' },
  kept: { type: 'string' },
  receipt: { type: 'string' },
  witness: { type: 'string', multiple: true },
  chain: { type: 'string' },
  'beacon-signature': { type: 'string' },
  drand: { type: 'string' },
  order: { type: 'string' },
  json: { type: 'boolean' },
  'witness-key': { type: 'string' },
  every: { type: 'string' },
  late: { type: 'string' },
  webhook: { type: 'string' },
  once: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

type Called = { readonly values: Values; readonly words: readonly string[] }
type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

function called(args: readonly string[]): Called {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    return { values, words: positionals }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Parses an input of the caller. A malformed one is a usage error, not a verdict about the site. */
function given<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new UsageError(`${what}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const local = async (file: string): Promise<Uint8Array> =>
  new Uint8Array(await readLocal(file).catch((error: Error) => Promise.reject(new UsageError(error.message))))

const isAddress = (place: string): boolean => /^https?:\/\//.test(place)

/** An address without a path means the site's public files. */
const baseOf = (address: string): string => (new URL(address).pathname === '/' ? new URL('/api/public/', address).href : address)

const sourceOf = (place: string): Source => given(place, () => (isAddress(place) ? urlSource(baseOf(place)) : folderSource(place)))

function assertKey(option: string, key: string, algorithm: 1 | 4): void {
  if (given(option, () => readVerifierKey(key)).algorithm !== algorithm)
    throw new UsageError(`${option}: not the key of a ${algorithm === 1 ? 'log' : 'witness'}`)
}

const MARKS = { pass: '✓', fail: '✗', weak: '△', incomplete: '?', none: '–' } as const satisfies Record<StepState, string>
/** spec/verify.py has the same words. */
const VERDICT_WORDS = {
  PASS: 'The result is right. Everything was recalculated from the published files.',
  FAIL: 'Something does not match. Save these files as evidence.',
  WEAK: 'The numbers match, but some steps had no outside check: the operator could have cheated.',
  INCOMPLETE: 'Something is missing, so nothing is proven. Try later.',
} as const

const lineOf = ({ step, state, words }: Outcome): string => `${MARKS[state]} ${step.padEnd(18)}${words}`

function showProgress({ phase, done, total }: Progress): void {
  if (!process.stderr.isTTY) return
  const share = total === undefined || total === 0 ? `${done}` : `${Math.min(100, Math.floor((100 * done) / total))} %`
  process.stderr.write(`\r\u001b[K${phase} ${share}`)
}

async function check({ values, words: [place, day] }: Called): Promise<number> {
  if (place === undefined || day === undefined) throw new UsageError('name an address or folder, and a day')
  given('the day', () => dayShape(day, day))
  if (values.state !== undefined && values.kept !== undefined) throw new UsageError('--state and --kept exclude each other')
  const state = values.state === undefined ? undefined : await ofFile(peekState(values.state))
  const keptBytes = values.kept === undefined ? undefined : await local(values.kept)
  const kept = keptBytes === undefined ? state?.checkpoint : given('--kept', () => readCheckpoint(keptBytes))
  const logKey = values.key ?? state?.logKey
  if (logKey !== undefined) assertKey('--key', logKey, 1)
  for (const witness of values.witness ?? []) assertKey('--witness', witness, 4)
  const signature = values['beacon-signature'] ?? values.drand
  const chainHash = values.chain
  const receiptBytes = values.receipt === undefined ? undefined : await local(values.receipt)
  const receipt = receiptBytes === undefined ? undefined : given('--receipt', () => readReceipt(receiptBytes))
  if (receipt !== undefined && receipt.day !== day) throw new UsageError(`the receipt is of ${receipt.day}`)
  const { order } = values
  const options: VerifyOptions = {
    ...(logKey !== undefined && { logKey }),
    ...(kept !== undefined && { kept }),
    ...(values.witness !== undefined && { witnesses: values.witness }),
    ...(chainHash !== undefined && { chainHash: given('--chain', () => (fromHex(chainHash, 32), chainHash)) }),
    ...(receipt !== undefined && { receipt }),
    ...(signature !== undefined && { beaconSignature: given('--beacon-signature', () => (fromHex(signature, 48), signature)) }),
    ...(order !== undefined && { helpOrder: given('--order', () => readOrder(order)) }),
    onProgress: showProgress,
  }
  const report = await verifyDay(sourceOf(place), day, options)
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  print(report, values.json === true)
  const isKept = values.state === undefined || report.keep === undefined || (await remember(values.state, report.keep))
  return isKept ? report.exitCode : report.exitCode || 1
}

/** Saves the checkpoint, unless the state file has a newer one. A failure to save does not change the verdict. */
async function remember(file: string, keep: NonNullable<Report['keep']>): Promise<boolean> {
  let kept: StateFile | undefined
  try {
    kept = await openState(file)
    const { pending, seenTo, waiting = [], checkpoint } = kept.state ?? {}
    if (keep.checkpoint.size >= (checkpoint?.size ?? 0)) await kept.save({ ...keep, pending, seenTo, waiting })
    return true
  } catch (error) {
    process.stderr.write(`the state file could not be saved: ${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof InUseError
  } finally {
    await kept?.close()
  }
}

function print({ day, steps, verdict, exitCode, remarks }: Report, asJson: boolean): void {
  if (asJson) process.stdout.write(`${JSON.stringify({ day, verdict, exitCode, steps, remarks })}\n`)
  else
    process.stdout.write(
      `${[`${verdict}  ${day}: ${VERDICT_WORDS[verdict]}`, '', 'Technical details', ...steps.map(lineOf), ...remarks].join('\n')}\n`,
    )
}

/** Turns a failure to open a file that the caller named into a usage error. */
const ofFile = <T>(opening: Promise<T>): Promise<T> =>
  opening.catch((error: unknown) => Promise.reject(new UsageError(error instanceof Error ? error.message : String(error))))

async function watch(call: Called): Promise<number> {
  const { key, state: file, every, late, chain } = call.values
  const [, place] = call.words
  if (place === undefined || key === undefined || file === undefined) throw new UsageError('watch needs an address, --key and --state')
  assertKey('--key', key, 1)
  if (chain !== undefined) given('--chain', () => fromHex(chain, 32))
  const everyMs = 1000 * Number(every ?? 30)
  if (!(everyMs > 0 && everyMs <= 3_600_000)) throw new UsageError('--every takes a number of seconds, at most 3600')
  const allowedMs = 3_600_000 * Number(late ?? 12)
  if (!/^\d+(\.\d+)?$/.test(late ?? '12') || allowedMs > 3_600_000_000) throw new UsageError('--late takes a number of hours, at most 1000')
  const kept = await ofFile(openState(file))
  try {
    return await follow({ call, place, key, file, everyMs, allowedMs, kept })
  } finally {
    await kept.close()
  }
}

type Following = {
  readonly call: Called
  readonly place: string
  readonly key: string
  readonly file: string
  readonly everyMs: number
  readonly allowedMs: number
  readonly kept: StateFile
}

async function follow({ call: { values }, place, key, file, everyMs, allowedMs, kept }: Following): Promise<number> {
  const { name } = readVerifierKey(key)
  const keyFile = values['witness-key']
  const witness = keyFile === undefined ? undefined : await witnessOf(keyFile)
  const before = kept.state
  if (before !== undefined && before.checkpoint.origin !== name)
    throw new UsageError(
      `--key is of ${name}, and ${file} remembers ${before.checkpoint.origin}: name another file, or the key of that log`,
    )
  const say = (line: string): void => void process.stdout.write(`${new Date().toISOString()} ${line}\n`)
  const alarms = alarmsOf({ file, place, webhook: values.webhook, say })
  const settings = { logKey: before?.logKey ?? key, givenKey: key, witness, chainHash: values.chain, allowedMs }
  let isKept = true
  const save = async (state: State): Promise<void> => {
    isKept = false
    await kept.save(state).catch((error: Error) => {
      if (error instanceof InUseError) throw new UsageError(error.message)
      throw new UnavailableError(`the state file cannot be saved, and nothing is cosigned until it can (${error.message})`)
    })
    isKept = true
  }
  const ports = { source: sourceOf(place), post: postTo(place), nowMs: Date.now, save, say, alarm: alarms.raise }
  const watching = createWatch(ports, settings, before)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  if (witness !== undefined) say(`witness ${verifierKeyOf(witness)}`)
  for (;;) {
    const { isForked, isRead } = await (values.once === true ? watching.look() : watching.follow())
    const isOver = isForked || values.once === true
    if (!isOver) await wait(everyMs, undefined, { signal: stop.signal }).catch(() => undefined)
    if (isOver || stop.signal.aborted) return alarms.count() > 0 ? 2 : !isKept ? 1 : isRead || values.once !== true ? 0 : 4
  }
}

type AlarmPlaces = {
  readonly file: string
  readonly place: string
  readonly webhook: string | undefined
  readonly say: (line: string) => void
}

/** Reports an alarm on stderr, in a file and to the webhook; one failure does not stop the others. A retry only posts again. */
function alarmsOf({ file, place, webhook, say }: AlarmPlaces) {
  const told = new Set<Alarm>()
  const tell = async (alarm: Alarm): Promise<void> => {
    told.add(alarm)
    process.stderr.write(`ALARM ${alarm.kind}: ${alarm.words}\n`)
    await writeFile(`${file}.alarm-${Date.now()}-${told.size}.txt`, [alarm.words, ...alarm.evidence].join('\n\n')).catch((error: Error) =>
      say(`the alarm could not be written down: ${error.message}`),
    )
  }
  const raise = async (alarm: Alarm): Promise<void> => {
    if (!told.has(alarm)) await tell(alarm)
    if (webhook !== undefined) await postAlarm(webhook, place, alarm)
  }
  return { raise, count: () => told.size }
}

async function witnessOf(file: string): Promise<Signer> {
  const text = new TextDecoder().decode(await local(file))
  const signer = given(file, () => readSignerKey(text))
  if (signer.algorithm !== 4) throw new UsageError(`${file} is not a witness's key`)
  return signer
}

/** Returns 503 if there is no answer, so the caller retries. */
const postTo =
  (place: string) =>
  (path: string, body: Uint8Array): Promise<number> => {
    if (!isAddress(place)) return Promise.resolve(503)
    const base = baseOf(place)
    const url = new URL(path, base.endsWith('/') ? base : `${base}/`)
    const request = { method: 'POST', headers: { 'content-type': 'text/plain; charset=utf-8' }, body: new TextDecoder().decode(body) }
    return fetch(url, { ...request, signal: AbortSignal.timeout(30_000) }).then(
      ({ status }) => status,
      () => 503,
    )
  }

async function postAlarm(webhook: string, place: string, alarm: Alarm): Promise<void> {
  const body = JSON.stringify({ ...alarm, log: place })
  const headers = { 'content-type': 'application/json' }
  const { ok, status } = await fetch(webhook, { method: 'POST', headers, body, signal: AbortSignal.timeout(30_000) }).catch(
    (error: Error) => Promise.reject(new Error(`the webhook was not reached (${error.message})`)),
  )
  if (!ok) throw new Error(`the webhook answered ${status}`)
}

async function keygen({ words: [, name, file] }: Called): Promise<number> {
  if (name === undefined || file === undefined || !/^[!-*,-~]{1,128}$/.test(name))
    throw new UsageError('keygen takes a name without spaces and a file')
  const signer = { name, algorithm: 4, secret: new Uint8Array(randomBytes(32)) } as const
  await ofFile(writeFile(file, `${writeSignerKey(signer)}\n`, { mode: 0o600, flag: 'wx' }))
  process.stdout.write(`${verifierKeyOf(signer)}\n`)
  return 0
}

async function main(args: readonly string[]): Promise<number> {
  const call = called(args)
  const [command] = call.words
  if (call.values.help === true || command === undefined) {
    process.stdout.write(`${USAGE}\n`)
    return call.values.help === true ? 0 : 1
  }
  if (command === 'watch') return watch(call)
  return command === 'keygen' ? keygen(call) : check(call)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  // An input error gets a usage message; any other error is a bug of this program.
  if (!(error instanceof UsageError) && !(error instanceof MalformedError)) throw error
  process.stderr.write(`${error.message}\nSee roz-verify --help.\n`)
  process.exitCode = 1
}

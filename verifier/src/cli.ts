/** roz-verify: checks a day, or watches a log and cosigns it. For Node 20 and newer. */
import { randomBytes } from 'node:crypto'
import { open, readFile as readLocal, rename, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { fromHex, MalformedError } from './bytes.ts'
import { day as dayShape } from './canonical.ts'
import { folderSource } from './folder.ts'
import { readSignerKey, readVerifierKey, type Signer, verifierKeyOf, writeSignerKey } from './note.ts'
import { readReceipt } from './receipt.ts'
import { type Source, urlSource } from './sources.ts'
import { readState, type State, writeState } from './state.ts'
import type { Outcome, StepState } from './steps.ts'
import { type Progress, type Report, verifyDay, type VerifyOptions } from './verify.ts'
import { type Alarm, createWatch } from './watch.ts'

const USAGE = `roz-verify <address|folder> <YYYY-MM-DD> [options]      check a day
  --key <key>               the log's key as you know it (from a printed page, a friend, an earlier look)
  --state <file>            remember key and newest checkpoint here, and hold them against the site next time
  --receipt <file>          your receipt: is its ticket in the list?
  --witness <key>           believe this witness instead of those that the site names (may be repeated)
  --chain <hash>            trust this drand chain instead of quicknet
  --beacon-signature <hex>  of a day void for want of the beacon: the signature of its round
  --json                    print the report as JSON

roz-verify watch <address> --key <key> --state <file> [options]      check each day, raise alarms, cosign
  --witness-key <file>      cosign with the key in this file
  --every <seconds>         how often to look (30)
  --webhook <address>       where alarms are posted, as JSON
  --once                    look once and end

roz-verify keygen <name> <file>      make a witness's key

Address: of the site, or of the copy's folder that holds log/ and draws/.
Ends with 0 PASS, 2 FAIL or alarm, 3 WEAK, 4 INCOMPLETE, 1 called wrongly.`

class UsageError extends Error {}

const OPTIONS = {
  key: { type: 'string' },
  state: { type: 'string' },
  receipt: { type: 'string' },
  witness: { type: 'string', multiple: true },
  chain: { type: 'string' },
  'beacon-signature': { type: 'string' },
  json: { type: 'boolean' },
  'witness-key': { type: 'string' },
  every: { type: 'string' },
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

/** What the reader hands in has a form too; if it has not, the call was wrong and nothing is said about the site. */
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

/** The address of a site alone means its public files. */
const baseOf = (address: string): string => (new URL(address).pathname === '/' ? new URL('/api/public/', address).href : address)

const sourceOf = (place: string): Source => (isAddress(place) ? urlSource(baseOf(place)) : folderSource(place))

const MARKS = { pass: '✓', fail: '✗', weak: '△', incomplete: '?', none: '–' } as const satisfies Record<StepState, string>
const CLOSING_WORDS = {
  PASS: 'everything that can be checked from outside holds',
  FAIL: 'something does not hold; keep these files',
  WEAK: 'the numbers hold, but the list could have been changed before the draw',
  INCOMPLETE: 'not everything is there yet',
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
  const state = values.state === undefined ? undefined : await storedState(values.state)
  const logKey = values.key ?? state?.logKey
  if (logKey !== undefined) given('--key', () => readVerifierKey(logKey))
  for (const witness of values.witness ?? []) given('--witness', () => readVerifierKey(witness))
  const signature = values['beacon-signature']
  const chainHash = values.chain
  const receiptBytes = values.receipt === undefined ? undefined : await local(values.receipt)
  const receipt = receiptBytes === undefined ? undefined : given('--receipt', () => readReceipt(receiptBytes))
  if (receipt !== undefined && receipt.day !== day) throw new UsageError(`the receipt is of ${receipt.day}`)
  const options: VerifyOptions = {
    ...(logKey !== undefined && { logKey }),
    ...(state !== undefined && { kept: state.checkpoint }),
    ...(values.witness !== undefined && { witnesses: values.witness }),
    ...(chainHash !== undefined && { chainHash: given('--chain', () => (fromHex(chainHash, 32), chainHash)) }),
    ...(receipt !== undefined && { receipt }),
    ...(signature !== undefined && { beaconSignature: given('--beacon-signature', () => (fromHex(signature, 48), signature)) }),
    onProgress: showProgress,
  }
  const report = await verifyDay(sourceOf(place), day, options)
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  print(report, values.json === true)
  if (values.state !== undefined && report.keep !== undefined && report.keep.checkpoint.size >= (state?.checkpoint.size ?? 0)) {
    const rest = { pending: state?.pending, seenTo: state?.seenTo, waiting: state?.waiting ?? [] }
    await saveState(values.state, { ...report.keep, ...rest })
  }
  return report.exitCode
}

function print({ day, steps, verdict, exitCode, remarks }: Report, asJson: boolean): void {
  if (asJson) process.stdout.write(`${JSON.stringify({ day, verdict, exitCode, steps, remarks })}\n`)
  else process.stdout.write(`${[...steps.map(lineOf), ...remarks].join('\n')}\n\n${verdict}  ${day}: ${CLOSING_WORDS[verdict]}\n`)
}

async function storedState(file: string): Promise<State | undefined> {
  const bytes = await readLocal(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new UsageError(error.message)
  })
  return bytes === undefined ? undefined : given(file, () => readState(new Uint8Array(bytes)))
}

/** Whole and on the disk, or not at all. */
async function saveState(file: string, state: State): Promise<void> {
  const fresh = `${file}.new`
  const handle = await open(fresh, 'w', 0o600)
  try {
    await handle.writeFile(writeState(state))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(fresh, file)
}

async function watch({ values, words: [, place] }: Called): Promise<number> {
  const { key, state: file, webhook } = values
  if (place === undefined || key === undefined || file === undefined) throw new UsageError('watch needs an address, --key and --state')
  const { name } = given('--key', () => readVerifierKey(key))
  const everyMs = 1000 * Number(values.every ?? 30)
  if (!(everyMs > 0)) throw new UsageError('--every takes a number of seconds')
  const keyFile = values['witness-key']
  const witness = keyFile === undefined ? undefined : await witnessOf(keyFile)
  const before = await storedState(file)
  if (before !== undefined && before.checkpoint.origin !== name)
    throw new UsageError(
      `--key is of ${name}, and ${file} remembers ${before.checkpoint.origin}: name another file, or the key of that log`,
    )
  let alarms = 0
  const say = (line: string): void => void process.stdout.write(`${new Date().toISOString()} ${line}\n`)
  const raise = async (alarm: Alarm): Promise<void> => {
    alarms += 1
    process.stderr.write(`ALARM ${alarm.kind}: ${alarm.words}\n`)
    await writeFile(`${file}.alarm-${Date.now()}-${alarms}.txt`, [alarm.words, ...alarm.evidence].join('\n\n'))
    if (webhook !== undefined)
      await postAlarm(webhook, place, alarm).catch((error: Error) => say(`the webhook was not reached: ${error.message}`))
  }
  const settings = { logKey: before?.logKey ?? key, givenKey: key, witness, chainHash: values.chain }
  const ports = {
    source: sourceOf(place),
    post: postTo(place),
    nowMs: Date.now,
    save: (state: State) => saveState(file, state),
    say,
    alarm: raise,
  }
  const watching = createWatch(ports, settings, before)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  if (witness !== undefined) say(`witness ${verifierKeyOf(witness)}`)
  for (;;) {
    const { isForked } = await (values.once === true ? watching.look() : watching.follow())
    if (isForked || values.once === true || stop.signal.aborted) return alarms > 0 ? 2 : 0
    await pause(everyMs, stop.signal)
    if (stop.signal.aborted) return alarms > 0 ? 2 : 0
  }
}

async function witnessOf(file: string): Promise<Signer> {
  const text = new TextDecoder().decode(await local(file))
  const signer = given(file, () => readSignerKey(text))
  if (signer.algorithm !== 4) throw new UsageError(`${file} is not a witness's key`)
  return signer
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })

/** 503 where nobody answered: it is tried again. */
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
  await fetch(webhook, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: AbortSignal.timeout(30_000) })
}

async function keygen({ words: [, name, file] }: Called): Promise<number> {
  if (name === undefined || file === undefined || !/^[!-*,-~]{1,128}$/.test(name))
    throw new UsageError('keygen takes a name without spaces and a file')
  const signer = { name, algorithm: 4, secret: new Uint8Array(randomBytes(32)) } as const
  await writeFile(file, `${writeSignerKey(signer)}\n`, { mode: 0o600, flag: 'wx' })
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
  // The reader's mistake, told as such; anything else is a fault of this program.
  if (!(error instanceof UsageError) && !(error instanceof MalformedError)) throw error
  process.stderr.write(`${error.message}\nroz-verify --help tells more.\n`)
  process.exitCode = 1
}

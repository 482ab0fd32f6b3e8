/**
 * The monitor and witness: follows a log, checks each day as it ends, and cosigns checkpoints.
 *
 * - It cosigns only a log that extends the last accepted tree. It never signs two trees of one size, or a smaller one.
 * - A cosignature is saved before it is submitted.
 * - It raises an alarm if the log was rewritten or forked, if records are gone or late, or if a day fails.
 */
import { equal, MalformedError, utf8 } from './bytes.ts'
import { evidenceOfAllDays } from './evidence.ts'
import { HOUR_MS, lateRecords } from './lateness.ts'
import { daysOf, type Entry, type KeyChain, keyChain, ofKind, readEntries, RECORDS_PER_FILE } from './log.ts'
import { rootOf } from './merkle.ts'
import { type Checkpoint, cosign, readCheckpoint, type Signer, type VerifierKey, writeNote } from './note.ts'
import { MOST_NOTE_BYTES, readFile, type Source, UnavailableError, withMemory } from './sources.ts'
import type { State } from './state.ts'
import { Finding } from './steps.ts'
import { checkCheckpoint, type Kept, witnessesOf } from './steps-log.ts'
import { verifyDay } from './verify.ts'

/** A cache may serve an older checkpoint for 5 minutes; after that it is an alarm. */
const STALE_MS = 300_000
/** Retry delay of an incomplete day; it doubles up to one hour. */
const AGAIN_MS = 60_000
const AGAIN_MOST_MS = 3_600_000
/** Default tolerance for late records: 12 h. */
const ALLOWED_MS = 43_200_000
/** Tolerated backward step of the witness's clock, in seconds (spec/protocol.md, chapter 16). */
const SLOW_S = 60

export type Alarm = {
  /**
   * `fork`: the log signed two contradictory trees. `log`: a signature or a record is invalid.
   * `shrunk`: records are gone. `day`: a day fails. `late`: a record or the log itself is overdue.
   */
  readonly kind: 'fork' | 'log' | 'shrunk' | 'day' | 'late'
  readonly words: string
  /** Signed notes and reports that prove the alarm to others. */
  readonly evidence: readonly string[]
}
export type WatchPorts = {
  readonly source: Source
  /** Submits a cosignature and returns the HTTP status. */
  readonly post: (path: string, body: Uint8Array) => Promise<number>
  readonly nowMs: () => number
  /** The state is durable when the promise resolves. */
  readonly save: (state: State) => Promise<void>
  readonly say: (line: string) => void
  /** If the promise rejects, the same alarm is sent again at the next look. */
  readonly alarm: (alarm: Alarm) => Promise<void>
  /** See VerifyOptions. */
  readonly settle?: () => Promise<void>
}
export type WatchSettings = {
  readonly logKey: string
  /** The key given in the call, if the state has another one. Both must belong to the same key chain. */
  readonly givenKey?: string
  readonly witness: Signer | undefined
  readonly chainHash: string | undefined
  /** Tolerance for late records in ms; 0 turns the alarm off, for a log that has ended. */
  readonly allowedMs?: number
}
/** `isRead`: the log was read completely; otherwise the reason was reported. */
export type Look = { readonly state: State | undefined; readonly isForked: boolean; readonly isRead: boolean }
/** One complete look, including the checks of days. */
export type Watch = { readonly look: () => Promise<Look> }
export type Follower = Watch & {
  /** Follows the log and cosigns. Days are checked in the background, so a slow or stalled day delays no cosignature. */
  readonly follow: () => Promise<Look>
  /** Resolves when the running checks of days are done. */
  readonly settled: () => Promise<void>
}

type Seen = {
  readonly checkpoint: Checkpoint
  readonly entries: readonly Entry[]
  readonly chain: KeyChain
  readonly witnesses: readonly VerifierKey[]
}
/** The tree accepted last. A smaller tree must be a prefix of it. */
type Known = Omit<Seen, 'checkpoint'> & { readonly leaves: readonly Uint8Array[] }

export function createWatch(ports: WatchPorts, settings: WatchSettings, before: State | undefined): Follower {
  let state = before
  let shrunkSinceMs: number | undefined
  let unreadSinceMs: number | undefined
  const raised = new Set<string>()
  const unsent = new Set<Alarm>()
  const said = new Map<string, string>()
  const again = new Map<string, { readonly atMs: number; readonly waitMs: number }>()
  let saving: Promise<void> = Promise.resolve()
  let checking: Promise<void> | undefined
  let broken: { readonly error: unknown } | undefined
  let known: Known | undefined
  let latestS = 0
  const isFinal = (path: string): boolean => {
    const file = /^log\/entries\/(\d+)$/.exec(path)?.[1]
    return file !== undefined && (Number(file) + 1) * RECORDS_PER_FILE <= (state?.checkpoint.size ?? 0)
  }
  const source = withMemory(ports.source, isFinal)
  const repeatedEvidence = evidenceOfAllDays(source)

  const raise = async (alarm: Alarm): Promise<void> => {
    if (raised.has(alarm.words)) return
    raised.add(alarm.words)
    await send(alarm)
  }
  const send = async (alarm: Alarm): Promise<void> => {
    try {
      await ports.alarm(alarm)
      unsent.delete(alarm)
    } catch (error) {
      unsent.add(alarm)
      ports.say(`an alarm is sent again at the next check: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  /** Saves changes of the state one after another; each starts from the state saved before it. */
  const keep = (change: (now: State | undefined) => State | undefined): Promise<void> => {
    const before = saving
    saving = (async () => {
      await before.catch(() => undefined)
      const next = change(state)
      if (next === undefined) return
      await ports.save(next)
      state = next
    })()
    return saving
  }

  async function handIn(): Promise<void> {
    const pending = state?.pending
    if (state === undefined || pending === undefined) return
    const status = await ports.post('log/cosignatures', pending)
    if (status >= 500 || status === 429) ports.say(`the log did not take the cosignature (${status}); it is handed in again`)
    else {
      ports.say(
        status === 204
          ? `cosigned ${state.checkpoint.size} records`
          : `the log refuses the cosignature of ${state.checkpoint.size} records (${status})`,
      )
      await keep((now) => now && { ...now, pending: undefined })
    }
  }

  /** Refuses a clock that went back: an earlier timestamp would claim that a list was seen before it was. */
  function witnessTime(): number {
    const seconds = Math.floor(ports.nowMs() / 1000)
    if (seconds < latestS - SLOW_S) throw new UnavailableError('the clock went back: nothing is cosigned until it has caught up')
    latestS = Math.max(latestS, seconds)
    return seconds
  }

  async function accept({ checkpoint, chain }: Seen): Promise<void> {
    const { origin, size, root, note } = checkpoint
    const isNew = size > (state?.checkpoint.size ?? 0)
    const logKey = chain.keys.at(-1)?.key.text ?? settings.logKey
    if (!isNew) return
    const line = settings.witness && cosign(note.text, settings.witness, witnessTime())
    const pending = line && new TextEncoder().encode(writeNote({ text: note.text, signatures: [line] }))
    const kept = { logKey, checkpoint: { origin, size, root }, note: new TextEncoder().encode(writeNote(note)), pending }
    await keep((now) => ({ ...kept, seenTo: now?.seenTo, waiting: now?.waiting ?? [] }))
  }

  async function checkDays({ entries }: Seen): Promise<void> {
    if (state === undefined) return
    const inLog = daysOf(entries)
    const opened = ofKind(entries, 'open').map(({ record }) => record.day)
    const due = [...state.waiting, ...opened.filter((day) => day > (state?.seenTo ?? ''))]
    for (const day of opened.filter((one) => one > (state?.seenTo ?? ''))) ports.say(`${day} is open: seen for the first time`)
    const waiting: string[] = []
    for (const day of due) {
      const { result, void: ended, books } = inLog(day)
      if ((result === undefined && ended === undefined) || books === undefined || !(await isChecked(day, entries))) waiting.push(day)
    }
    const seenTo = opened.at(-1)
    if (seenTo !== state.seenTo || waiting.join() !== state.waiting.join()) await keep((now) => now && { ...now, seenTo, waiting })
  }

  async function isChecked(day: string, entries: readonly Entry[]): Promise<boolean> {
    const before = again.get(day)
    if (before !== undefined && ports.nowMs() < before.atMs) return false
    const { logKey, chainHash } = settings
    const report = await verifyDay(source, day, {
      logKey,
      ...(state && { kept: state.checkpoint }),
      ...(chainHash !== undefined && { chainHash }),
      ...(ports.settle && { settle: ports.settle }),
    })
    const notes = report.steps
      .filter((outcome) => outcome.state !== 'pass' && outcome.state !== 'none')
      .map(({ step, words }) => `${step}: ${words}`)
    const line = [`${day} ${report.verdict}`, ...notes, ...report.remarks].join(' · ')
    if (said.get(day) !== line) ports.say(line)
    said.set(day, line)
    if (report.verdict === 'FAIL')
      await raise({ kind: 'day', words: `${day} fails: ${notes.join(' · ')}`, evidence: [JSON.stringify(report.steps)] })
    for (const words of await repeatedEvidence(entries, day)) await raise({ kind: 'day', words, evidence: keptNote() })
    const waitMs = Math.min(2 * (before?.waitMs ?? AGAIN_MS / 2), AGAIN_MOST_MS)
    if (report.verdict === 'INCOMPLETE') again.set(day, { atMs: ports.nowMs() + waitMs, waitMs })
    else again.delete(day)
    return report.verdict !== 'INCOMPLETE'
  }

  const keptNote = (): readonly string[] => (state === undefined ? [] : [utf8(state.note)])

  /** Detects a fork: the log signed a smaller tree that is not a prefix of the known one. */
  async function isOfAnotherPast(checkpoint: Checkpoint): Promise<boolean> {
    if (known === undefined || checkpoint.size > known.leaves.length) return false
    checkCheckpoint(checkpoint, known.chain, known.witnesses)
    if (equal(rootOf(known.leaves.slice(0, checkpoint.size)), checkpoint.root)) return false
    const words = `the log signed ${checkpoint.size} records that are not the first of the ${known.leaves.length} that it had shown: it was forked`
    await raise({ kind: 'fork', words, evidence: [writeNote(checkpoint.note), ...keptNote()] })
    return true
  }

  /** Returns undefined if the log cannot be followed now; the reason was reported or raised as an alarm. */
  async function read(): Promise<Seen | 'forked' | undefined> {
    const bytes = await readFile(source, 'log/checkpoint', MOST_NOTE_BYTES)
    if (bytes === undefined) throw new UnavailableError('there is no log/checkpoint at this address')
    const checkpoint = readCheckpoint(bytes)
    const isOlder = checkpoint.size < (state?.checkpoint.size ?? 0)
    shrunkSinceMs = isOlder ? (shrunkSinceMs ?? ports.nowMs()) : undefined
    if (isOlder) {
      if (await isOfAnotherPast(checkpoint)) return 'forked'
      const words = `the log shows ${checkpoint.size} records and had ${state?.checkpoint.size ?? 0}`
      if (ports.nowMs() - (shrunkSinceMs ?? 0) >= STALE_MS)
        await raise({ kind: 'shrunk', words, evidence: [writeNote(checkpoint.note), ...keptNote()] })
      else ports.say(words)
      return undefined
    }
    const entries = await readEntries(source, checkpoint.size, () => undefined)
    if (entries === undefined) throw new UnavailableError('the log does not show all records of its checkpoint')
    const chain = keyChain(entries, settings.logKey)
    const trusted = [settings.logKey, settings.givenKey ?? settings.logKey]
    if (!chain.isSound || !trusted.every((one) => chain.keys.some(({ key }) => key.text === one)))
      throw new Finding('fail', 'the key you gave does not lead to the keys of this log')
    const witnesses = witnessesOf(ofKind(entries, 'open').map(({ record }) => record))
    checkCheckpoint(checkpoint, chain, witnesses)
    return { checkpoint, entries, chain, witnesses }
  }

  /** Returns how the log contradicts the kept checkpoint; undefined if it extends it. */
  function contradicts({ checkpoint, entries }: Seen, kept: Kept | undefined): string | undefined {
    const leaves = entries.map(({ leaf }) => leaf)
    if (!equal(rootOf(leaves), checkpoint.root)) return `the ${checkpoint.size} records do not give the root that the log signed`
    if (kept === undefined) return undefined
    if (kept.origin !== checkpoint.origin) return `the log calls itself ${checkpoint.origin} and was ${kept.origin}`
    return equal(rootOf(leaves.slice(0, kept.size)), kept.root)
      ? undefined
      : `the first ${kept.size} records differ from before: the log was rewritten or forked`
  }

  async function tell(error: unknown): Promise<void> {
    if (error instanceof UnavailableError) ports.say(error.message)
    else if (error instanceof MalformedError || error instanceof Finding)
      await raise({ kind: 'log', words: error.message, evidence: keptNote() })
    else throw error
  }

  function startDays(seen: Seen): void {
    checking ??= checkDays(seen)
      .catch(tell)
      .catch((error: unknown) => void (broken = { error }))
      .finally(() => void (checking = undefined))
  }

  /** Rethrows an unexpected error of a background check. */
  function assertSound(): void {
    if (broken !== undefined) throw broken.error
  }

  /** Raises alarms for late records, and for a log that cannot be read for the same time. */
  async function raiseLate(isRead: boolean): Promise<void> {
    const [nowMs, allowedMs] = [ports.nowMs(), settings.allowedMs ?? ALLOWED_MS]
    const unread = `the log could not be read for ${allowedMs / HOUR_MS} h`
    unreadSinceMs = isRead ? undefined : (unreadSinceMs ?? nowMs)
    if (isRead) raised.delete(unread)
    if (allowedMs === 0) return
    const late = known === undefined ? [] : [...lateRecords(known.entries, nowMs, allowedMs)]
    if (unreadSinceMs !== undefined && nowMs > unreadSinceMs + allowedMs) late.push(unread)
    for (const words of late) await raise({ kind: 'late', words, evidence: keptNote() })
  }

  async function follow(): Promise<Look> {
    assertSound()
    for (const alarm of Array.from(unsent)) await send(alarm)
    const looked = await followed()
    if (!looked.isForked) await raiseLate(looked.isRead)
    return looked
  }

  async function followed(): Promise<Look> {
    try {
      const seen = await read()
      if (seen === undefined || seen === 'forked') return { state, isForked: seen === 'forked', isRead: false }
      const fork = contradicts(seen, state?.checkpoint)
      if (fork !== undefined) {
        await raise({ kind: 'fork', words: fork, evidence: [writeNote(seen.checkpoint.note), ...keptNote()] })
        return { state, isForked: true, isRead: true }
      }
      known = { ...seen, leaves: seen.entries.map(({ leaf }) => leaf) }
      // If the state cannot be saved, nothing is cosigned, but days are still checked.
      await accept(seen).then(handIn).catch(tell)
      startDays(seen)
      return { state, isForked: false, isRead: true }
    } catch (error) {
      await tell(error)
      return { state, isForked: false, isRead: false }
    }
  }

  async function settled(): Promise<void> {
    await checking
    assertSound()
  }

  async function look(): Promise<Look> {
    const looked = await follow()
    await settled()
    return { ...looked, state }
  }
  return { look, follow, settled }
}

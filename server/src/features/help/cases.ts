/**
 * Requests for help, as strangers see them: the form and the stage of a request.
 * - Words and contact are encrypted at rest. The phone number is also a keyed hash, by which the desk sees its other requests.
 * - The same form from the same phone is the same request. With a correction it is a new one, whose answer is as for a new phone: whoever
 *   knows a phone number must not learn by it that somebody asks for help, nor change the request.
 * - An agreed request may be on a public list, so its number is no secret, and it is not withdrawn here.
 * - A withdrawal is mailed to the address of the request, and to the owners where the team had begun: the team reads numbers and phones,
 *   so somebody of it could withdraw in the person's name.
 * - An unknown number and a wrong phone number get one answer. An address may give ten wrong ones a day for a number: nobody uses up
 *   the tries of somebody elsewhere.
 */
import { randomInt, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Input, Output } from '@roz/contract/api.ts'
import type { caseCalls } from '@roz/contract/cases.ts'
import { CASE_OPEN, type CaseReason, type CaseStage, caseNumberOf, mayWithdraw } from '@roz/core/case-fields.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { lockOneInTransaction } from '../../db/advisory-locks.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { tellOwners } from '../../mail/owner-mails.ts'
import { instantOf } from '../../lists/listing.ts'
import { limitAttempts, limitRules, take } from '../../protection/limits.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { CaseDeps } from './deps.ts'

type Asked = Input<(typeof caseCalls)['askForHelp']>['body']
/** The encrypted fields of a case. `answer`: the free words of a refusal. */
export type SealedCase = {
  readonly words: string
  readonly name: string
  readonly phone: string
  readonly email: string
  readonly knows: boolean
  readonly answer?: string
}

const contextOf = (number: string): string => `help_case:${number}`
export const seal = (secrets: Secrets, number: string, sealed: SealedCase): Buffer =>
  secrets.encrypt(Buffer.from(JSON.stringify(sealed)), contextOf(number))
export const unseal = (secrets: Secrets, number: string, sealed: Buffer): SealedCase =>
  JSON.parse(secrets.decrypt(sealed, contextOf(number)).toString('utf8')) as SealedCase

/** The keyed hashes of a phone number, the present key's first. */
const macsOf = (secrets: Secrets, phone: string) => secrets.fingerprints(Buffer.from(phone), 'help_case_phone')

// Crockford's base 32 has no letter that looks like a digit.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const makeNumber = (letters: number): string => Array.from({ length: letters }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

type Found = {
  readonly number: string
  readonly stage: CaseStage
  readonly askedAt: Date
  readonly reason: CaseReason | null
  readonly sealed: Buffer | null
}
const NOT_FOUND = { ok: false, code: 'case_not_found' } as const

export function caseHandlers(deps: CaseDeps): Handlers<'askForHelp' | 'askedHelp' | 'withdrawAskedHelp'> {
  const { db, secrets } = deps
  const rules = limitRules(deps)
  return {
    askForHelp: async ({ body, language, origin, ip, userAgent }) => {
      const taken = await take(db, rules.askedHelp(body.phone, { ip, userAgent }))
      if (!taken.ok) return taken
      return inTransaction(db, (tx) => store(tx, deps, body, { language, origin }))
    },
    askedHelp: async ({ params, body, ip, userAgent }) => {
      const number = caseNumberOf(params.number)
      if (number === undefined) return NOT_FOUND
      const taken = await take(db, rules.lookedUpCase(number, body.phone, { ip, userAgent }))
      if (!taken.ok) return taken
      const found = await db.maybeOne<Found>(
        sql`select number, stage, asked_at as "askedAt", reason, sealed from help_case where number = ${number}::text`,
      )
      const known = found === undefined || found.sealed === null ? undefined : unseal(secrets, number, found.sealed)
      if (found === undefined || known === undefined || known.phone !== body.phone) return NOT_FOUND
      await taken.giveBack()
      return { ok: true, value: stageOf(found, known) }
    },
    withdrawAskedHelp: async ({ params, body, origin, ip, userAgent }) => {
      const number = caseNumberOf(params.number)
      if (number === undefined) return NOT_FOUND
      return limitAttempts(
        db,
        rules.lookedUpCase(number, body.phone, { ip, userAgent }),
        () => inTransaction(db, (tx) => withdraw(tx, deps, { number, phone: body.phone, origin })),
        (outcome) => !outcome.ok && outcome.code === 'case_not_found',
      )
    },
  }
}

const stageOf = ({ number, stage, askedAt, reason }: Found, { answer }: SealedCase): Output<(typeof caseCalls)['askedHelp']> => ({
  number,
  stage,
  askedAt: instantOf(askedAt),
  reason,
  answer: answer ?? null,
})

type Withdrawing = { readonly number: string; readonly phone: string; readonly origin: string }

/** The person who asked takes the request back. What identifies the person is deleted with it. */
async function withdraw(tx: Tx, { secrets }: CaseDeps, { number, phone, origin }: Withdrawing) {
  const found = await tx.maybeOne<Pick<Found, 'stage' | 'sealed'> & { readonly language: Language; readonly isAssigned: boolean }>(
    sql`select stage, sealed, language, assigned_to is not null as "isAssigned" from help_case where number = ${number}::text for update`,
  )
  const known = found === undefined || found.sealed === null ? undefined : unseal(secrets, number, found.sealed)
  if (found === undefined || known === undefined || known.phone !== phone) return NOT_FOUND
  if (!mayWithdraw(found.stage)) return { ok: false, code: 'case_too_late' } as const
  await moveCase(tx, secrets, { stage: 'withdrawn', by: null, where: sql`c.number = ${number}::text` })
  const { language } = found
  if (known.email !== '')
    await enqueue(tx, {
      kind: 'mail',
      key: `help_withdrawn:${number}`,
      payload: { to: known.email, template: 'help_withdrawn', language, data: { number, name: '', origin } },
    })
  if (found.isAssigned || found.stage !== 'new') await tellOwners(tx, { what: 'request_withdrawn', actorId: null, about: `#${number}` })
  await forgetCases(tx, [number])
  return { ok: true, value: { number } } as const
}

/** Deletes what identifies a person: words, contact, the hash of the phone number, and the team's notes. */
export async function forgetCases(tx: Tx, numbers: readonly string[]): Promise<void> {
  await tx.query(sql`update help_case set sealed = null, phone_mac = null where number = any (${[...numbers]}::text[])`)
  await tx.query(sql`update help_case_step set sealed_note = null where number = any (${[...numbers]}::text[]) and sealed_note is not null`)
}

type Asking = { readonly language: Language; readonly origin: string }

async function store(tx: Tx, { secrets }: CaseDeps, body: Asked, { language, origin }: Asking) {
  if (body.until && (parseDay(body.until) === undefined || (await isPast(tx, body.until as IstDay)))) return invalid({ until: 'case_day' })
  const macs = macsOf(secrets, body.phone)
  // Of two requests that arrive at once, the second one sees the first.
  await lockOneInTransaction(tx, 'helpCasePhone', macs[0].readInt32BE(0))
  const asked: SealedCase = {
    words: body.words,
    name: body.name,
    phone: body.phone,
    email: body.email ?? '',
    knows: body.for === 'self' || body.knows === 'yes',
  }
  const paise = body.amount ? `${body.amount}00` : null
  const until = body.until || null
  const open = await tx.query<{ readonly number: string; readonly sealed: Buffer }>(sql`
    select number, sealed from help_case where phone_mac = any (${[...macs]}::bytea[]) and stage = any (${[...CASE_OPEN]}::text[])
       and asked_at > roz_now() - interval '30 days' and kind = ${body.kind}::text and for_whom = ${body.for}::text
       and district = ${body.district}::text and state = ${body.state}::text
       and asked_paise is not distinct from ${paise}::bigint and needed_by is not distinct from ${until}::date`)
  const same = open.find(({ number, sealed }) => isDeepStrictEqual(unseal(secrets, number, sealed), asked))
  if (same !== undefined) return { ok: true, value: { number: same.number } } as const
  // Four letters are a million numbers; a fifth and a sixth come once most are used.
  for (const letters of [4, 4, 4, 4, 5, 6]) {
    const number = makeNumber(letters)
    const stored = await tx.maybeOne(sql`
      insert into help_case (number, kind, for_whom, district, state, language, asked_paise, needed_by, sealed, phone_mac)
          values (${number}::text, ${body.kind}::text, ${body.for}::text, ${body.district}::text, ${body.state}::text, ${language}::text,
            ${paise}::bigint, ${until}::date, ${seal(secrets, number, asked)}::bytea, ${macs[0]}::bytea)
          on conflict (number) do nothing returning number`)
    if (stored === undefined) continue
    if (asked.email !== '')
      await enqueue(tx, {
        kind: 'mail',
        key: `help_asked:${number}`,
        payload: { to: asked.email, template: 'help_asked', language, data: { number, name: '', origin } },
      })
    return { ok: true, value: { number } } as const
  }
  throw new Error('no unused number of a request was found')
}

const isPast = async (tx: Tx, day: IstDay): Promise<boolean> =>
  (await tx.one<{ isPast: boolean }>(sql`select ${day}::date < ist_day(roz_now()) as "isPast"`)).isPast

type TakenStep = {
  readonly number: string
  readonly step: string
  readonly how?: string | null
  readonly note?: string
  /** Null: the person who asked. */
  readonly by: bigint | null
}
/**
 * Writes a step of the history. The caller has locked the case. Once the words of the request are deleted no note is kept: nothing would
 * delete it.
 */
export async function recordStep(tx: Tx, secrets: Secrets, { number, step, how, note, by }: TakenStep): Promise<void> {
  const id = randomUUID()
  const encrypted = note === undefined ? null : secrets.encrypt(Buffer.from(note), stepContext(id))
  await tx.query(sql`
    insert into help_case_step (id, number, step, how, sealed_note, done_by)
    select ${id}::uuid, number, ${step}::text, ${how ?? null}::text, case when sealed is not null then ${encrypted}::bytea end, ${by}::bigint
      from help_case where number = ${number}::text`)
}
/** Moves the request `c` of this condition to a stage, and records the step. */
export async function moveCase(
  tx: Tx,
  secrets: Secrets,
  { stage, by, where }: { readonly stage: CaseStage; readonly by: bigint | null; readonly where: Sql },
): Promise<void> {
  const found = await tx.maybeOne<{ number: string }>(sql`
    update help_case c set stage = ${stage}::text, version = c.version + 1, touched_at = roz_now(), stage_at = roz_now()
         where ${where} returning c.number`)
  if (found !== undefined) await recordStep(tx, secrets, { number: found.number, step: stage, by })
}
export const stepContext = (id: string): string => `help_case_step:${id}`

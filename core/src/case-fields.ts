/**
 * A request for help: its fields, its stages and the order in which they follow.
 * - The person who asks may be another one than the person in need.
 * - A stage never goes back, unless the whole help came back. An attempt to reach somebody leaves the stage as it is.
 */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { phone } from './person-fields.ts'
import { name } from './name-fields.ts'
import { tellsContact } from './public-words.ts'
import { texts } from './texts.ts'
import { asciiDigits, readOr } from './typed.ts'
import { readAmount } from './typed-money.ts'
import { oneLine, severalLines } from './written.ts'

export const CASE_TEXTS = {
  case_kind: texts('Please choose what the help is for'),
  case_for: texts('Please say who needs the help'),
  case_words: texts('Please describe the need in 10 to 2,000 characters'),
  case_place: texts('Please enter the district in letters, 2 to 60 characters, without a web address'),
  case_state: texts('Please choose the State'),
  case_amount: texts('Please enter an amount in rupees, or leave it empty'),
  case_day: texts('Please enter a day, or leave it empty'),
  case_note: texts('Please write a note of 3 to 2,000 characters'),
  case_agreed_amount: texts('Please enter the amount that is agreed'),
  case_order: texts('Please choose two requests or more'),
  case_reason: texts('Please choose a reason that the person reads'),
} as const satisfies Words

export const CASE_KINDS = ['food', 'school', 'medicine', 'rent', 'tools', 'other'] as const
export type CaseKind = (typeof CASE_KINDS)[number]
export const CASE_FOR = ['self', 'relative', 'other'] as const
export type CaseFor = (typeof CASE_FOR)[number]
export const CASE_URGENCIES = ['today', 'week', 'can_wait'] as const
export type CaseUrgency = (typeof CASE_URGENCIES)[number]
export const CASE_WAYS = ['call', 'visit', 'papers'] as const

/** States and Union Territories (names: states-of-india.ts). */
export const STATES = [
  'AN',
  'AP',
  'AR',
  'AS',
  'BR',
  'CH',
  'CG',
  'DH',
  'DL',
  'GA',
  'GJ',
  'HR',
  'HP',
  'JK',
  'JH',
  'KA',
  'KL',
  'LA',
  'LD',
  'MP',
  'MH',
  'MN',
  'ML',
  'MZ',
  'NL',
  'OD',
  'PY',
  'PB',
  'RJ',
  'SK',
  'TN',
  'TS',
  'TR',
  'UP',
  'UK',
  'WB',
] as const
export type StateCode = (typeof STATES)[number]

export const CASE_STAGES = [
  'new',
  'called',
  'checked',
  'agreed',
  'waiting',
  'helped',
  'followed_up',
  'refused',
  'withdrawn',
  'unreachable',
] as const
export type CaseStage = (typeof CASE_STAGES)[number]
/** Nothing more happens, and the words and the contact are deleted 90 days later. */
export const CASE_ENDS = ['refused', 'withdrawn', 'unreachable'] as const satisfies readonly CaseStage[]
/** Somebody waits for us. */
export const CASE_OPEN = ['new', 'called', 'checked', 'agreed', 'waiting'] as const satisfies readonly CaseStage[]

/** A step of the team: a stage, or an attempt that reached nobody. `agreed`, `waiting` and `helped` are no steps of their own call. */
export const CASE_STEPS = ['tried', 'called', 'checked', 'followed_up', ...CASE_ENDS] as const
export type CaseStep = (typeof CASE_STEPS)[number]
/** Attempts before a person counts as unreachable. */
export const TRIES_BEFORE_UNREACHABLE = 3

/** From `waiting` only once the payment is rejected or came back: the server knows. */
const FROM = {
  tried: ['new', 'called', 'checked', 'agreed', 'waiting'],
  called: ['new', 'called'],
  checked: ['new', 'called', 'checked'],
  followed_up: ['helped', 'followed_up'],
  refused: ['new', 'called', 'checked'],
  withdrawn: ['new', 'called', 'checked', 'agreed', 'waiting'],
  unreachable: ['new', 'called', 'checked', 'agreed', 'waiting'],
} as const satisfies Record<CaseStep, readonly CaseStage[]>
export const mayStep = (stage: CaseStage, step: CaseStep): boolean => (FROM[step] as readonly CaseStage[]).includes(stage)
/** Whether the person who asked may still withdraw on the request's page. Later its number may be public, and the person tells us. */
export const mayWithdraw = (stage: CaseStage): boolean => stage !== 'agreed' && stage !== 'waiting' && mayStep(stage, 'withdrawn')
export const stepsFrom = (stage: CaseStage): readonly CaseStep[] => CASE_STEPS.filter((step) => mayStep(stage, step))

/** Why a request is refused, in words that the person reads. Free words may follow. */
export const CASE_REASONS = {
  not_our_help: texts('We cannot give this kind of help. We are sorry.'),
  others_help: texts('A public scheme or a hospital can help better here. We told you which one.'),
  cannot_check: texts('We could not check the need well enough to use other people’s money for it. That is no judgement of you.'),
  no_money: texts('We do not have enough money for this now. You may ask again later.'),
} as const
export const CASE_REASON_CODES = Object.keys(CASE_REASONS) as readonly (keyof typeof CASE_REASONS)[]
export type CaseReason = keyof typeof CASE_REASONS

const code = (problem: keyof typeof CASE_TEXTS) => ({ error: problem })
/** At most two letters before a point are no web address: `y.s.r.kadapa`, `dr.ambedkar nagar`. */
const spacedAfterInitials = (place: string): string => place.replace(/(?<![^ .])[\p{L}\p{M}]{1,2}\./gu, '$& ')
const place = z.string('case_place').check(
  oneLine,
  z.minLength(2, code('case_place')),
  // A longer text meets no pattern: they would take long.
  z.maxLength(60, { ...code('case_place'), abort: true }),
  // One number of two digits, as in North 24 Parganas.
  z.regex(/^(?:[\p{L}\p{M}\p{Join_C} .'’-]+ )?(?:\p{Nd}{1,2} )?[\p{L}\p{M}\p{Join_C} .'’-]+$/u, code('case_place')),
  // The team's list shows it, and it stays when words and contact are deleted.
  z.refine((place) => !tellsContact(spacedAfterInitials(place)), code('case_place')),
)

export const caseNote = z.string('case_note').check(severalLines, z.minLength(3, code('case_note')), z.maxLength(2000, code('case_note')))

const readRupees = (text: string): string | undefined => {
  const amount = readAmount(text)
  return amount === undefined || amount % 100n !== 0n ? undefined : String(amount / 100n)
}

/** The fields of the public form, as text: it works without scripts. The contract says which of them may be missing. */
export const askedCase = {
  for: z.enum(CASE_FOR, 'case_for'),
  kind: z.enum(CASE_KINDS, 'case_kind'),
  words: z.string('case_words').check(severalLines, z.minLength(10, code('case_words')), z.maxLength(2000, code('case_words'))),
  /** Whole rupees; empty where nobody knows yet. */
  amount: z.string('case_amount').check(z.trim(), z.overwrite(readOr(readRupees)), z.regex(/^(?:[1-9]\d{0,6})?$/, code('case_amount'))),
  until: z.string('case_day').check(z.trim(), z.regex(/^(?:\d{4}-\d{2}-\d{2})?$/, code('case_day'))),
  district: place,
  state: z.enum(STATES, 'case_state'),
  name,
  phone,
} as const

/** A number without letters that look like digits: `3F9A`. */
const CASE_NUMBER = /^[0-9A-HJKMNP-TV-Z]{4,6}$/
/** The number as a person may type it: `#3f9a`, `३४७५`, `3F9O` for `3F90`. */
export const caseNumberOf = (typed: string): string | undefined => {
  const number = asciiDigits(typed).trim().replace(/^#/, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1')
  return CASE_NUMBER.test(number) ? number : undefined
}

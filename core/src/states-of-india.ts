/** The States and Union Territories of India, by the letters of their vehicle numbers. A request for help names one. */
import { STATES, type StateCode } from './case-fields.ts'
import type { Language, Texts } from './language.ts'
import { texts } from './texts.ts'

const STATE_NAMES = {
  AN: texts('Andaman and Nicobar Islands'),
  AP: texts('Andhra Pradesh'),
  AR: texts('Arunachal Pradesh'),
  AS: texts('Assam'),
  BR: texts('Bihar'),
  CH: texts('Chandigarh'),
  CG: texts('Chhattisgarh'),
  DH: texts('Dadra and Nagar Haveli and Daman and Diu'),
  DL: texts('Delhi'),
  GA: texts('Goa'),
  GJ: texts('Gujarat'),
  HR: texts('Haryana'),
  HP: texts('Himachal Pradesh'),
  JK: texts('Jammu and Kashmir'),
  JH: texts('Jharkhand'),
  KA: texts('Karnataka'),
  KL: texts('Kerala'),
  LA: texts('Ladakh'),
  LD: texts('Lakshadweep'),
  MP: texts('Madhya Pradesh'),
  MH: texts('Maharashtra'),
  MN: texts('Manipur'),
  ML: texts('Meghalaya'),
  MZ: texts('Mizoram'),
  NL: texts('Nagaland'),
  OD: texts('Odisha'),
  PY: texts('Puducherry'),
  PB: texts('Punjab'),
  RJ: texts('Rajasthan'),
  SK: texts('Sikkim'),
  TN: texts('Tamil Nadu'),
  TS: texts('Telangana'),
  TR: texts('Tripura'),
  UP: texts('Uttar Pradesh'),
  UK: texts('Uttarakhand'),
  WB: texts('West Bengal'),
} as const satisfies Record<StateCode, Texts>

const isCode = (state: string): state is StateCode => Object.hasOwn(STATE_NAMES, state)
/** The name of a stored State; a word that is no code is shown as it is. */
export const stateName = (state: string, language: Language): string => (isCode(state) ? STATE_NAMES[state][language] : state)

/** All States in the order of their names. */
export function statesIn(language: Language): readonly { readonly code: StateCode; readonly name: string }[] {
  const { compare } = new Intl.Collator(language)
  return STATES.map((code) => ({ code, name: STATE_NAMES[code][language] })).toSorted((one, other) => compare(one.name, other.name))
}

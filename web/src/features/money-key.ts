/**
 * One key for one intent to move money. Invariant: a key lives until there is an answer for that key,
 * whatever is pressed, typed or opened meanwhile, so that pressing again after a lost answer can never
 * take the money twice.
 */
import type { RefusalCode } from '@roz/core/refusals.ts'
import { useState } from 'react'
import { ApiError } from '../app/api.ts'
import { serverNowMs } from './clock.ts'

/** What the server says before it has looked at the key: of an earlier press whose answer was lost it tells nothing. */
const BEFORE_THE_KEY: readonly string[] = [
  'bad_json',
  'body_too_large',
  'email_unverified',
  'forbidden',
  'invalid_input',
  'on_hold',
  'overloaded',
  'step_up_required',
  'too_many_requests',
  'unauthenticated',
] satisfies readonly RefusalCode[]

type Open = {
  readonly key: string
  /** Nobody knows whether an earlier press has moved the money. */
  isInDoubt: boolean
}
type Answered<T> = {
  readonly answer: T
  /** Whether it tells what an earlier press has made, long before this one: no money has moved now. */
  readonly isOfEarlierPress: (createdAt: string) => boolean
}
export type MoneyKeys = <B, T>(body: B, send: (idempotencyKey: string) => Promise<T>) => Promise<Answered<T>>

/** Who presses again within it goes on with the same; and a device's clock may be a little off. */
const ONE_INTENT_MS = 60_000

const freshKey = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Only a refusal of ours says that this press did nothing: a 5xx may come after the money has moved, a proxy's page knows nothing. */
const isRefused = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && error.status !== 429 && error.code !== ''

/** The keys of one call, each under the body that it was made for. */
export function createMoneyKeys(): MoneyKeys {
  const open = new Map<string, Open>()
  return async (body, send) => {
    const text = JSON.stringify(body)
    const asked = open.get(text) ?? { key: freshKey(), isInDoubt: false }
    open.set(text, asked)
    const pressedMs = serverNowMs()
    try {
      const answer = await send(asked.key)
      open.delete(text)
      return { answer, isOfEarlierPress: (createdAt) => asked.isInDoubt && Date.parse(createdAt) < pressedMs - ONE_INTENT_MS }
    } catch (error) {
      if (!isRefused(error)) asked.isInDoubt = true
      else if (!asked.isInDoubt || !BEFORE_THE_KEY.includes(error.code)) open.delete(text)
      throw error
    }
  }
}

const withdrawals = createMoneyKeys()
const refunds = createMoneyKeys()
const closings = createMoneyKeys()
/** A member who leaves the form and comes back has not got the answer by that. A key is the server's per member. */
export const moneyKeys = { withdrawals, refunds, closings } as const

/** For a dialog: what it asks for is decided once by the server, whoever asks again. */
export function useMoneyKeys(): MoneyKeys {
  const [once] = useState(createMoneyKeys)
  return once
}

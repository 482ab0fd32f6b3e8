/**
 * Idempotency keys for calls that move money.
 * - One intent has one key. The key is kept until an answer to it arrives, whatever the member presses, types or opens meanwhile.
 * - So a retry after a lost answer can never move the money twice.
 */
import type { RefusalCode } from '@roz/core/refusals.ts'
import { useState } from 'react'
import { ApiError } from '../app/api.ts'
import { serverNowMs } from './clock.ts'

/** Refusals that the server makes before it looks up the key. They say nothing about an earlier request whose answer was lost. */
const BEFORE_THE_KEY: readonly string[] = [
  'bad_json',
  'body_too_large',
  'clock_wrong',
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
  /** An earlier request with this key may have moved the money. */
  isInDoubt: boolean
}
type Answered<T> = {
  readonly answer: T
  /** Whether the answer repeats an earlier request, so that no money has moved now. */
  readonly isOfEarlierPress: (createdAt: string) => boolean
}
type MoneyKeys = <B, T>(body: B, send: (idempotencyKey: string) => Promise<T>) => Promise<Answered<T>>

/** Requests within this time count as one intent. It also tolerates a small error of the device's clock. */
const ONE_INTENT_MS = 60_000

const freshKey = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Only a refusal by our server proves that this request did nothing: a 5xx may follow the commit, and a proxy's page proves nothing. */
const isRefused = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && error.status !== 429 && error.code !== ''

/** The open keys of one call, by request body. */
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
/** Kept for the page's lifetime: leaving a form does not answer its request. The server scopes keys to the member. */
export const moneyKeys = { withdrawals, refunds, closings } as const

/** The keys of one dialog. The server decides each item once, so a repeated decision with a new key is refused. */
export function useMoneyKeys(): MoneyKeys {
  const [once] = useState(createMoneyKeys)
  return once
}

/**
 * One key for one intent to move money. Invariant: until an answer came, the same request keeps its
 * key, so that pressing again after a lost answer can never take the money twice.
 */
import { useRef } from 'react'
import { ApiError } from '../api.ts'

const freshKey = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

export function useMoneyKey(): <B, T>(body: B, send: (idempotencyKey: string) => Promise<T>) => Promise<T> {
  const open = useRef<{ readonly body: string; readonly key: string }>(undefined)
  return async (body, send) => {
    const text = JSON.stringify(body)
    if (open.current?.body !== text) open.current = { body: text, key: freshKey() }
    try {
      const answer = await send(open.current.key)
      open.current = undefined
      return answer
    } catch (error) {
      // Only a refusal of ours says that nothing happened; a 5xx may come after the money has moved, and a 429,
      // or what somebody on the way has answered, says nothing of an earlier press whose answer was lost.
      if (error instanceof ApiError && error.status < 500 && error.status !== 429 && error.code !== '') open.current = undefined
      throw error
    }
  }
}

/**
 * A value of a list's filter, which is found again when somebody goes back to the list.
 * - It is kept in memory for that entry of the browser's history, until the session ends. The address has no search: it may name a person.
 */
import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient } from '../../app/query.ts'

queryClient.setQueryDefaults(['kept'], { gcTime: Number.POSITIVE_INFINITY })

export function useKept<T extends string>(name: string, first: T): [T, (value: T) => void] {
  const entry = useLocation({ select: ({ state }) => state.__TSR_key })
  const key = ['kept', entry, name]
  const [value, setValue] = useState(() => queryClient.getQueryData<T>(key) ?? first)
  const set = (next: T): void => {
    queryClient.setQueryData(key, next)
    setValue(next)
  }
  return [value, set]
}

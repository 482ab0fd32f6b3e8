/** Whether the window has room for a table, by the width at which the style sheets turn; followed as it changes. */
import { useSyncExternalStore } from 'react'

const room = matchMedia('(width >= 53.75em)')

function follow(changed: () => void): () => void {
  room.addEventListener('change', changed)
  return () => room.removeEventListener('change', changed)
}

export const useIsWide = (): boolean => useSyncExternalStore(follow, () => room.matches)

/** Whether the window is wide enough for a table: the same width as in the style sheets. Updates when the window changes. */
import { useSyncExternalStore } from 'react'

const room = matchMedia('(width >= 53.75em)')

function follow(changed: () => void): () => void {
  room.addEventListener('change', changed)
  return () => room.removeEventListener('change', changed)
}

export const useIsWide = (): boolean => useSyncExternalStore(follow, () => room.matches)

/** The text of a search field after a pause of 300 ms in the typing, so that not every keystroke sends a search. */
import { useEffect, useState } from 'react'

const TYPING_PAUSE_MS = 300

export function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}

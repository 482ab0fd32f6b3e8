/** A story's age in words. */
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { useServerDay } from '../clock.ts'
import { ageOf } from './age.ts'

export function Age({ day }: { readonly day: string }) {
  // Renders again when the language changes.
  useLingui()
  const age = ageOf(day, useServerDay())
  if (age === undefined) return null
  const words = {
    day: () => plural(age.count, { one: '# day ago', other: '# days ago' }),
    month: () => plural(age.count, { one: '# month ago', other: '# months ago' }),
    year: () => plural(age.count, { one: '# year ago', other: '# years ago' }),
  }
  return (
    <time className="unbroken" dateTime={day}>
      {words[age.unit]()}
    </time>
  )
}

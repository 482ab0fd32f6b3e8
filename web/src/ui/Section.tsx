/** A part of a page, with the margin that says when. Drawn alike in the app and on the public pages. */
import type { ReactNode } from 'react'

type SectionProps = {
  /** The margin's word: Today, Yesterday, So far. On phones it is a line above the heading. */
  readonly when?: ReactNode
  /** Smaller, below it: a date or an hour. */
  readonly note?: ReactNode
  readonly id?: string
  readonly className?: string
  readonly children: ReactNode
}

export function Section({ when, note, id, className, children }: SectionProps) {
  return (
    <section className={className === undefined ? 'section' : `section ${className}`} id={id}>
      <p className="margin">
        {when === undefined ? null : <b>{when}</b>}
        {note}
      </p>
      <div>{children}</div>
    </section>
  )
}

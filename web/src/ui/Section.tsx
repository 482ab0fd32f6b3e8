/** A section of a page with its time in the margin. The app and the public pages share it. */
import type { ReactNode } from 'react'

export type SectionProps = {
  /** The word in the margin: Today, Yesterday, So far. On phones it is a line above the heading. */
  readonly when?: ReactNode
  /** Smaller text below it: a date or a time. */
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

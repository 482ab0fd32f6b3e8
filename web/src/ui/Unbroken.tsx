/** A sentence without line breaks inside a date or a time. */
import { cutAtDates } from './format.ts'

export function Unbroken({ text }: { readonly text: string }) {
  return cutAtDates(text).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={index} className="unbroken">
        {part}
      </span>
    ),
  )
}

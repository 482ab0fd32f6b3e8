/** The frame of a screen: one main, and a document title with the heading's words. */
import { type ReactNode, useEffect } from 'react'
import { brand } from '../app/language.ts'
import { Card } from './Card.tsx'
import { Section as Ruled, type SectionProps } from './Section.tsx'

/** A section of a screen. A bug in it leaves the other sections as they are. */
export const CardSection = ({ children, ...rest }: SectionProps) => (
  <Ruled {...rest}>
    <Card>{children}</Card>
  </Ruled>
)

/** Sets the document's title: `Wallet · Roz`. */
function useTitle(title: string): void {
  const full = `${title} · ${brand()}`
  useEffect(() => {
    document.title = full
  }, [full])
}

/** The `main` of a screen. `title` is the title of the browser's tab; the h1 is inside. */
export function Book({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title)
  return (
    <main className="book app" id="main" tabIndex={-1}>
      {children}
    </main>
  )
}

/** A narrow sheet for one form: log in, register, reset. */
export function Slip({ children }: { readonly children: ReactNode }) {
  return <div className="form-sheet">{children}</div>
}

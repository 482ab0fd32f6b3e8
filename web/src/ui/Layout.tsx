/** The page as a book: one main, and a title with the heading's words. */
import { type ReactNode, useEffect } from 'react'
import { brand } from '../app/language.ts'

export { Section } from './Section.tsx'

/** Names the document: `Wallet · Roz`. */
export function useTitle(title: string): void {
  const full = `${title} · ${brand()}`
  useEffect(() => {
    document.title = full
  }, [full])
}

/** The `main` of a screen. `title` is what the browser's tab says; the h1 stands inside. */
export function Book({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title)
  return (
    <main className="book app" id="main" tabIndex={-1}>
      {children}
    </main>
  )
}

/** A narrow sheet with one form on it: log in, register, reset. */
export function Slip({ children }: { readonly children: ReactNode }) {
  return <div className="form-sheet">{children}</div>
}

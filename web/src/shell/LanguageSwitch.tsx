/** The language switch: one button that reads the other language's own name. */
import type { Language } from '@roz/core/language.ts'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { chooseLanguage, currentLanguage } from '../language.ts'
import { tellLanguage } from '../pwa/registration.ts'
import { session } from '../session.tsx'
import { toast } from '../ui/Toast.tsx'

const OTHER = { en: 'hi', hi: 'en' } as const satisfies Record<Language, Language>
const NAMES = { en: 'English', hi: 'हिन्दी' } as const satisfies Record<Language, string>

export function LanguageSwitch({ className }: { readonly className?: string }) {
  // Drawn anew when the language changes.
  const { t } = useLingui()
  const [busy, setBusy] = useState(false)
  const other = OTHER[currentLanguage()]
  const press = async (): Promise<void> => {
    setBusy(true)
    try {
      await chooseLanguage(other)
      tellLanguage()
      await session.saveLanguage(other)
    } catch {
      toast.error(t`Network error. Please check your connection and try again.`)
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      className={className}
      type="button"
      lang={other}
      aria-busy={busy || undefined}
      onClick={() => (busy ? undefined : void press())}
    >
      {NAMES[other]}
    </button>
  )
}

/** The language switch: one button per other language, labelled with that language's own name. */
import { type Language, LANGUAGES, SPEECH } from '@roz/core/language.ts'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { chooseLanguage, currentLanguage } from '../app/language.ts'
import { tellLanguage } from '../pwa/registration.ts'
import { session } from '../app/session.tsx'
import { toast } from '../ui/Toast.tsx'

export function LanguageSwitch({ className }: { readonly className?: string }) {
  // Renders again when the language changes.
  const { t } = useLingui()
  const [busy, setBusy] = useState(false)
  const press = async (other: Language): Promise<void> => {
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
  return LANGUAGES.filter((other) => other !== currentLanguage()).map((other) => (
    <button
      key={other}
      className={className}
      type="button"
      lang={other}
      aria-busy={busy || undefined}
      onClick={() => (busy ? undefined : void press(other))}
    >
      {SPEECH[other].name}
    </button>
  ))
}

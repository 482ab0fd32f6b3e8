/** The button that uses a passkey instead of a code; nothing where the browser knows no passkeys. */
import { Trans } from '@lingui/react/macro'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { knowsPasskeys } from './passkeys.ts'

export function PasskeyButton({ use }: { readonly use: () => Promise<void> }) {
  const [busy, setBusy] = useState(false)
  if (!knowsPasskeys()) return null
  const press = async (): Promise<void> => {
    setBusy(true)
    await use()
    setBusy(false)
  }
  return (
    <p>
      <Button kind="secondary" busy={busy} onClick={() => void press()}>
        <Trans>Use a passkey</Trans>
      </Button>
    </p>
  )
}

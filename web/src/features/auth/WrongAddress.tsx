/** The button for a mistyped mail address that is not confirmed yet. Its dialog loads at the first press. */
import { Trans } from '@lingui/react/macro'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/Button.tsx'

const ChangeAddress = lazy(async () => ({ default: (await import('./ChangeAddress.tsx')).ChangeAddress }))

export function WrongAddress({ onChanged }: { readonly onChanged?: (address: string) => void }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        <Trans>Wrong address? Change it</Trans>
      </Button>
      {open ? (
        <Suspense fallback={null}>
          <ChangeAddress onChanged={onChanged} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

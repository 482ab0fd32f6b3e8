/** Downloads all of the member's data as a file. */
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { saveFile } from '../../app/save-file.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/Toast.tsx'

export function MyData() {
  const { t } = useLingui()
  const [busy, setBusy] = useState(false)
  const download = async (): Promise<void> => {
    setBusy(true)
    try {
      const everything = await call('exportData')
      saveFile('my-data.json', JSON.stringify(everything, null, 2))
    } catch (error) {
      console.warn('Failed to export the data:', error)
      toast.error(messageOf(error, t`Your data could not be loaded.`))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <h2 className="spaced">{t`Download my data`}</h2>
      <p className="muted spaced">{t`One file with your profile, transactions, rounds, withdrawals, refunds and notifications.`}</p>
      <Button kind="secondary" busy={busy} onClick={() => void download()}>{t`Download my data`}</Button>
    </>
  )
}

/** A notice for a wait without a time limit: after 30 s it offers a reload, and the wait continues. */
import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { READ_WITHIN_MS } from '../app/api.ts'
import { Button } from './Button.tsx'

export function Slow() {
  const { t } = useLingui()
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), READ_WITHIN_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isSlow) return null
  return (
    <div className="slow centred" role="status">
      <p>{t`There is no answer yet. Check your connection, or load the page again.`}</p>
      <Button kind="secondary" onClick={() => location.reload()}>{t`Reload the page`}</Button>
    </div>
  )
}

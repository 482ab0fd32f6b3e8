/** Opens the form for another password, which loads at the press: most visits only look. */
import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../ui/Button.tsx'
import { catchFocus } from '../../ui/focus.ts'
import { Part } from '../Part.tsx'

const loadForm = () => import('./PasswordForm.tsx')

export function ChangePassword() {
  const { t } = useLingui()
  const [asking, setAsking] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  // The pressed button disappears with the form, so the focus returns to the button that opened the form.
  const leave = (): void => {
    flushSync(() => setAsking(false))
    catchFocus(opener.current)
  }
  return (
    <>
      <h2 className="spaced">{t`Change password`}</h2>
      {asking ? (
        <Part name="password" load={loadForm} lines={3}>
          {({ PasswordForm }) => <PasswordForm onClose={leave} />}
        </Part>
      ) : (
        <Button ref={opener} kind="secondary" onClick={() => setAsking(true)}>{t`Change password`}</Button>
      )}
    </>
  )
}

/** The devices on which the member is signed in, and a button that signs out all others. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, NotLoaded } from '../../ui/Feedback.tsx'
import { formatInstant } from '../../ui/format.ts'
import { Modal } from '../../ui/Modal.tsx'
import { toast } from '../../ui/Toast.tsx'
import { devicesQuery } from '../queries.ts'

type Device = Output<Api['sessions']>['sessions'][number]

export function SignedInDevices() {
  const { t } = useLingui()
  const devices = useQuery(devicesQuery)
  const { data } = devices
  const [asked, setAsked] = useState(false)
  return (
    <>
      <h2 className="spaced">{t`Logged-in devices`}</h2>
      {data === undefined ? (
        <NotLoaded query={devices} failed={t`Your devices could not be loaded.`} lines={2} />
      ) : (
        <>
          <ul className="devices spaced">
            {data.sessions.map((device, index) => (
              <DeviceRow key={index} device={device} />
            ))}
          </ul>
          {data.sessions.length > 1 ? (
            <Button kind="secondary" onClick={() => setAsked(true)}>{t`Log out others`}</Button>
          ) : (
            <p className="muted">{t`You are logged in on this device only.`}</p>
          )}
        </>
      )}
      {asked ? <SignOutOthers onClose={() => setAsked(false)} /> : null}
    </>
  )
}

export function DeviceRow({ device }: { readonly device: Device }) {
  const { t } = useLingui()
  const language = currentLanguage()
  const { browser, system, isThis } = device
  const lastUsed = formatInstant(device.lastUsedAt, language)
  const since = formatInstant(device.signedInAt, language)
  const name = browser !== null && system !== null ? t`${browser} on ${system}` : (browser ?? system ?? t`Unknown device`)
  return (
    <li>
      <b>{name}</b> {isThis ? <Badge tone="good">{t`This device`}</Badge> : null}
      <span className="small muted block">{isThis ? t`In use now` : t`Last used ${lastUsed}`}</span>
      <span className="small muted block">{t`Logged in ${since}`}</span>
    </li>
  )
}

function SignOutOthers({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const signOut = async (): Promise<void> => {
    setBusy(true)
    try {
      await call('endOtherSessions')
      toast.success(t`Logged out on all other devices.`)
      onClose()
      await client.invalidateQueries({ queryKey: devicesQuery.queryKey })
    } catch (error) {
      console.warn('Failed to sign out the other devices:', error)
      toast.error(messageOf(error, t`The other devices could not be logged out. Please try again.`))
      setBusy(false)
    }
  }
  return (
    <Modal
      open
      onClose={() => (busy ? undefined : onClose())}
      title={<Trans>Log out on all other devices?</Trans>}
      footer={
        <>
          <Button kind="secondary" disabled={busy} onClick={onClose}>{t`Cancel`}</Button>
          <Button busy={busy} onClick={() => void signOut()}>{t`Log out others`}</Button>
        </>
      }
    >
      <p>{t`You stay logged in here. If you don't know one of the devices, change your password, too.`}</p>
    </Modal>
  )
}

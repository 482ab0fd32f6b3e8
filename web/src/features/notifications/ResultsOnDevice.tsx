/**
 * Turns the push notification of the round's result on or off for this device. If the browser prevents it, the page says why and how to
 * allow it.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '../../app/api.ts'
import { type DeviceState, readDevice, turnOff, turnOn } from '../../pwa/push.ts'
import { useMember } from '../../app/session.tsx'
import { brand } from '../../app/language.ts'
import { Button } from '../../ui/Button.tsx'
import { NotLoaded } from '../../ui/Feedback.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { ErrorIcon } from '../../ui/icons.tsx'
import { toast } from '../../ui/Toast.tsx'

export function ResultsOnDevice() {
  const { id } = useMember()
  const { t } = useLingui()
  const device = useQuery({ queryKey: ['mine', 'device', id], queryFn: () => readDevice(id) })
  return (
    <>
      <h2 className="spaced">{t`The day's result`}</h2>
      {device.data === undefined ? (
        <NotLoaded query={device} failed={t`This switch could not be loaded.`} lines={2} />
      ) : (
        <Shown state={device.data} memberId={id} onLook={() => void device.refetch()} />
      )}
    </>
  )
}

type ShownProps = { readonly state: DeviceState; readonly memberId: string; readonly onLook: () => void }

function Shown({ state, memberId, onLook }: ShownProps) {
  const { t } = useLingui()
  const brandName = brand()
  switch (state) {
    case 'unsupported':
      return <p className="muted">{t`This browser can't show notifications. Results are always on your dashboard.`}</p>
    case 'install':
      return (
        <p>
          <Trans>
            On an iPhone or iPad, first put {brandName} on the home screen: tap Share, then Add to Home Screen, and open it from there. Then
            the switch is here.
          </Trans>
        </p>
      )
    case 'blocked':
      return (
        <>
          <p className="spaced">
            <Trans>
              Your browser blocks notifications from this site. Tap the icon next to the address, allow notifications, then check again.
            </Trans>
          </p>
          <Button kind="secondary" onClick={onLook}>{t`Check again`}</Button>
        </>
      )
    case 'on':
    case 'off':
      return <DeviceSwitch isOn={state === 'on'} memberId={memberId} />
  }
}

function DeviceSwitch({ isOn, memberId }: { readonly isOn: boolean; readonly memberId: string }) {
  const { t } = useLingui()
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (on: boolean) => (on ? turnOn(memberId) : turnOff()),
    onSuccess: (state) => client.setQueryData(['mine', 'device', memberId], state),
    onError: (error, on) => {
      console.warn('Failed to change results on this device:', error)
      if (!on) toast.error(messageOf(error, t`The change could not be saved.`))
    },
  })
  const isAsking = change.isPending && change.variables
  const isUnanswered = change.isSuccess && change.variables && !isOn
  return (
    <>
      <Switch
        label={t`Results on this device`}
        checked={isOn}
        on={t`Enabled`}
        off={t`Disabled`}
        busy={change.isPending}
        onChange={(on) => change.mutate(on)}
      />
      {change.isError && change.variables ? (
        <p className="field-error" role="alert">
          <ErrorIcon />
          <span>
            <Trans>
              It could not be turned on: your browser or its message service did not answer. Check your connection and try the switch again.
            </Trans>
          </span>
        </p>
      ) : null}
      <p className="small muted" role="status">
        {isAsking || isUnanswered
          ? t`When your browser asks, choose Allow.`
          : t`A notification when the round you joined has its result. At night, from 10 pm to 7 am, it makes no sound.`}
      </p>
    </>
  )
}

/**
 * AutoPay in the wallet: its setup, its state, and pause, resume, try again and stop.
 * - The wallet shows it where it is offered, or was set up before: elsewhere nothing of this file is loaded.
 * - The payer authorises it on the gateway's page and comes back; then our server is asked until it knows the outcome.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { AUTOPAY_ENDED } from '@roz/core/autopay.ts'
import { formatCount } from '@roz/core/numbers.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { words } from 'virtual:words/autopay'
import { call, loadCalls, messageOf } from '../../app/api.ts'
import { currentLanguage, loadTexts } from '../../app/language.ts'
import { useMember } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatDay } from '../../ui/format.ts'
import { catchFocus } from '../../ui/focus.ts'
import { CardSection } from '../../ui/Layout.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { Modal } from '../../ui/Modal.tsx'
import { toast } from '../../ui/Toast.tsx'
import { Part } from '../Part.tsx'
import { refreshMoney } from '../queries.ts'
import { AutopaySetup } from './AutopaySetup.tsx'
import type { GatewayState } from '../wallet/use-gateway.ts'

type Shown = Output<Api['autopay']>['autopay']
type Mandate = NonNullable<Shown['mandate']>
type Wish = 'pauseAutopay' | 'resumeAutopay' | 'retryAutopay' | 'stopAutopay'

const autopayQuery = queryOptions({ queryKey: ['mine', 'autopay'], queryFn: ({ signal }) => call('autopay', { signal }) })

/** While the gateway's page or the bank has the word, the server is asked this often. */
const POLL_MS = 6000

const loadWords = () => Promise.all([loadCalls(import('virtual:autopay-calls')), loadTexts(words)])

/** Its calls and words load with it: elsewhere nobody needs them. */
export function AutopaySection(props: { readonly gateway: GatewayState }) {
  return (
    <Part name="autopay-words" load={loadWords} lines={4}>
      {() => <Autopay {...props} />}
    </Part>
  )
}

function Autopay({ gateway }: { readonly gateway: GatewayState }) {
  const { t } = useLingui()
  const isBack = useLocation({ select: ({ search }) => (search as { autopay?: unknown }).autopay === 'returned' })
  const { data } = useQuery({
    ...autopayQuery,
    refetchInterval: ({ state: { data } }) => {
      const now = data?.autopay.mandate?.state
      return now === 'stopping' || (isBack && isWaiting(now)) ? POLL_MS : false
    },
  })
  const autopay = data?.autopay
  const state = autopay?.mandate?.state
  useEffect(() => {
    // The first payment may be in the wallet since the lists of this page were read.
    if (isBack && state !== undefined && !isWaiting(state)) refreshMoney()
  }, [isBack, state])
  const heading = useRef<HTMLHeadingElement>(null)
  const acted = useRef(false)
  useEffect(() => {
    // The pressed button no longer exists.
    if (acted.current) catchFocus(heading.current)
  }, [state])
  if (autopay === undefined || (autopay.mandate === null && !autopay.offered)) return null
  const { mandate } = autopay
  const isOpen = mandate !== null && !AUTOPAY_ENDED.has(mandate.state)
  return (
    <CardSection>
      <h2 ref={heading} className="spaced" id="autopay" tabIndex={-1}>{t`AutoPay`}</h2>
      {mandate === null ? null : <Standing mandate={mandate} autopay={autopay} />}
      {isOpen && mandate.state !== 'setup' ? <Wishes mandate={mandate} onWish={() => (acted.current = true)} /> : null}
      {(!isOpen || mandate.state === 'setup') && autopay.offered ? <AutopaySetup autopay={autopay} gateway={gateway} /> : null}
    </CardSection>
  )
}

const isWaiting = (state: Mandate['state'] | undefined): boolean => state === 'setup' || state === 'bank'

function Standing({ mandate, autopay: { idle, below } }: { readonly mandate: Mandate; readonly autopay: Shown }) {
  const { t } = useLingui()
  const { next, last, payer, amount } = mandate
  const [added, least] = [`₹${formatCount(amount)}`, `₹${formatCount(below)}`]
  const language = currentLanguage()
  return (
    <>
      <p className="spaced" role="status">
        <b>
          <State mandate={mandate} />
        </b>
      </p>
      {mandate.state === 'resting' ? (
        <p className="spaced">{t`Your bank refused three payments. Check your account, then try again.`}</p>
      ) : null}
      {idle === null || next !== null ? null : (
        <p className="spaced">
          <Idle why={idle} />
        </p>
      )}
      {mandate.state === 'on' && next === null && idle === null ? (
        <p className="spaced">{t`${added} is added when your wallet falls below ${least}, at most once in 27 days.`}</p>
      ) : null}
      <ul className="rows" aria-label={formatMoney(amount)}>
        {next === null ? null : (
          <li>
            <span>{t`Next payment`}</span>
            <span className="amount">{formatMoney(next.amount)}</span>
            <time className="small muted" dateTime={next.day}>
              {formatDay(next.day, language)}
            </time>
          </li>
        )}
        {last === null ? null : (
          <li>
            <span>{t`Last payment`}</span>
            <span className="amount">{formatMoney(last.amount)}</span>
            <time className="small muted" dateTime={last.day}>
              {formatDay(last.day, language)}
            </time>
          </li>
        )}
        {payer === null ? null : (
          <li>
            <span>{t`UPI ID`}</span>
            <span className="end">{payer}</span>
          </li>
        )}
      </ul>
    </>
  )
}

function Idle({ why }: { readonly why: NonNullable<Shown['idle']> }) {
  switch (why) {
    case 'switched_off':
      return <Trans>Nothing is added at the moment: AutoPay is switched off here.</Trans>
    case 'amount_not_allowed':
      return <Trans>Nothing is added: the limits have changed since you set it up. Stop it, then set it up again.</Trans>
    case 'auto_participate_off':
      return <Trans>Nothing is added while Auto Participate is off.</Trans>
  }
}

function State({ mandate: { state, next } }: { readonly mandate: Mandate }) {
  const amount = next === null ? '' : `₹${formatCount(next.amount)}`
  const day = next === null ? '' : formatDay(next.day, currentLanguage())
  switch (state) {
    case 'setup':
      return <Trans>Finish in your UPI app</Trans>
    case 'bank':
      return <Trans>Waiting for your bank</Trans>
    case 'on':
      return next === null ? (
        <Trans>On</Trans>
      ) : (
        <Trans>
          On · {amount} on {day}
        </Trans>
      )
    case 'paused':
      return <Trans>Paused by you</Trans>
    case 'payer_paused':
      return <Trans>Paused in your UPI app</Trans>
    case 'resting':
      return <Trans>Needs you</Trans>
    case 'stopping':
      return <Trans>Stopping</Trans>
    case 'stopped':
      return <Trans>Stopped</Trans>
    case 'payer_stopped':
      return <Trans>Stopped in your UPI app</Trans>
    case 'ended':
      return <Trans>Ended</Trans>
    case 'lapsed':
      return <Trans>Not completed</Trans>
  }
}

function Wishes({ mandate: { state }, onWish }: { readonly mandate: Mandate; readonly onWish: () => void }) {
  const { t } = useLingui()
  const { autoParticipate } = useMember()
  const [busy, setBusy] = useState<Wish>()
  const [asking, setAsking] = useState(false)
  const wish = async (name: Wish): Promise<void> => {
    setBusy(name)
    onWish()
    try {
      await call(name)
      if (name === 'stopAutopay') toast.success(t`Stopped. A payment already at your bank may still arrive in your wallet.`)
    } catch (error) {
      toast.error(messageOf(error, t`This did not work. Please try again.`))
    }
    refreshMoney()
    setBusy(undefined)
    setAsking(false)
  }
  if (state === 'stopping') return null
  return (
    <div className="buttons card-actions">
      {state === 'on' || state === 'resting' ? (
        <Button kind="secondary" busy={busy === 'pauseAutopay'} onClick={() => void wish('pauseAutopay')}>{t`Pause`}</Button>
      ) : null}
      {state === 'paused' ? (
        <Button kind="secondary" busy={busy === 'resumeAutopay'} onClick={() => void wish('resumeAutopay')}>{t`Resume`}</Button>
      ) : null}
      {state === 'resting' ? (
        <Button busy={busy === 'retryAutopay'} onClick={() => void wish('retryAutopay')}>{t`Try again`}</Button>
      ) : null}
      <Button kind="secondary" onClick={() => setAsking(true)}>{t`Stop`}</Button>
      <Modal
        open={asking}
        onClose={() => (busy === undefined ? setAsking(false) : undefined)}
        size="sm"
        title={t`Stop AutoPay?`}
        footer={
          <>
            <Button kind="secondary" disabled={busy !== undefined} onClick={() => setAsking(false)}>{t`Cancel`}</Button>
            <Button busy={busy === 'stopAutopay'} onClick={() => void wish('stopAutopay')}>{t`Stop AutoPay`}</Button>
          </>
        }
      >
        <p>{t`Nothing more is added to your wallet. To use AutoPay again you set it up anew.`}</p>
        {autoParticipate ? (
          <p className="gap">{t`Auto Participate stays on and takes ₹1 a day until you turn it off in your profile.`}</p>
        ) : null}
      </Modal>
    </div>
  )
}

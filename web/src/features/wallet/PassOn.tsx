/**
 * Passing a reward on to the help fund: the recent rewards, each with a button that asks once more.
 * - Nothing is shown to a member without a recent reward, and nothing while the rewards cannot be read.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { session } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatDay } from '../../ui/format.ts'
import { CardSection } from '../../ui/Layout.tsx'
import { Modal } from '../../ui/Modal.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { createMoneyKeys } from '../money-key.ts'
import { refreshMine, refreshMoney } from '../queries.ts'

const winsQuery = queryOptions({ queryKey: ['mine', 'wins'], queryFn: ({ signal }) => call('ownWins', { signal }) })
/** Kept for the page's lifetime: closing the dialog does not answer its request. */
const keys = createMoneyKeys()

type Win = Output<Api['ownWins']>['wins'][number]

/** The section of the wallet. The link of a win's notice opens it. */
export function PassOnSection({ isAimed }: { readonly isAimed: boolean }) {
  const { t } = useLingui()
  const { data } = useQuery(winsQuery)
  const place = useRef<HTMLHeadingElement>(null)
  const isShown = data !== undefined && data.wins.length > 0
  useLayoutEffect(() => {
    if (isShown && isAimed) place.current?.scrollIntoView()
  }, [isShown, isAimed])
  if (!isShown) return null
  return (
    <CardSection when={t`Your rewards`} note={t`last 30 days`}>
      <h2 className="spaced" id="pass-on" ref={place}>{t`Pass it on`}</h2>
      <p className="muted spaced">{t`You can give a reward, or what is left of it, to people in need.`}</p>
      <ul className="rows">
        {data.wins.map((win) => (
          <li key={win.day}>
            <span>{formatDay(win.day, currentLanguage())}</span>
            <span className="amount">{formatMoney(win.prize)}</span>
            <PassOn win={win} />
          </li>
        ))}
      </ul>
    </CardSection>
  )
}

/** The same for one round of the history. */
export function PassOnOf({ day }: { readonly day: string }) {
  const { data } = useQuery(winsQuery)
  const win = data?.wins.find((each) => each.day === day)
  return win === undefined ? null : <PassOn win={win} />
}

function PassOn({ win: { day, left, until, passedOn } }: { readonly win: Win }) {
  const [asked, setAsked] = useState(false)
  if (passedOn !== null)
    return (
      <p className="small muted pass-on">
        <Trans>You passed {formatMoney(passedOn)} of it on to the help fund. Thank you.</Trans>
      </p>
    )
  if (left === 0)
    return (
      <p className="small muted pass-on">
        <Trans>Nothing of this reward is left in your wallet.</Trans>
      </p>
    )
  return (
    <p className="small pass-on">
      <Button kind="secondary" onClick={() => setAsked(true)}>
        <Trans>Pass {formatMoney(left)} on</Trans>
      </Button>{' '}
      <span className="muted">
        <Trans>possible until {formatDay(until, currentLanguage())}</Trans>
      </span>
      {asked ? <Confirm day={day} left={left} onClose={() => setAsked(false)} /> : null}
    </p>
  )
}

function Confirm({ day, left, onClose }: Pick<Win, 'day' | 'left'> & { readonly onClose: () => void }) {
  const { t } = useLingui()
  const [busy, setBusy] = useState(false)
  const give = async (): Promise<void> => {
    setBusy(true)
    try {
      const { answer } = await keys({ day, left }, (idempotencyKey) =>
        call('passOn', { params: { day }, body: { amount: left }, idempotencyKey }),
      )
      session.setBalance(answer.balance)
      toast.success(t`You passed ${formatMoney(answer.passedOn)} on. Thank you.`)
      await refreshMine()
    } catch (error) {
      refreshMoney()
      toast.error(messageOf(error, t`Network error. Please check your connection and try again.`))
    } finally {
      setBusy(false)
      onClose()
    }
  }
  return (
    <Modal
      open
      closeOnOverlay={!busy}
      onClose={() => (busy ? undefined : onClose())}
      title={<Trans>Pass {formatMoney(left)} on?</Trans>}
      footer={
        <>
          <Button kind="secondary" disabled={busy} onClick={onClose}>{t`Cancel`}</Button>
          <Button busy={busy} onClick={() => void give()}>
            <Trans>Give {formatMoney(left)}</Trans>
          </Button>
        </>
      }
    >
      <p>
        <Trans>{formatMoney(left)} leaves your wallet for the help fund. A donation cannot be taken back.</Trans>
      </p>
    </Modal>
  )
}

/**
 * Shows in plain words whether the published total contains the money owed to the member at a day's end.
 * - This device checks every step, from the member's parts to the signed log, and names the step that fails.
 */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { dayAt } from '@roz/core/ist-day.ts'
import { paise, rupeesFromPaise } from '@roz/core/money.ts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { saveFile } from '../../app/save-file.ts'
import { useMember } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorState, LedgerItem, Skeleton } from '../../ui/Feedback.tsx'
import { ErrorIcon } from '../../ui/icons.tsx'
import { CardSection } from '../../ui/Layout.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { useServerDay } from '../clock.ts'
import { Checked, TechnicalDetails } from './Checked.tsx'
import type { Owed } from './check-owed.ts'

/** Books that are not published yet are polled every 60 s. */
const AGAIN_MS = 60_000

const isSettled = (owed: Owed | null | undefined): boolean => owed !== undefined && owed !== null && owed.state !== 'waiting'

/** Before the member registered, nothing was owed to them. */
const useIsMembers = (day: string): boolean => day >= dayAt(Date.parse(useMember().createdAt))

export function useOwed(day: string) {
  const member = useMember()
  const today = useServerDay()
  const isMembers = useIsMembers(day)
  return useQuery({
    queryKey: ['ticket', member.id, day, 'owed'],
    queryFn: async (): Promise<Owed | null> => (await (await import('./check-owed.ts')).checkOwed(member.id, day)) ?? null,
    staleTime: (query) => (isSettled(query.state.data) ? Number.POSITIVE_INFINITY : AGAIN_MS),
    refetchInterval: (query) => (isSettled(query.state.data) ? false : AGAIN_MS),
    enabled: day < today && isMembers,
  })
}

export function OwedSection({ day, owed }: { readonly day: string; readonly owed: Looked }) {
  const { t } = useLingui()
  const today = useServerDay()
  const isMembers = useIsMembers(day)
  return (
    <CardSection when={t`Your money`} note={t`at the day's end`}>
      <h2>{t`Your money with us`}</h2>
      {isMembers ? (
        <Found day={day} isOver={day < today} owed={owed} />
      ) : (
        <p className="lead">{t`You were not a member yet on this day.`}</p>
      )}
    </CardSection>
  )
}

type Looked = {
  readonly data: Owed | null | undefined
  readonly isError: boolean
  readonly isFetching: boolean
  readonly refetch: () => unknown
}

function Found({ day, isOver, owed }: { readonly day: string; readonly isOver: boolean; readonly owed: Looked }) {
  const { t } = useLingui()
  if (!isOver || owed.data === null || owed.data?.state === 'waiting')
    return (
      <p className="lead" role="status">
        <Trans>The accounts of this day are not ready yet. They are made after midnight, and this device then checks them.</Trans>
      </p>
    )
  if (owed.data !== undefined) return owed.data.state === 'wrong' ? <Wrong day={day} owed={owed.data} /> : <Right owed={owed.data} />
  if (owed.isError)
    return <ErrorState title={t`Your money could not be checked right now.`} busy={owed.isFetching} onRetry={() => void owed.refetch()} />
  return <Skeleton lines={3} label={t`Checking your money`} />
}

const money = (amount: number): string => formatMoney(rupeesFromPaise(paise(BigInt(amount))))

function Sums({ balance, held }: Pick<Owed, 'balance' | 'held'>) {
  return (
    <ul className="ledger owed">
      <LedgerItem label={<Trans>In your wallet</Trans>}>{money(balance)}</LedgerItem>
      <LedgerItem label={<Trans>Set aside for withdrawals and refunds</Trans>}>{money(held)}</LedgerItem>
      <LedgerItem sum label={<Trans>Your money with us</Trans>}>
        {money(balance + held)}
      </LedgerItem>
    </ul>
  )
}

function Right({ owed: { parts, balance, held, isSeen } }: { readonly owed: Owed }) {
  const { t } = useLingui()
  const seen = isSeen ? <Checked>{t`It matches your wallet, apart from later transactions.`}</Checked> : null
  if (parts === 0)
    return (
      <>
        <p className="lead">{t`At the end of this day we had no money of yours.`}</p>
        {seen === null ? null : <ul className="ledger own-checks">{seen}</ul>}
      </>
    )
  return (
    <>
      <Sums balance={balance} held={held} />
      {seen === null ? null : <ul className="ledger own-checks">{seen}</ul>}
      <TechnicalDetails>
        <Checked>
          <Plural
            value={parts}
            one="Published as # part without your name. It is in the total."
            other="Published as # parts without your name. All of them are in the total."
          />
        </Checked>
        <Checked>{t`The day's published accounts contain this total, and this device knows their log.`}</Checked>
      </TechnicalDetails>
    </>
  )
}

function Wrong({ day, owed }: { readonly day: string; readonly owed: Owed }) {
  const { t } = useLingui()
  const step = useStepWords()[owed.step ?? 'answer']
  return (
    <>
      {owed.isShown ? <Sums balance={owed.balance} held={owed.held} /> : null}
      <div className="empty failed alarm-box" role="alert">
        <ErrorIcon size={32} />
        <p className="empty-title">{t`Your money is not all in the total that we published.`}</p>
        <p>{step}</p>
        <p>{t`Save this proof first.`}</p>
        <p className="small muted">
          <Trans>Technical details</Trans>: <code>{owed.step}</code>
        </p>
        <Button kind="danger" onClick={() => saveFile(`roz-owed-${day}.json`, owed.evidence)}>{t`Save the proof`}</Button>
      </div>
    </>
  )
}

/** The meaning of each step's failure. */
function useStepWords(): Readonly<Record<NonNullable<Owed['step']>, ReactNode>> {
  const { t } = useLingui()
  return {
    answer: t`Our record of your money is incomplete or unreadable.`,
    parts: t`Part of your money is missing from the total, or carries another key.`,
    books: t`The total that we showed you is not the one in the day's published accounts.`,
    log: t`The day's accounts are not in the public log.`,
    growth: t`The public log is not the one that this device has seen before: it may have been rewritten.`,
    sum: t`Your parts do not add up to your money with us.`,
    view: t`Our published accounts show a different amount for you than your wallet.`,
  }
}

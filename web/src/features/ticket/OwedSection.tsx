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
import { ErrorState, Skeleton } from '../../ui/Feedback.tsx'
import { ErrorIcon } from '../../ui/icons.tsx'
import { Section } from '../../ui/Layout.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { useServerDay } from '../clock.ts'
import { Checked } from './Checked.tsx'
import type { Owed } from './check-owed.ts'

/** Books that are not published yet are polled every 60 s. */
const AGAIN_MS = 60_000

const isSettled = (owed: Owed | null | undefined): boolean => owed !== undefined && owed !== null && owed.state !== 'waiting'

export function OwedSection({ day }: { readonly day: string }) {
  const { t } = useLingui()
  const member = useMember()
  const today = useServerDay()
  // Before the member registered, nothing was owed to them.
  const isMembers = day >= dayAt(Date.parse(member.createdAt))
  const owed = useQuery({
    queryKey: ['ticket', member.id, day, 'owed'],
    queryFn: async (): Promise<Owed | null> => (await (await import('./check-owed.ts')).checkOwed(member.id, day)) ?? null,
    staleTime: (query) => (isSettled(query.state.data) ? Number.POSITIVE_INFINITY : AGAIN_MS),
    refetchInterval: (query) => (isSettled(query.state.data) ? false : AGAIN_MS),
    enabled: day < today && isMembers,
  })
  return (
    <Section when={t`Your money`} note={t`at the day's end`}>
      <h2>
        <Trans>What we owed you</Trans>
      </h2>
      {isMembers ? (
        <Found day={day} isOver={day < today} owed={owed} />
      ) : (
        <p className="lead">
          <Trans>You were not a member yet on this day: nothing was owed to you.</Trans>
        </p>
      )}
    </Section>
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
        <Trans>The books of this day are not signed yet. They are made after midnight, and checked here by themselves.</Trans>
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
      <li>
        <span>
          <Trans>In your wallet</Trans>
        </span>
        <span className="amount">{money(balance)}</span>
      </li>
      <li>
        <span>
          <Trans>Held for withdrawals and refunds</Trans>
        </span>
        <span className="amount">{money(held)}</span>
      </li>
      <li className="sum">
        <span>
          <Trans>Owed to you</Trans>
        </span>
        <span className="amount">{money(balance + held)}</span>
      </li>
    </ul>
  )
}

function Right({ owed: { parts, balance, held, isSeen } }: { readonly owed: Owed }) {
  const seen = isSeen ? (
    <Checked>
      <Trans>It is what your wallet shows, less all that moved since.</Trans>
    </Checked>
  ) : null
  if (parts === 0)
    return (
      <>
        <p className="lead">
          <Trans>At the end of this day nothing was owed to you.</Trans>
        </p>
        {seen === null ? null : <ul className="ledger own-checks">{seen}</ul>}
      </>
    )
  return (
    <>
      <Sums balance={balance} held={held} />
      <ul className="ledger own-checks">
        <Checked>
          <Plural
            value={parts}
            one="Cut into # part without your name, all of it is in the total that we published."
            other="Cut into # parts without your name, all of it is in the total that we published."
          />
        </Checked>
        <Checked>
          <Trans>That total stands in the day's public books, and their seal in the log that this device remembers.</Trans>
        </Checked>
        {seen}
      </ul>
    </>
  )
}

function Wrong({ day, owed }: { readonly day: string; readonly owed: Owed }) {
  const step = useStepWords()[owed.step ?? 'answer']
  return (
    <>
      {owed.isShown ? <Sums balance={owed.balance} held={owed.held} /> : null}
      <div className="empty failed alarm-box" role="alert">
        <ErrorIcon size={32} />
        <p className="empty-title">
          <Trans>Your money is not all in the total that we published.</Trans>
        </p>
        <p>{step}</p>
        <p>
          <Trans>Save the evidence before you do anything else: it holds without us.</Trans>
        </p>
        <p className="small muted">
          <Trans>Step:</Trans> <code>{owed.step}</code>, <span lang="en">{owed.words}</span>
        </p>
        <Button kind="danger" onClick={() => saveFile(`roz-owed-${day}.json`, owed.evidence)}>
          <Trans>Save the evidence</Trans>
        </Button>
      </div>
    </>
  )
}

/** The meaning of each step's failure. */
function useStepWords(): Readonly<Record<NonNullable<Owed['step']>, ReactNode>> {
  const { t } = useLingui()
  return {
    answer: t`What we said about your money has not its form, or leaves parts of it out.`,
    parts: t`A part of your money does not lead to the total, or was not made with your key.`,
    books: t`The total that we showed you is not the one in the public books of the day.`,
    log: t`The books of the day are not in the log that everybody sees.`,
    growth: t`The log of days is not the one that this device has seen before: it may have been rewritten.`,
    sum: t`Your parts do not add up to what you are owed.`,
    view: t`The books count another sum for you than your own wallet shows.`,
  }
}

/**
 * The portal's withdrawals: an administrator approves or rejects them, asks the gateway again, or pays by hand without a payout gateway.
 * - A decision carries the state that its row showed when the dialog was opened.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { currentLanguage } from '../../app/language.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/Feedback.tsx'
import { formatInstant } from '../../ui/format.ts'
import { Modal } from '../../ui/Modal.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { Listing } from '../Listing.tsx'
import { MoneyRow, useNarrowing } from './MoneyRows.tsx'
import { type Withdrawal, withdrawalsQuery } from './queries.ts'
import { MEMBER_FLAGS, obstaclesOf, WITHDRAWAL_FLAGS, WITHDRAWAL_STATES } from './states.ts'
import { type Bank, type Deed, WithdrawalDecision } from './WithdrawalDecision.tsx'

type Open = { readonly deed: Deed; readonly withdrawal: Withdrawal } | { readonly deed: 'account'; readonly bank: Bank }

export function Withdrawals() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(WITHDRAWAL_STATES, t`Search withdrawals`, t`Name, email, ID or reference`)
  const list = useInfiniteQuery(withdrawalsQuery(narrowing))
  const [open, setOpen] = useState<Open>()
  const close = (): void => setOpen(undefined)
  const byHand = list.data?.pages[0]?.byHand ?? false
  return (
    <>
      <h2 className="spaced">
        <Trans>Withdrawals</Trans>
      </h2>
      {byHand ? (
        <p className="muted spaced">
          <Trans>No payout gateway is set up: approved withdrawals are paid by hand.</Trans>
        </p>
      ) : null}
      {fields}
      <Listing
        list={list}
        itemsOf={(page) => page.withdrawals}
        failed={t`The withdrawals could not be loaded.`}
        empty={<EmptyState art="slip" title={t`No withdrawals found`} />}
      >
        {(withdrawals) => (
          <ul className="story-rows">
            {withdrawals.map((withdrawal) => (
              <WithdrawalRow
                key={withdrawal.id}
                withdrawal={withdrawal}
                byHand={byHand}
                onChoose={(deed) => setOpen({ deed, withdrawal })}
              />
            ))}
          </ul>
        )}
      </Listing>
      {open === undefined ? null : open.deed === 'account' ? (
        <Account bank={open.bank} onClose={close} />
      ) : (
        <WithdrawalDecision
          key={`${open.deed} ${open.withdrawal.id}`}
          deed={open.deed}
          withdrawal={open.withdrawal}
          onClose={close}
          onBank={(bank) => setOpen({ deed: 'account', bank })}
        />
      )}
    </>
  )
}

type Viewer = { readonly id: string; readonly isOwner: boolean }

/** The decisions that send money or lead to sending it. None is offered while the member is on hold. */
const SENDS: readonly Deed[] = ['approve', 'retry', 'bank', 'complete']

function deedsOf({ status, shownTo, onHold }: Withdrawal, byHand: boolean, viewer: Viewer): readonly Deed[] {
  const deeds = (): readonly Deed[] => {
    if (status === 'requested') return ['approve', 'reject']
    if (status !== 'approved') return []
    if (shownTo === null) return byHand ? ['bank', 'reject'] : ['retry', 'reject']
    if (shownTo.id === viewer.id) return ['complete', 'notPaid', ...(byHand ? (['bank'] as const) : [])]
    return viewer.isOwner ? ['takeOver'] : []
  }
  // Asking the gateway for a transfer's status sends no money, so a hold does not prevent it.
  if (status === 'sending') return byHand ? [] : ['retry']
  return deeds().filter((deed) => !onHold || !SENDS.includes(deed))
}

function useViewer(): Viewer {
  const now = useSession()
  return now.status === 'admin' ? { id: now.user.id, isOwner: now.user.staffRole === 'owner' } : { id: '', isOwner: false }
}

/** Names the administrator who saw the bank account of an open payment by hand. */
function useHolder({ status, shownTo, onHold }: Withdrawal, viewer: Viewer): string | null {
  const { t } = useLingui()
  if (status !== 'approved' || shownTo === null) return null
  const { name } = shownTo
  const when = formatInstant(shownTo.at, currentLanguage())
  if (shownTo.id !== viewer.id) return t`${name} has had the bank account since ${when} and may have paid.`
  return onHold
    ? t`You have had the bank account since ${when}. Do not pay now; if you have paid, mark it as paid when the hold ends.`
    : t`You have had the bank account since ${when}. Pay, then mark it as paid; or say that it was not paid.`
}

type RowProps = { readonly withdrawal: Withdrawal; readonly byHand: boolean; readonly onChoose: (deed: Deed) => void }

function WithdrawalRow({ withdrawal, byHand, onChoose }: RowProps) {
  const { t } = useLingui()
  const viewer = useViewer()
  const { amount, member, bank, flags, memberFlags, owed, reason, reference, status, approvedAt } = withdrawal
  const debt = formatMoney(owed)
  const labels = {
    approve: t`Approve`,
    reject: t`Reject`,
    retry: status === 'sending' ? t`Ask the gateway` : t`Send again`,
    bank: t`Bank account`,
    complete: t`Mark as paid`,
    notPaid: t`Not paid`,
    takeOver: t`Take over`,
  } satisfies Record<Deed, string>
  const holder = useHolder(withdrawal, viewer)
  const bankName = bank.name
  const lastFour = bank.lastFour
  return (
    <MoneyRow
      amount={amount}
      who={member.name}
      at={withdrawal.createdAt}
      state={WITHDRAWAL_STATES[status]}
      facts={[
        t`${bankName}, account ending in ${lastFour}`,
        member.email,
        reference === null ? null : t`Bank reference: ${reference}`,
        reason === null ? null : t`Reason: ${reason}`,
        status === 'rejected' && approvedAt !== null
          ? t`It was approved on ${formatInstant(approvedAt, currentLanguage())}; that was undone.`
          : null,
        owed === 0 ? null : t`The member owes: ${debt}`,
      ]}
      warnings={[
        ...flags.map((flag) => WITHDRAWAL_FLAGS[flag] ?? flag),
        ...memberFlags.map((flag) => MEMBER_FLAGS[flag] ?? flag),
        ...obstaclesOf(withdrawal),
        ...(holder === null ? [] : [holder]),
      ]}
    >
      {deedsOf(withdrawal, byHand, viewer).map((deed, index) => (
        <Button
          key={deed}
          kind={index === 0 ? 'secondary' : 'quiet'}
          aria-label={`${labels[deed]}: ${formatMoney(amount)}, ${member.name}`}
          onClick={() => onChoose(deed)}
        >
          {labels[deed]}
        </Button>
      ))}
    </MoneyRow>
  )
}

function Account({ bank, onClose }: { readonly bank: Bank; readonly onClose: () => void }) {
  const { t } = useLingui()
  return (
    <Modal
      open
      title={<Trans>Bank account</Trans>}
      onClose={onClose}
      footer={
        <Button onClick={onClose}>
          <Trans>Close</Trans>
        </Button>
      }
    >
      <dl className="facts-list">
        <div>
          <dt>
            <Trans>Account holder</Trans>
          </dt>
          <dd>{bank.accountHolderName}</dd>
        </div>
        <div>
          <dt>
            <Trans>Account number</Trans>
          </dt>
          <dd>{bank.accountNumber}</dd>
        </div>
        <div>
          <dt>
            <Trans>IFSC</Trans>
          </dt>
          <dd>{bank.ifscCode}</dd>
        </div>
        <div>
          <dt>
            <Trans>Bank</Trans>
          </dt>
          <dd>{bank.bankName}</dd>
        </div>
        <div>
          <dt>
            <Trans>Account type</Trans>
          </dt>
          <dd>{bank.accountType === 'savings' ? t`Savings` : t`Current`}</dd>
        </div>
      </dl>
    </Modal>
  )
}

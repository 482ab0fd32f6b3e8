/**
 * The portal's withdrawals: an administrator approves or rejects them, asks the gateway again, or pays by hand without a payout gateway.
 * - A decision carries the state that its row showed when the dialog was opened.
 */
import { useLingui } from '@lingui/react/macro'
import { TREASURY } from '@roz/contract/roles.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Fact } from '../../../ui/Feedback.tsx'
import { formatInstant } from '../../../ui/format.ts'
import { Modal } from '../../../ui/Modal.tsx'
import { formatMoney } from '../../../ui/Money.tsx'
import { BankOfIfsc, useBankDoubt } from '../../wallet/BankOfIfsc.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { BatchApproval, type Picked, usePicked } from './BatchApproval.tsx'
import { MoneyRow, type MoneyRowProps, RowActions, useApprovals, useNarrowing } from './MoneyRows.tsx'
import { type Withdrawal, type WithdrawalState, withdrawalsQuery, sorted } from '../queries.ts'
import { useMay } from '../use-may.ts'
import { warningsOf, WITHDRAWAL_FILTERS, WITHDRAWAL_STATES } from '../states.ts'
import { type Bank, type WithdrawalAction, WithdrawalDecision } from './WithdrawalDecision.tsx'

type Open = { readonly action: WithdrawalAction; readonly withdrawal: Withdrawal } | { readonly action: 'account'; readonly bank: Bank }

export function Withdrawals() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(WITHDRAWAL_FILTERS, t`Search withdrawals`, t`Name, email, ID or reference`, true)
  const list = useInfiniteQuery(withdrawalsQuery(narrowing))
  const [open, setOpen] = useState<Open>()
  const close = (): void => setOpen(undefined)
  const byHand = list.data?.pages[0]?.byHand ?? false
  const approvalAbove = list.data?.pages[0]?.approvalAbove ?? 0
  const viewer = useViewer()
  const batch = usePicked<WithdrawalState>()
  const pickable = (withdrawal: Withdrawal): Picked<WithdrawalState> | undefined =>
    actionsOf(withdrawal, byHand, viewer).includes('approve')
      ? {
          id: withdrawal.id,
          status: withdrawal.status,
          seen: withdrawal.seen,
          amount: withdrawal.amount,
          who: withdrawal.member.name,
          warnings: warningsOf(withdrawal),
        }
      : undefined
  return (
    <>
      <ListHead title={t`Withdrawals`} csv={{ of: 'adminWithdrawalsCsv', name: 'withdrawals', filters: sorted(narrowing) }} />
      {byHand ? <p className="muted spaced">{t`No payout gateway is set up: approved withdrawals are paid by hand.`}</p> : null}
      {fields}
      {/* Not inside the list: its answer is shown also when the last row has left the list. */}
      <BatchApproval
        title={t`Approve these withdrawals?`}
        batch={batch}
        all={(list.data?.pages ?? []).flatMap((page) => page.withdrawals.flatMap((one) => pickable(one) ?? []))}
        states={WITHDRAWAL_STATES}
        approvalAbove={approvalAbove}
        send={(rows, idempotencyKey) => call('approveWithdrawals', { body: { rows }, idempotencyKey })}
      />
      <RowList
        list={list}
        itemsOf={(page) => page.withdrawals}
        failed={t`The withdrawals could not be loaded.`}
        empty={t`No withdrawals found`}
      >
        {(withdrawal) => (
          <WithdrawalRow
            key={withdrawal.id}
            withdrawal={withdrawal}
            byHand={byHand}
            pick={batch.pickOf(pickable(withdrawal), t`Select ${formatMoney(withdrawal.amount)}, ${withdrawal.member.name}`)}
            onChoose={(action) => setOpen({ action, withdrawal })}
          />
        )}
      </RowList>
      {open === undefined ? null : open.action === 'account' ? (
        <Account bank={open.bank} onClose={close} />
      ) : (
        <WithdrawalDecision
          key={`${open.action} ${open.withdrawal.id}`}
          action={open.action}
          withdrawal={open.withdrawal}
          approvalAbove={approvalAbove}
          onClose={close}
          onBank={(bank) => setOpen({ action: 'account', bank })}
        />
      )}
    </>
  )
}

/** `mayDecide`: the role decides about money; the others only read. */
type Viewer = { readonly id: string; readonly isOwner: boolean; readonly mayDecide: boolean }

/** The decisions that send money or lead to sending it. None is offered while the member is on hold. */
const SENDS: readonly WithdrawalAction[] = ['approve', 'retry', 'bank', 'complete']

function actionsOf(
  { status, shownTo, onHold, firstApproval, returnFirst }: Withdrawal,
  byHand: boolean,
  viewer: Viewer,
): readonly WithdrawalAction[] {
  if (!viewer.mayDecide) return []
  const actions = (): readonly WithdrawalAction[] => {
    if (status === 'requested') return ['approve', 'reject']
    if (status === 'awaiting_second') return firstApproval?.id === viewer.id ? ['reject'] : ['approve', 'reject']
    if (status === 'paid') return shownTo === null || returnFirst?.id === viewer.id ? [] : ['cameBack']
    if (status !== 'approved') return []
    if (shownTo === null) return byHand ? ['bank', 'reject'] : ['retry', 'reject']
    const saysNotPaid = returnFirst?.id === viewer.id ? [] : (['notPaid'] as const)
    if (shownTo.id === viewer.id) return ['complete', ...saysNotPaid, ...(byHand ? (['bank'] as const) : [])]
    // Another person confirms what the person who was shown the account has said.
    return [...(returnFirst?.id === shownTo.id ? saysNotPaid : []), ...(viewer.isOwner ? (['takeOver'] as const) : [])]
  }
  // Asking the gateway for a transfer's status sends no money, so a hold does not prevent it.
  if (status === 'sending') return byHand ? [] : ['retry']
  return actions().filter((action) => !onHold || !SENDS.includes(action))
}

function useViewer(): Viewer {
  const now = useSession()
  const mayDecide = useMay(TREASURY)
  return now.status === 'admin'
    ? { id: now.user.id, isOwner: now.user.staffRole === 'owner', mayDecide }
    : { id: '', isOwner: false, mayDecide }
}

/** Names the administrator who saw the bank account of an open payment by hand. */
function useHolder({ status, shownTo, onHold }: Withdrawal, viewer: Viewer): string | null {
  const { t } = useLingui()
  if (status !== 'approved' || shownTo === null) return null
  const { name } = shownTo
  const when = formatInstant(shownTo.at, currentLanguage())
  if (shownTo.id !== viewer.id) return t`${name} was shown the bank account on ${when} and may have paid.`
  return onHold
    ? t`You were shown the bank account on ${when}. The member is on hold: do not pay now. If you have paid already, mark it as paid when the hold ends.`
    : t`You were shown the bank account on ${when}. After you pay, press “Mark as paid”. If you cannot pay, press “Not paid”.`
}

/** The result of the name check of a UPI ID. A different name and a missing check are warnings instead (WITHDRAWAL_FLAGS). */
function useNameOf() {
  const { t } = useLingui()
  const known = {
    match: t`The bank has the same name for it`,
    no_match: null,
    no_such_id: null,
    unknown: t`The bank could not tell its name`,
  }
  return ({ bank: { upi, nameMatch }, flags }: Withdrawal): string | null =>
    upi === null || flags.includes('name_not_asked') ? null : nameMatch === null ? t`The bank was not asked for its name` : known[nameMatch]
}

type RowProps = {
  readonly withdrawal: Withdrawal
  readonly byHand: boolean
  readonly pick: MoneyRowProps['pick']
  readonly onChoose: (action: WithdrawalAction) => void
}

function WithdrawalRow({ withdrawal, byHand, pick, onChoose }: RowProps) {
  const { t } = useLingui()
  const viewer = useViewer()
  const { amount, member, bank, owed, reason, reference, status, approvedAt, returnFirst } = withdrawal
  const debt = formatMoney(owed)
  const labels = {
    approve: t`Approve`,
    reject: t`Reject`,
    retry: status === 'sending' ? t`Ask the gateway` : t`Send again`,
    bank: bank.upi === null ? t`Bank account` : t`UPI ID`,
    complete: t`Mark as paid`,
    notPaid: t`Not paid`,
    takeOver: t`Take over`,
    cameBack: t`Came back`,
  } satisfies Record<WithdrawalAction, string>
  const actions = actionsOf(withdrawal, byHand, viewer)
  const holder = useHolder(withdrawal, viewer)
  const approvals = useApprovals(withdrawal)
  const nameOf = useNameOf()
  const bankName = bank.name
  const lastFour = bank.lastFour
  return (
    <MoneyRow
      amount={amount}
      who={member.name}
      member={member}
      at={withdrawal.createdAt}
      state={WITHDRAWAL_STATES[status]}
      waitingHours={withdrawal.waitingHours}
      pick={pick}
      facts={[
        bank.upi === null ? t`${bankName}, account ending in ${lastFour}` : t`UPI ID ${lastFour}`,
        nameOf(withdrawal),
        member.email,
        approvals,
        reference === null ? null : t`Bank reference: ${reference}`,
        reason === null ? null : t`Reason: ${reason}`,
        status === 'rejected' && approvedAt !== null
          ? t`It was approved on ${formatInstant(approvedAt, currentLanguage())}; the approval was undone later.`
          : null,
        returnFirst === null
          ? null
          : status === 'paid'
            ? t`${returnFirst.name} says that it came back. Another person must say so too.`
            : t`${returnFirst.name} says that it was not paid. Another person must say so too.`,
        owed === 0 ? null : t`The member owes: ${debt}`,
      ]}
      warnings={[...warningsOf(withdrawal, byHand), ...(holder === null ? [] : [holder])]}
    >
      <RowActions
        actions={actions}
        labels={labels}
        main={actions.filter((action, index) => index === 0 && action !== 'cameBack')}
        about={`${formatMoney(amount)}, ${member.name}`}
        onChoose={onChoose}
      />
    </MoneyRow>
  )
}

function Account({ bank: { bankDetail, upiDetail }, onClose }: { readonly bank: Bank; readonly onClose: () => void }) {
  const { t } = useLingui()
  const doubt = useBankDoubt(bankDetail?.ifscCode ?? '', bankDetail?.bankName ?? '')
  const facts: readonly (readonly [string, ReactNode])[] =
    bankDetail === null
      ? [
          [t`Account holder`, upiDetail?.accountHolderName],
          [t`UPI ID`, upiDetail?.upiId],
        ]
      : [
          [t`Account holder`, bankDetail.accountHolderName],
          [t`Account number`, bankDetail.accountNumber],
          [t`IFSC`, bankDetail.ifscCode],
          [t`Bank of the IFSC`, <BankOfIfsc key="ifsc" code={bankDetail.ifscCode} />],
          [t`Bank`, bankDetail.bankName],
          ...(doubt === undefined ? [] : [[t`Check`, doubt] as const]),
          [t`Account type`, bankDetail.accountType === 'savings' ? t`Savings` : t`Current`],
        ]
  return (
    <Modal
      open
      title={bankDetail === null ? t`UPI ID` : t`Bank account`}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t`Close`}</Button>}
    >
      <dl className="facts-list">
        {facts.map(([name, value]) => (
          <Fact key={name} label={name}>
            {value}
          </Fact>
        ))}
      </dl>
    </Modal>
  )
}

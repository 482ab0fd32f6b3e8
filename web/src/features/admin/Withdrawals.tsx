/** Withdrawals in the portal: approved or rejected, asked about once more, or paid by hand where no gateway pays out. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { bankReference, decisionReason } from '@roz/core/money-fields.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/Feedback.tsx'
import { Modal } from '../../ui/Modal.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { Listing } from '../Listing.tsx'
import { Decision } from './Decision.tsx'
import { MoneyRow, useNarrowing } from './MoneyRows.tsx'
import { type Withdrawal, withdrawalsQuery } from './queries.ts'
import { WITHDRAWAL_FLAGS, WITHDRAWAL_STATES } from './states.ts'

type Deed = 'approve' | 'reject' | 'retry' | 'bank' | 'complete'
type Bank = Output<Api['withdrawalBank']>['bankDetail']
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
        <Deciding
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

const DEEDS: Readonly<Record<Withdrawal['status'], { readonly gateway: readonly Deed[]; readonly byHand: readonly Deed[] }>> = {
  requested: { gateway: ['approve', 'reject'], byHand: ['approve', 'reject'] },
  approved: { gateway: ['retry', 'reject'], byHand: ['bank', 'complete', 'reject'] },
  sending: { gateway: ['retry'], byHand: [] },
  paid: { gateway: [], byHand: [] },
  rejected: { gateway: [], byHand: [] },
  failed: { gateway: [], byHand: [] },
  reversed: { gateway: [], byHand: [] },
}

type RowProps = { readonly withdrawal: Withdrawal; readonly byHand: boolean; readonly onChoose: (deed: Deed) => void }

function WithdrawalRow({ withdrawal, byHand, onChoose }: RowProps) {
  const { t } = useLingui()
  const { amount, member, bank, flags, problem, reason, reference, status } = withdrawal
  const labels = {
    approve: t`Approve`,
    reject: t`Reject`,
    retry: status === 'sending' ? t`Ask the gateway` : t`Send again`,
    bank: t`Bank account`,
    complete: t`Mark as paid`,
  } satisfies Record<Deed, string>
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
      ]}
      warnings={[...flags.map((flag) => WITHDRAWAL_FLAGS[flag] ?? flag), ...(problem === null ? [] : [problem])]}
    >
      {DEEDS[status][byHand ? 'byHand' : 'gateway'].map((deed, index) => (
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

type DecidingProps = {
  readonly deed: Deed
  readonly withdrawal: Withdrawal
  readonly onClose: () => void
  readonly onBank: (bank: Bank) => void
}

function Deciding({ deed, withdrawal, onClose, onBank }: DecidingProps): ReactNode {
  const { t } = useLingui()
  const params = { id: withdrawal.id }
  const said = (text: string) => (): void => toast.success(text)
  const summary = (
    <p className="lead spaced">
      <b>{formatMoney(withdrawal.amount)}</b>, {withdrawal.member.name}
    </p>
  )
  switch (deed) {
    case 'approve':
      return (
        <Decision
          title={t`Approve this withdrawal?`}
          confirm={t`Approve`}
          send={(_, idempotencyKey) => call('approveWithdrawal', { params, idempotencyKey })}
          onDone={said(t`The withdrawal is approved.`)}
          onClose={onClose}
        >
          {summary}
        </Decision>
      )
    case 'reject':
      return (
        <Decision
          title={t`Reject this withdrawal?`}
          confirm={t`Reject`}
          danger
          question={{ label: t`Reason`, hint: t`The member reads it.`, rule: decisionReason, long: true }}
          send={(reason, idempotencyKey) => call('rejectWithdrawal', { params, body: { reason }, idempotencyKey })}
          onDone={said(t`The withdrawal is rejected; the money is back in the wallet.`)}
          onClose={onClose}
        >
          {summary}
        </Decision>
      )
    case 'retry':
      return (
        <Decision
          title={withdrawal.status === 'sending' ? t`Ask the gateway now?` : t`Send it once more?`}
          confirm={withdrawal.status === 'sending' ? t`Ask the gateway` : t`Send again`}
          send={(_, idempotencyKey) => call('retryWithdrawal', { params, idempotencyKey })}
          onDone={said(t`The gateway is being asked.`)}
          onClose={onClose}
        >
          {summary}
        </Decision>
      )
    case 'bank':
      return (
        <Decision
          title={t`Show the whole bank account?`}
          confirm={t`Show`}
          send={() => call('withdrawalBank', { params })}
          onDone={({ bankDetail }) => onBank(bankDetail)}
          onClose={onClose}
        >
          {summary}
          <p className="muted">
            <Trans>Each look is written down in the audit log.</Trans>
          </p>
        </Decision>
      )
    case 'complete':
      return (
        <Decision
          title={t`Mark as paid by hand?`}
          confirm={t`Mark as paid`}
          question={{ label: t`Bank reference`, hint: t`The number the bank gave this payment.`, rule: bankReference }}
          send={(reference, idempotencyKey) => call('completeWithdrawal', { params, body: { bankReference: reference }, idempotencyKey })}
          onDone={said(t`The withdrawal is marked as paid.`)}
          onClose={onClose}
        >
          {summary}
        </Decision>
      )
  }
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

/** The payment of an agreed request: person, amount and words are filled in. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { NotLoaded } from '../../../ui/Feedback.tsx'
import { Modal } from '../../../ui/Modal.tsx'
import { CASE_KIND_NAMES, type FullCase } from './case-queries.ts'
import { DisbursementDialog } from './DisbursementDialog.tsx'
import { disbursementsQuery, helpableQuery } from './queries.ts'

export function CasePayment({ one, onClose }: { readonly one: FullCase; readonly onClose: () => void }) {
  const { t, i18n } = useLingui()
  const payments = useInfiniteQuery(disbursementsQuery({ status: '', q: '', order: '' }))
  const fund = payments.data?.pages[0]?.fund
  const helpable = useQuery(helpableQuery({ id: one.beneficiaryId ?? '' }))
  const helped = helpable.data?.find(({ id }) => id === one.beneficiaryId)
  if (fund !== undefined && helped !== undefined)
    return (
      <DisbursementDialog
        approvalAbove={fund.approvalAbove}
        balance={fund.balance}
        from={{ helpCase: one.number, helped, amount: one.agreed ?? 0, purpose: i18n._(CASE_KIND_NAMES[one.kind]) }}
        onClose={onClose}
      />
    )
  return (
    <Modal open onClose={onClose} title={<Trans>Start the payment</Trans>}>
      {helpable.data !== undefined && fund !== undefined ? (
        <p>{t`The consent of this person is missing or was revoked.`}</p>
      ) : (
        <NotLoaded query={payments.isError ? payments : helpable} failed={t`The beneficiaries could not be loaded.`} lines={4} />
      )}
    </Modal>
  )
}

/** Shows the bills of an entry to staff, also those that are not public. The treasury can withhold a picture from the public. */
import { Trans, useLingui } from '@lingui/react/macro'
import { TREASURY } from '@roz/contract/roles.ts'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatInstant } from '../../../ui/format.ts'
import { Modal } from '../../../ui/Modal.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import type { Disbursement } from '../queries.ts'
import { useMay } from '../use-may.ts'
import { StoredPicture } from './StoredPicture.tsx'
import '../help/cover.css'

type Bill = Disbursement['receipts'][number]

type BillViewProps = {
  readonly receipts: readonly Bill[]
  /** Never public: there is nothing to withhold. */
  readonly isPrivate?: boolean
  readonly onClose: () => void
}

export function BillView({ receipts, isPrivate = false, onClose }: BillViewProps) {
  const mayWithhold = useMay(TREASURY) && !isPrivate
  /** The page whose picture is to be withheld. */
  const [asked, setAsked] = useState<number>()
  /** Bills withheld since the dialog opened; the `receipts` prop is older. */
  const [done, setDone] = useState<Readonly<Record<string, Bill['withheld']>>>({})
  const hash = receipts[(asked ?? 0) - 1]?.hash
  return (
    <>
      <Modal
        open
        size="lg"
        title={<Trans>Bills</Trans>}
        onClose={onClose}
        footer={
          <Button onClick={onClose}>
            <Trans>Close</Trans>
          </Button>
        }
      >
        <div className="bill-view">
          {receipts.map((bill, index) => (
            <One
              key={bill.hash}
              bill={{ ...bill, withheld: done[bill.hash] ?? bill.withheld }}
              number={index + 1}
              onWithhold={mayWithhold ? () => setAsked(index + 1) : undefined}
            />
          ))}
        </div>
      </Modal>
      {hash === undefined || asked === undefined ? null : (
        <Withholding
          hash={hash}
          number={asked}
          onDone={(withheld) => setDone({ ...done, [hash]: withheld })}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

type OneProps = { readonly bill: Bill; readonly number: number; readonly onWithhold: (() => void) | undefined }

function One({ bill: { hash, withheld }, number, onWithhold }: OneProps) {
  const { t } = useLingui()
  return (
    <>
      <StoredPicture
        name={['bill', hash]}
        read={(signal) => call('adminReceipt', { params: { hash }, signal })}
        label={t`Page ${number}`}
        failed={t`The bill could not be loaded.`}
      />
      {withheld !== null ? (
        <Withheld by={withheld} />
      ) : onWithhold === undefined ? null : (
        <Button kind="quiet" aria-label={t`Withhold this picture: page ${number}`} onClick={onWithhold}>{t`Withhold this picture`}</Button>
      )}
    </>
  )
}

function Withheld({ by: { at, by, reason } }: { readonly by: NonNullable<Bill['withheld']> }) {
  const on = formatInstant(at, currentLanguage())
  return (
    <p className="small warning-line">
      <Trans>
        Withheld on {on} by {by}: {reason}
      </Trans>
    </p>
  )
}

type WithholdingProps = {
  readonly hash: string
  readonly number: number
  readonly onDone: (withheld: Bill['withheld']) => void
  readonly onClose: () => void
}

/** Beside the bills' dialog, never inside it: its key presses must not reach the bills' dialog. */
function Withholding({ hash, number, onDone, onClose }: WithholdingProps) {
  const { t } = useLingui()
  return (
    <Decision
      title={<Trans>Withhold page {number}?</Trans>}
      confirm={t`Withhold`}
      danger
      reason={t`Only the team reads it.`}
      send={(reason) => call('withholdReceipt', { params: { hash }, body: { reason } })}
      onDone={({ withheld }) => {
        onDone(withheld)
        toast.success(t`The picture is withheld.`)
      }}
      onClose={onClose}
    >
      <p className="muted spaced">
        <Trans>
          Everybody then sees “Picture withheld” instead, at once. The payment and the picture's hash stay in the accounts, and the team
          still sees the picture here. This cannot be undone. Copies that others saved cannot be deleted.
        </Trans>
      </p>
    </Decision>
  )
}

/** Shows the receipts of an entry to staff, also before they are public. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { readReceipt } from '../../../app/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { ErrorState, Skeleton } from '../../../ui/Feedback.tsx'
import { Modal } from '../../../ui/Modal.tsx'
import { readPage } from './cover.ts'
import { Picture } from './ReceiptPages.tsx'
import './cover.css'

type Receipt = { readonly hash: string }

export function ReceiptView({ receipts, onClose }: { readonly receipts: readonly Receipt[]; readonly onClose: () => void }) {
  return (
    <Modal
      open
      size="lg"
      title={<Trans>Receipts</Trans>}
      onClose={onClose}
      footer={
        <Button onClick={onClose}>
          <Trans>Close</Trans>
        </Button>
      }
    >
      <div className="receipt-view">
        {receipts.map(({ hash }, index) => (
          <One key={hash} hash={hash} number={index + 1} />
        ))}
      </div>
    </Modal>
  )
}

function One({ hash, number }: { readonly hash: string; readonly number: number }) {
  const { t } = useLingui()
  const picture = useQuery({
    queryKey: ['receipt', hash],
    queryFn: async ({ signal }) => {
      const page = await readPage(await readReceipt(hash, signal))
      if (page === undefined) throw new Error('the receipt is no picture')
      return page
    },
  })
  if (picture.data !== undefined) return <Picture picture={picture.data} label={t`Page ${number}`} />
  if (!picture.isError) return <Skeleton lines={4} />
  return <ErrorState title={t`The receipt could not be loaded.`} busy={picture.isFetching} onRetry={() => void picture.refetch()} />
}

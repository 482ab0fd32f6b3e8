/**
 * Money that members add by a transfer to our bank account. Finance confirms each one, by a line of the statement or by the bank's number.
 * - Above the limit another person confirms too.
 */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import { Trans, useLingui } from '@lingui/react/macro'
import { TREASURY } from '@roz/contract/roles.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { settings } from '../../../app/settings.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge } from '../../../ui/Feedback.tsx'
import { formatLongDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { pagesOf } from '../../queries.ts'
import type { Shown } from '../states.ts'
import { useStatus } from './MoneyRows.tsx'
import { useMay, useViewerId } from '../use-may.ts'
import { ClosedLine, DecideTransfer, LineDialog, OrderOf, type Transfer, type TransferLine, TypedDialog } from './TransferDialogs.tsx'

const linesQuery = (status: 'closed' | undefined) =>
  pagesOf(['admin', 'transfer-lines', status], (page, signal) =>
    call('transferLines', { query: { ...page, ...(status === undefined ? {} : { status }) }, signal }),
  )
const transfersQuery = (status: keyof typeof FILTERS | '') =>
  pagesOf(['admin', 'transfers', status], (page, signal) =>
    call('transfers', { query: { ...page, ...(status === '' ? {} : { status }) }, signal }),
  )

const STATES = {
  asked: { tone: 'waiting', label: msg`Waits for another person` },
  confirmed: { tone: 'good', label: msg`Confirmed` },
  rejected: { tone: 'bad', label: msg`Rejected` },
} as const satisfies Record<Transfer['status'], Shown & { readonly label: MessageDescriptor }>

const FILTERS = {
  to_second: { tone: 'waiting', label: msg`Bank transfers that need a second person` },
  ...STATES,
} as const satisfies Record<string, Shown>

export function Transfers() {
  const { t } = useLingui()
  const mayConfirm = useMay(TREASURY)
  const [isTyping, setTyping] = useState(false)
  return (
    <>
      <ListHead title={t`Bank transfers`}>
        {mayConfirm ? <Button kind="secondary" onClick={() => setTyping(true)}>{t`Confirm by the bank's number`}</Button> : null}
      </ListHead>
      <p className="muted">
        <Trans>Members write the reference of their order into the transfer. Import the statement under Reconciliation first.</Trans>
      </p>
      <Lines mayConfirm={mayConfirm} />
      <Confirmed mayConfirm={mayConfirm} />
      {isTyping ? <TypedDialog onClose={() => setTyping(false)} /> : null}
    </>
  )
}

function Lines({ mayConfirm }: { readonly mayConfirm: boolean }) {
  const { t } = useLingui()
  const [status, setStatus] = useState<'closed'>()
  const list = useInfiniteQuery(linesQuery(status))
  const [open, setOpen] = useState<TransferLine>()
  const nothing = settings.modes.byTransfer ? t`All that came in has its entry` : t`No transfer yet`
  const emptyTitle = status === 'closed' ? t`No payments found` : nothing
  return (
    <section aria-label={t`Came in, without an entry`}>
      <h3 className="spaced">{t`Came in, without an entry`}</h3>
      <RowList list={list} itemsOf={(page) => page.lines} failed={t`The lines could not be loaded.`} empty={emptyTitle}>
        {(line) => {
          const { id, account, day, amount, order, isClosed } = line
          const [sum, on] = [formatMoney(amount), formatLongDay(day, currentLanguage())]
          return (
            <li key={id}>
              <div>
                <p>{t`${sum} in on ${on}`}</p>
                <p className="small muted">{account}</p>
                <OrderOf order={order} amount={amount} />
                {isClosed ? <ClosedLine /> : null}
              </div>
              {mayConfirm ? (
                <Button kind="secondary" aria-label={t`Confirm the line of ${on}, ${sum}`} onClick={() => setOpen(line)}>
                  <Trans>Confirm</Trans>
                </Button>
              ) : null}
            </li>
          )
        }}
      </RowList>
      <Button kind="quiet" onClick={() => setStatus(status === 'closed' ? undefined : 'closed')}>
        {status === 'closed' ? t`Without an entry` : t`Closed with a reason`}
      </Button>
      {open === undefined ? null : <LineDialog line={open} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

type Open = { readonly act: 'approve' | 'reject'; readonly transfer: Transfer }

function Confirmed({ mayConfirm }: { readonly mayConfirm: boolean }) {
  const { t, i18n } = useLingui()
  const viewer = useViewerId()
  const { status: wanted, field } = useStatus(FILTERS)
  const list = useInfiniteQuery(transfersQuery(wanted))
  const [open, setOpen] = useState<Open>()
  return (
    <section aria-label={t`Confirmed transfers`}>
      <h3 className="spaced">{t`Confirmed transfers`}</h3>
      <div className="narrowing">{field}</div>
      <RowList list={list} itemsOf={(page) => page.transfers} failed={t`The transfers could not be loaded.`} empty={t`No transfer yet`}>
        {(transfer) => {
          const { id, day, amount, order, status, askedBy, bankReference, reason } = transfer
          const [sum, on] = [formatMoney(amount), formatLongDay(day, currentLanguage())]
          const by = askedBy.name
          return (
            <li key={id}>
              <div>
                <p>{t`${sum} in on ${on}`}</p>
                <OrderOf order={order} amount={amount} />
                <p className="small muted">
                  {bankReference === null ? t`By a line of the statement, ${by}` : t`By the bank's number ${bankReference}, ${by}`}
                </p>
                {reason === null ? null : <p className="small muted">{reason}</p>}
              </div>
              <Badge tone={STATES[status].tone}>{i18n._(STATES[status].label)}</Badge>
              {status === 'asked' && mayConfirm ? (
                <div className="buttons">
                  {askedBy.id === viewer ? null : (
                    <Button
                      kind="secondary"
                      aria-label={t`Confirm as well: ${sum}, ${on}`}
                      onClick={() => setOpen({ act: 'approve', transfer })}
                    >
                      <Trans>Confirm as well</Trans>
                    </Button>
                  )}
                  <Button kind="quiet" aria-label={t`Reject: ${sum}, ${on}`} onClick={() => setOpen({ act: 'reject', transfer })}>
                    <Trans>Reject</Trans>
                  </Button>
                </div>
              ) : null}
            </li>
          )
        }}
      </RowList>
      {open === undefined ? null : <DecideTransfer {...open} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

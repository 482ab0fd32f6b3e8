/** Settlements that the gateway reported and nobody has recorded yet: each is recorded by a press, after a look at its report. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { TREASURY } from '@roz/contract/roles.ts'
import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge, NotLoaded } from '../../../ui/Feedback.tsx'
import { formatLongDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { RowList } from '../RowList.tsx'
import { pagesOf } from '../../queries.ts'
import { Decision } from '../Decision.tsx'
import { useMay } from '../use-may.ts'

type Settlement = Output<Api['gatewaySettlements']>['settlements'][number]
const proposalsQuery = pagesOf(['admin', 'gateway-settlements'], (page, signal) =>
  call('gatewaySettlements', { query: { ...page, status: 'to_record' }, signal }),
)
const reportQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin', 'gateway-settlements', id],
    queryFn: ({ signal }) => call('gatewaySettlement', { params: { id }, signal }),
  })

export function Proposals() {
  const { t } = useLingui()
  const list = useInfiniteQuery(proposalsQuery)
  const [open, setOpen] = useState<Settlement>()
  if (list.data?.pages[0]?.settlements.length === 0) return null
  return (
    <section aria-label={t`Settlements to record`}>
      <h3 className="spaced">{t`Settlements to record`}</h3>
      <RowList list={list} itemsOf={(page) => page.settlements} failed={t`The settlements could not be loaded.`} empty={null}>
        {(one) => <Row key={one.id} settlement={one} onOpen={() => setOpen(one)} />}
      </RowList>
      {open === undefined ? null : <RecordDialog settlement={open} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

/** The amounts to record, as sentences. */
function useAmounts() {
  const { t } = useLingui()
  return ({ paid, kept, amount, fee, day, utr }: Settlement): readonly string[] => {
    const [on, net, charge] = [formatLongDay(day, currentLanguage()), formatMoney(amount), formatMoney(fee)]
    const [whole, all] = [formatMoney(paid), formatMoney(kept)]
    return [
      t`Paid on ${on}: ${whole} to our bank, ${all} kept as the fee`,
      ...(amount === paid && fee === kept
        ? []
        : [t`To record: ${net} and a fee of ${charge}. The rest came back from an earlier settlement, which is already recorded.`]),
      ...(utr === null ? [] : [t`Bank's number (UTR): ${utr}`]),
    ]
  }
}

function Row({ settlement, onOpen }: { readonly settlement: Settlement; readonly onOpen: () => void }) {
  const { t } = useLingui()
  const mayRecord = useMay(TREASURY)
  const amounts = useAmounts()
  const { id, events, findings } = settlement
  return (
    <li>
      <div>
        <h4>
          <Trans>Settlement {id}</Trans>
        </h4>
        {amounts(settlement).map((line) => (
          <p key={line} className="small muted">
            <Unbroken text={line} />
          </p>
        ))}
        <p className="small muted">
          <Plural value={events} one="# entry of the gateway" other="# entries of the gateway" />
        </p>
        {findings === 0 ? null : (
          <p className="small warning-line">
            <Plural value={findings} one="# finding, below" other="# findings, below" />
          </p>
        )}
      </div>
      <Badge tone="waiting">{t`To record`}</Badge>
      <div className="buttons">
        <Button kind="secondary" aria-label={mayRecord ? t`Check and record: ${id}` : t`Report: ${id}`} onClick={onOpen}>
          {mayRecord ? t`Check and record` : t`Report`}
        </Button>
      </div>
    </li>
  )
}

function RecordDialog({ settlement, onClose }: { readonly settlement: Settlement; readonly onClose: () => void }) {
  const { t } = useLingui()
  const mayRecord = useMay(TREASURY)
  const amounts = useAmounts()
  const { id, amount, fee } = settlement
  return (
    <Decision
      title={mayRecord ? <Trans>Record this settlement?</Trans> : <Trans>Settlement {id}</Trans>}
      confirm={mayRecord ? t`Record it` : t`Close`}
      send={async (_, idempotencyKey) =>
        mayRecord ? (await call('recordSettlement', { params: { id }, body: { amount, fee }, idempotencyKey })).entry.status : undefined
      }
      onDone={(status) =>
        status === undefined
          ? undefined
          : toast.success(status === 'booked' ? t`Recorded.` : t`Requested. Another person must approve it under “Platform entries”.`)
      }
      onClose={onClose}
    >
      {amounts(settlement).map((line) => (
        <p key={line}>
          <Unbroken text={line} />
        </p>
      ))}
      <Report id={id} />
      {mayRecord ? <p className="muted spaced">{t`It enters today's accounts, and this cannot be undone.`}</p> : null}
    </Decision>
  )
}

/** The gateway's report. It names payments by their numbers, and nobody who paid. */
function Report({ id }: { readonly id: string }) {
  const { t } = useLingui()
  const report = useQuery(reportQuery(id))
  if (report.isError || report.data === undefined) return <NotLoaded query={report} failed={t`The report could not be loaded.`} lines={3} />
  return (
    <details className="spaced">
      <summary>{t`The gateway's report`}</summary>
      <pre className="report">{report.data.report === null ? '' : JSON.stringify(JSON.parse(report.data.report), null, 2)}</pre>
    </details>
  )
}

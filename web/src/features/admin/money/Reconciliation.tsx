/**
 * Reconciliation: what the gateway owes us and our bank should hold, settlements to record, findings, the bank's statements, the days that
 * changed it, and the form of a settlement. Where money comes by bank transfers, it names no gateway.
 */
import { Plural, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { TREASURY } from '@roz/contract/roles.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { settings } from '../../../app/settings.ts'
import { Button } from '../../../ui/Button.tsx'
import { Fact } from '../../../ui/Feedback.tsx'
import { formatInstant, formatLongDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { RowList } from '../RowList.tsx'
import { pagesOf } from '../../queries.ts'
import { ListHead } from '../CsvButton.tsx'
import { BankAccounts, BankCheckLine } from './Bank.tsx'
import { OpenFindings, PastFindings } from './Findings.tsx'
import { FactLines } from './MoneyRows.tsx'
import { Proposals } from './Proposals.tsx'
import { SettlementDialog } from './SettlementDialog.tsx'
import { useMay } from '../use-may.ts'

type Page = Output<Api['reconciliation']>
const reconciliationQuery = pagesOf(['admin', 'reconciliation'], (page, signal) => call('reconciliation', { query: page, signal }))

export function Reconciliation() {
  const { t } = useLingui()
  const list = useInfiniteQuery(reconciliationQuery)
  const [recording, setRecording] = useState(false)
  const mayRecord = useMay(TREASURY)
  const first = list.data?.pages[0]
  const settles = first !== undefined && withGateway(first.balances)
  return (
    <>
      <ListHead title={t`Reconciliation`} csv={{ of: 'reconciliationCsv', name: 'reconciliation' }}>
        {mayRecord && settles ? <Button onClick={() => setRecording(true)}>{t`Record a settlement`}</Button> : null}
      </ListHead>
      {first !== undefined && (settles || first.check.open > 0) ? <CheckLine check={first.check} /> : null}
      {first === undefined || first.bankCheck === null ? null : <BankCheckLine check={first.bankCheck} />}
      {first === undefined ? null : <Balances balances={first.balances} />}
      <Proposals />
      <OpenFindings />
      <BankAccounts />
      <RowList
        list={list}
        itemsOf={(page) => page.reconciliation}
        failed={t`The days could not be loaded.`}
        empty={t`No money has moved yet`}
      >
        {(day) => <DayRow key={day.day} of={day} />}
      </RowList>
      <PastFindings />
      {recording && first !== undefined ? (
        <SettlementDialog approvalAbove={first.approvalAbove} onClose={() => setRecording(false)} />
      ) : null}
    </>
  )
}

/** Money that comes by bank transfers is owed by nobody. A gateway that was used before may owe something still. */
const withGateway = ({ gateway, fees }: Page['balances']): boolean => settings.modes.byTransfer !== true || gateway !== 0 || fees !== 0

/** One line, red while the newest reading is late or something does not fit. */
function CheckLine({ check: { readAt, isLate, open, difference } }: { readonly check: Page['check'] }) {
  const { t } = useLingui()
  const read = readAt === null ? '' : formatInstant(readAt, currentLanguage())
  const by = formatMoney(Math.abs(difference))
  if (isLate)
    return (
      <p className="warning-line" role="alert">
        {readAt === null ? t`The gateway's settlements were never read.` : t`The gateway's settlements were last read on ${read}.`}
      </p>
    )
  if (open > 0)
    return (
      <p className="warning-line" role="alert">
        {difference === 0 ? (
          <Plural value={open} one="# finding is open." other="# findings are open." />
        ) : (
          <Plural
            value={open}
            one={`# finding is open: together ${by} of difference.`}
            other={`# findings are open: together ${by} of difference.`}
          />
        )}
      </p>
    )
  return readAt === null ? null : <p className="muted">{t`Read on ${read}: our books have what the gateway says.`}</p>
}

function Balances({ balances }: { readonly balances: Page['balances'] }) {
  const { t } = useLingui()
  const { gateway, bank, fees, payoutsPending, refundsPending, suspense } = balances
  const owed = formatMoney(Math.abs(gateway))
  const held = formatMoney(bank)
  const kept = formatMoney(fees)
  const leaving = formatMoney(payoutsPending)
  const returning = formatMoney(refundsPending)
  const unclear = formatMoney(suspense)
  const facts = [
    withGateway(balances) && [
      t`Gateway`,
      gateway < 0
        ? t`We owe the gateway ${owed}: refunds and disputes were more than the money it had for us.`
        : t`The gateway owes us ${owed}. Compare it with the amount on its dashboard that is not settled yet.`,
    ],
    [t`Bank`, t`Our bank account should hold ${held} of this money. Compare it with the bank's statement.`],
    withGateway(balances) && [t`Fees`, t`The gateway has kept ${kept} so far, tax included. The platform share pays it.`],
    [t`Withdrawals`, t`${leaving} waits to be paid out.`],
    [t`Refunds`, t`${returning} waits to be refunded.`],
    [t`Suspense`, t`${unclear} has no clear owner yet.`],
  ] as const
  return (
    <dl className="facts-list two spaced">
      {facts.map((fact) =>
        fact === false ? null : (
          <Fact key={fact[0]} label={fact[0]}>
            {fact[1]}
          </Fact>
        ),
      )}
    </dl>
  )
}

function DayRow({ of }: { readonly of: Page['reconciliation'][number] }) {
  const { t } = useLingui()
  const { byTransfer = false } = settings.modes
  const [captured, refunded, disputed] = [formatMoney(of.captured), formatMoney(of.refunded), formatMoney(of.disputed)]
  const [settled, fee, owed] = [formatMoney(of.settled), formatMoney(of.fee), formatMoney(of.owed)]
  const facts = [
    of.captured === 0 ? null : t`Payments: ${captured}`,
    of.refunded === 0 ? null : t`Refunded: ${refunded}`,
    of.disputed === 0 ? null : t`Disputed: ${disputed}`,
    of.settled === 0 && of.fee === 0
      ? null
      : byTransfer && of.fee === 0
        ? t`Arrived at our bank: ${settled}`
        : t`Settled: ${settled} to our bank, ${fee} kept as the fee`,
    byTransfer && of.owed === 0 ? null : t`Owed by the gateway at the end of the day: ${owed}`,
  ]
  return (
    <li>
      <div>
        <h3>{formatLongDay(of.day, currentLanguage())}</h3>
        <FactLines facts={facts} />
      </div>
    </li>
  )
}

/**
 * Platform entries: the platform's share paid out, tax remitted, and losses covered, each with its bills.
 * - Settlements of the gateway are listed and decided here, and recorded under Reconciliation.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { TREASURY } from '@roz/contract/roles.ts'
import { purposeFor } from '@roz/core/purpose-words.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { Fact } from '../../../ui/Feedback.tsx'
import { SelectField } from '../../../ui/Field.tsx'
import { formatLongDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { RowList } from '../RowList.tsx'
import { Decision } from '../Decision.tsx'
import { ListHead } from '../CsvButton.tsx'
import { MoneyRow, RowActions, useNarrowing } from './MoneyRows.tsx'
import { narrowed } from '../queries.ts'
import { useMay, useViewerId } from '../use-may.ts'
import { OutlayDecision, type OutlayAction, useDeciders } from '../outlays/OutlayDecision.tsx'
import { OutlayConsequence, OutlayFields, useOutlayForm } from '../outlays/OutlayForm.tsx'
import { ENTRY_FILTERS, HOUSE_NAMES, HOUSE_PAYABLE, type HouseEntry, houseEntriesQuery, OUTLAY_STATES } from '../help/queries.ts'
import { CoverNext } from '../outlays/BillPages.tsx'
import { BillView } from '../outlays/BillView.tsx'
import { OtherPurposes, Purpose } from '../outlays/Purpose.tsx'
import { Options } from '../Options.tsx'

type Kind = Exclude<HouseEntry['kind'], 'gateway_settled'>
type Payable = Readonly<Record<Kind, number>>
type Open = { readonly action: 'new' } | { readonly action: OutlayAction | 'receipts'; readonly entry: HouseEntry }
const KINDS = Object.keys(HOUSE_PAYABLE) as readonly Kind[]

export function HouseEntries() {
  const { t, i18n } = useLingui()
  const { narrowing, fields } = useNarrowing(ENTRY_FILTERS, t`Search platform entries`, t`What it was for`)
  const list = useInfiniteQuery(houseEntriesQuery(narrowing))
  const [open, setOpen] = useState<Open>()
  const close = (): void => setOpen(undefined)
  const paid = usePaid()
  const mayAsk = useMay(TREASURY)
  const first = list.data?.pages[0]
  return (
    <>
      <ListHead title={t`Platform entries`} csv={first && { of: 'houseEntriesCsv', name: 'house-entries', filters: narrowed(narrowing) }}>
        {mayAsk && first !== undefined ? <Button onClick={() => setOpen({ action: 'new' })}>{t`New entry`}</Button> : null}
      </ListHead>
      {first === undefined ? null : (
        <dl className="facts-list spaced">
          {KINDS.map((kind) => (
            <Fact key={kind} label={i18n._(HOUSE_PAYABLE[kind])}>
              <Available amount={first.payable[kind]} />
            </Fact>
          ))}
        </dl>
      )}
      {fields}
      <RowList list={list} itemsOf={(page) => page.entries} failed={t`The entries could not be loaded.`} empty={t`No entries found`}>
        {(entry) => <Row key={entry.id} entry={entry} onChoose={(action) => setOpen({ action, entry })} />}
      </RowList>
      {open?.action === 'new' && first !== undefined ? (
        <EntryDialog payable={first.payable} approvalAbove={first.approvalAbove} onClose={close} />
      ) : null}
      {open?.action === 'receipts' ? (
        <BillView receipts={open.entry.receipts} isPrivate={open.entry.settlement !== null} onClose={close} />
      ) : null}
      {open?.action === 'approve' || open?.action === 'reject' ? (
        <OutlayDecision
          action={open.action}
          of={open.entry.settlement === null ? 'house' : 'settlement'}
          entry={open.entry}
          onClose={close}
        >
          <p>
            {formatMoney(open.entry.amount)}, <What entry={open.entry} />
          </p>
          <OtherPurposes entry={open.entry} />
          {open.entry.settlement === null ? null : <p>{paid(open.entry.settlement)}</p>}
        </OutlayDecision>
      ) : null}
    </>
  )
}

/** When the gateway paid, and what it kept. */
function usePaid() {
  const { t } = useLingui()
  return ({ day, fee }: NonNullable<HouseEntry['settlement']>): string => {
    const [on, kept] = [formatLongDay(day, currentLanguage()), formatMoney(fee)]
    return t`Paid to our bank on ${on}, fee ${kept}`
  }
}

function Available({ amount }: { readonly amount: number }) {
  const most = formatMoney(amount)
  return amount === 0 ? <Trans>Nothing available today</Trans> : <Trans>Available today: {most}</Trans>
}

/** A settlement has the gateway's number, which is in no language. */
function What({ entry }: { readonly entry: HouseEntry }) {
  return entry.settlement === null ? <Purpose entry={entry} /> : entry.purpose
}

type RowProps = { readonly entry: HouseEntry; readonly onChoose: (action: OutlayAction | 'receipts') => void }

function Row({ entry, onChoose }: RowProps) {
  const { t, i18n } = useLingui()
  const viewer = useViewerId()
  const paid = usePaid()
  const mayDecide = useMay(TREASURY)
  const { purpose } = purposeFor(entry, currentLanguage())
  const { amount, status, kind, settlement, askedBy, reason, needsSecond } = entry
  const isOwn = needsSecond && askedBy.id === viewer
  const about = `${formatMoney(amount)}, ${purpose}`
  const labels = { receipts: t`Bills`, approve: t`Approve`, reject: t`Reject` }
  const isOpen = mayDecide && status === 'requested'
  const actions = [
    ...(isOpen && !isOwn ? (['approve'] as const) : []),
    ...(entry.receipts.length > 0 ? (['receipts'] as const) : []),
    ...(isOpen ? (['reject'] as const) : []),
  ]
  return (
    <MoneyRow
      amount={amount}
      who={<What entry={entry} />}
      at={entry.askedAt}
      state={OUTLAY_STATES[status]}
      facts={[
        i18n._(HOUSE_NAMES[kind]),
        settlement === null ? null : paid(settlement),
        useDeciders(entry),
        reason === null ? null : t`Reason: ${reason}`,
      ]}
      warnings={status === 'requested' && isOwn ? [t`You requested this. Another person must approve it.`] : []}
    >
      <RowActions actions={actions} labels={labels} main={['approve']} about={about} onChoose={onChoose} />
    </MoneyRow>
  )
}

type DialogProps = { readonly payable: Payable; readonly approvalAbove: number; readonly onClose: () => void }

function EntryDialog({ payable, approvalAbove, onClose }: DialogProps) {
  const { t, i18n } = useLingui()
  const [kind, setKind] = useState<Kind>('platform_out')
  const form = useOutlayForm({ approvalAbove, about: kind })
  return (
    <>
      <Decision
        title={<Trans>New entry</Trans>}
        confirm={form.confirm}
        check={form.check}
        send={(_, idempotencyKey) => call('askHouseEntry', { body: { ...form.body, kind }, idempotencyKey }).catch(form.refused)}
        onDone={({ entry }) => toast.success(entry.status === 'booked' ? t`Recorded.` : t`Requested. Another person must approve it.`)}
        onClose={onClose}
      >
        <SelectField label={t`Kind of entry`} value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
          <Options values={KINDS} nameOf={(name) => i18n._(HOUSE_NAMES[name])} />
        </SelectField>
        <p className="spaced">
          <Available amount={payable[kind]} />
        </p>
        <OutlayFields form={form} purposeLabel={t`What it is for`} purposeHint={t`Everybody can read these words.`} />
        <OutlayConsequence form={form} />
      </Decision>
      <CoverNext pages={form.pages} />
    </>
  )
}

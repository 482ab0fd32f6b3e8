/** Help given: disbursements from the help fund with their receipts, and money of them that came back. */
import { Trans, useLingui } from '@lingui/react/macro'
import { EDITORS, HELPERS, TREASURY } from '@roz/contract/roles.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { currentLanguage } from '../../../app/language.ts'
import { paths } from '../../../paths.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/Feedback.tsx'
import { formatDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { Listing } from '../../Listing.tsx'
import { CsvButton } from '../CsvButton.tsx'
import { MoneyRow, useNarrowing } from '../MoneyRows.tsx'
import { type Disbursement, narrowed, toldHelpOf } from '../queries.ts'
import { StoryDialog } from '../StoryDialog.tsx'
import { useMay, useViewerId } from '../use-may.ts'
import { CorrectionDialog, DisbursementDialog } from './DisbursementDialog.tsx'
import { OutlayDecision, type OutlayAction } from './OutlayDecision.tsx'
import { disbursementsQuery, HELP_STATES, OUTLAY_STATES, STORY_STATES } from './queries.ts'
import { ReceiptView } from './ReceiptView.tsx'

type Action = OutlayAction | 'receipts' | 'correct' | 'story'
type Open = { readonly action: 'new' } | { readonly action: Action; readonly entry: Disbursement }

export function HelpGiven() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(HELP_STATES, t`Search help given`, t`Public words or name`)
  const list = useInfiniteQuery(disbursementsQuery(narrowing))
  const [open, setOpen] = useState<Open>()
  const close = (): void => setOpen(undefined)
  const mayAsk = useMay(HELPERS)
  const fund = list.data?.pages[0]?.fund
  const balance = formatMoney(fund?.balance ?? 0)
  const requested = formatMoney(fund?.requested ?? 0)
  return (
    <>
      <div className="head-row spaced">
        <h2>
          <Trans>Help given</Trans>
        </h2>
        <div className="buttons">
          {mayAsk ? (
            <Button onClick={() => setOpen({ action: 'new' })}>
              <Trans>New disbursement</Trans>
            </Button>
          ) : null}
          <CsvButton of="disbursementsCsv" name="disbursements" filters={narrowed(narrowing)} />
        </div>
      </div>
      {fund === undefined ? null : (
        <p className="muted spaced">
          <Trans>
            In the help fund: {balance}. Requested and not decided yet: {requested}.
          </Trans>
        </p>
      )}
      {fields}
      <Listing
        list={list}
        itemsOf={(page) => page.disbursements}
        failed={t`The help given could not be loaded.`}
        empty={
          <EmptyState art="slip" title={t`No help found`}>
            <Trans>A disbursement takes money from the help fund for a beneficiary, with its receipts.</Trans>
          </EmptyState>
        }
      >
        {(entries) => (
          <ul className="story-rows">
            {entries.map((entry) => (
              <Row key={entry.id} entry={entry} onChoose={(action) => setOpen({ action, entry })} />
            ))}
          </ul>
        )}
      </Listing>
      {open?.action === 'new' ? (
        <DisbursementDialog approvalAbove={fund?.approvalAbove ?? 0} balance={fund?.balance ?? 0} onClose={close} />
      ) : null}
      {open?.action === 'correct' ? <CorrectionDialog entry={open.entry} approvalAbove={fund?.approvalAbove ?? 0} onClose={close} /> : null}
      {open?.action === 'story' ? <StoryDialog help={toldHelpOf(open.entry)} onClose={close} /> : null}
      {open?.action === 'receipts' ? <ReceiptView receipts={open.entry.receipts} onClose={close} /> : null}
      {open?.action === 'approve' || open?.action === 'reject' ? (
        <OutlayDecision action={open.action} of="help" entry={open.entry} onClose={close}>
          <p>
            {formatMoney(open.entry.amount)}, {open.entry.purpose}, {open.entry.beneficiary.publicName}
          </p>
        </OutlayDecision>
      ) : null}
    </>
  )
}

/** The days as one text: `21 Nov 2026`, or `19 Nov 2026 – 21 Nov 2026 (3)`. */
function daysText(days: Disbursement['days']): string {
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return ''
  const from = formatDay(first.day, currentLanguage())
  return first === last ? from : `${from} – ${formatDay(last.day, currentLanguage())} (${days.length})`
}

function Row({ entry, onChoose }: { readonly entry: Disbursement; readonly onChoose: (action: Action) => void }) {
  const { t, i18n } = useLingui()
  const viewer = useViewerId()
  const mayDecide = useMay(TREASURY)
  const mayTell = useMay(EDITORS)
  const { amount, purpose, beneficiary, status, kind, askedBy, decidedBy, reason, returned, days, needsSecond, story } = entry
  const isBack = kind === 'disbursement_back'
  const asker = askedBy.name
  const decider = decidedBy?.name ?? ''
  const given = daysText(days)
  const back = formatMoney(returned)
  const about = `${formatMoney(amount)}, ${purpose}, ${beneficiary.publicName}`
  const isOwn = needsSecond && askedBy.id === viewer
  const isGiven = status === 'booked' && !isBack && returned < amount
  const state = story === null ? '' : i18n._(STORY_STATES[story.state].label)
  const actions: readonly Action[] = [
    ...(mayTell && isGiven && story === null && !beneficiary.isRevoked ? (['story'] as const) : []),
    'receipts',
    ...(mayDecide && status === 'requested' ? ([...(isOwn ? [] : ['approve' as const]), 'reject'] as const) : []),
    ...(mayDecide && isGiven ? (['correct'] as const) : []),
  ]
  const labels = {
    story: t`Write its story`,
    receipts: t`Receipts`,
    approve: t`Approve`,
    reject: t`Reject`,
    correct: t`Money came back`,
  } satisfies Record<Action, string>
  return (
    <MoneyRow
      amount={amount}
      who={purpose}
      at={entry.askedAt}
      state={OUTLAY_STATES[status]}
      facts={[
        beneficiary.publicName,
        isBack ? t`Came back to the help fund` : null,
        given === '' ? null : isBack ? t`Open again: ${given}` : t`Help of: ${given}`,
        decidedBy === null
          ? t`Requested by ${asker}`
          : asker === decider
            ? t`Asked and decided by ${asker}`
            : t`Requested by ${asker}, decided by ${decider}`,
        reason === null ? null : t`Reason: ${reason}`,
        returned === 0 ? null : t`Came back since: ${back}`,
        story === null ? null : t`Its story: ${state}`,
      ]}
      warnings={[
        ...(beneficiary.isRevoked ? [t`The consent was revoked: nothing public names them.`] : []),
        ...(status === 'requested' && isOwn ? [t`You asked for this: another person approves it.`] : []),
      ]}
    >
      {actions.map((action) => (
        <Button
          key={action}
          kind={action === 'approve' || action === 'story' ? 'secondary' : 'quiet'}
          aria-label={`${labels[action]}: ${about}`}
          onClick={() => onChoose(action)}
        >
          {labels[action]}
        </Button>
      ))}
      {story === null ? null : (
        <Link
          className={buttonClass('quiet')}
          to={paths.adminDashboard}
          search={{ tab: 'stories', story: story.id }}
          aria-label={t`See its story: ${about}`}
        >
          <Trans>See its story</Trans>
        </Link>
      )}
    </MoneyRow>
  )
}

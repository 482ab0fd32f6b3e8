/** Help given: disbursements from the help fund and their corrections, with their bills. */
import { Trans, useLingui } from '@lingui/react/macro'
import { EDITORS, HELPERS, TREASURY } from '@roz/contract/roles.ts'
import { SPEECH } from '@roz/core/language.ts'
import { purposeFor } from '@roz/core/purpose-words.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { currentLanguage } from '../../../app/language.ts'
import { paths } from '../../../paths.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { formatMoney } from '../../../ui/Money.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { MoneyRow, RowActions, useNarrowing } from '../money/MoneyRows.tsx'
import { type Disbursement, narrowed, toldHelpOf } from '../queries.ts'
import { StoryDialog } from './StoryDialog.tsx'
import { useMay, useViewerId } from '../use-may.ts'
import { numberOf, useBeneficiaryFacts } from './beneficiary-facts.ts'
import { CodeDialog, PaymentArrival, ShownCode, useArrivalFact } from './ArrivalDialog.tsx'
import { CorrectionDialog, DisbursementDialog } from './DisbursementDialog.tsx'
import { OutlayDecision, type OutlayAction, useDeciders } from '../outlays/OutlayDecision.tsx'
import { PaymentFollowUp, ToldDialog } from './FollowUpDialog.tsx'
import { disbursementsQuery, HELP_STATES, OUTLAY_STATES, STORY_STATES } from './queries.ts'
import { BillView } from '../outlays/BillView.tsx'
import { OtherPurposes, Purpose } from '../outlays/Purpose.tsx'
import { PurposeDialog } from './PurposeDialog.tsx'

type Action = OutlayAction | 'receipts' | 'correct' | 'story' | 'arrival' | 'code' | 'followUp' | 'told' | 'words'
type Open =
  | { readonly action: 'new' }
  | { readonly action: 'shown'; readonly code: string }
  | { readonly action: Action; readonly entry: Disbursement }

export function HelpGiven() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(HELP_STATES, t`Search help given`, t`What it was for, or name`)
  const list = useInfiniteQuery(disbursementsQuery(narrowing))
  const factsOf = useBeneficiaryFacts()
  const [open, setOpen] = useState<Open>()
  const close = (): void => setOpen(undefined)
  const mayAsk = useMay(HELPERS)
  const viewer = useViewerId()
  const fund = list.data?.pages[0]?.fund
  const balance = formatMoney(fund?.balance ?? 0)
  const requested = formatMoney(fund?.requested ?? 0)
  // In whole paise, so that no float subtracts rupees.
  const missing = fund === undefined ? 0 : Math.round(fund.requested * 100 - fund.balance * 100) / 100
  return (
    <>
      <ListHead title={t`Help given`} csv={{ of: 'disbursementsCsv', name: 'disbursements', filters: narrowed(narrowing) }}>
        {mayAsk ? <Button onClick={() => setOpen({ action: 'new' })}>{t`New disbursement`}</Button> : null}
      </ListHead>
      {fund === undefined ? null : (
        <p className="muted spaced">
          <Trans>
            In the help fund: {balance}. Requested and not decided yet: {requested}.
          </Trans>
        </p>
      )}
      {missing <= 0 ? null : (
        <p className="warning-line spaced">
          <Trans>The requests exceed the help fund by {formatMoney(missing)}.</Trans>
        </p>
      )}
      {fields}
      <RowList
        list={list}
        itemsOf={(page) => page.disbursements}
        failed={t`The help given could not be loaded.`}
        empty={t`No help found`}
        hint={t`A disbursement takes money from the help fund for a beneficiary, with its bills.`}
      >
        {(entry) => <Row key={entry.id} entry={entry} inFund={fund?.balance ?? 0} onChoose={(action) => setOpen({ action, entry })} />}
      </RowList>
      {open?.action === 'new' ? (
        <DisbursementDialog approvalAbove={fund?.approvalAbove ?? 0} balance={fund?.balance ?? 0} onClose={close} />
      ) : null}
      {open?.action === 'correct' ? <CorrectionDialog entry={open.entry} approvalAbove={fund?.approvalAbove ?? 0} onClose={close} /> : null}
      {open?.action === 'story' ? <StoryDialog help={toldHelpOf(open.entry)} onClose={close} /> : null}
      {open?.action === 'followUp' ? <PaymentFollowUp entry={open.entry} onClose={close} /> : null}
      {open?.action === 'words' ? <PurposeDialog entry={open.entry} onClose={close} /> : null}
      {open?.action === 'told' ? <ToldDialog entry={open.entry} onClose={close} /> : null}
      {open?.action === 'arrival' ? <PaymentArrival entry={open.entry} isPayer={isPayer(open.entry, viewer)} onClose={close} /> : null}
      {open?.action === 'code' ? (
        <CodeDialog entry={open.entry} onCode={(code) => setOpen({ action: 'shown', code })} onClose={close} />
      ) : null}
      {open?.action === 'shown' ? <ShownCode code={open.code} onClose={close} /> : null}
      {open?.action === 'receipts' ? <BillView receipts={open.entry.receipts} onClose={close} /> : null}
      {open?.action === 'approve' || open?.action === 'reject' ? (
        <OutlayDecision action={open.action} of="help" entry={open.entry} onClose={close}>
          <p>
            {formatMoney(open.entry.amount)}, <Purpose entry={open.entry} />, {open.entry.beneficiary.publicName}
          </p>
          <OtherPurposes entry={open.entry} />
          <p className="small muted">{factsOf(open.entry.beneficiary)}</p>
        </OutlayDecision>
      ) : null}
    </>
  )
}

const isPayer = ({ askedBy, decidedBy }: Disbursement, viewer: string): boolean => askedBy.id === viewer || decidedBy?.id === viewer

/** The first to the last day as one text: `21 Nov 2026`, `19–21 Nov 2026`. */
function daysText(days: Disbursement['days']): string {
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return ''
  const { locale } = SPEECH[currentLanguage()]
  const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'Asia/Kolkata' })
  return format.formatRange(noonOf(first.day), noonOf(last.day))
}
const noonOf = (day: string): Date => new Date(`${day}T12:00:00+05:30`)

type RowProps = { readonly entry: Disbursement; readonly inFund: number; readonly onChoose: (action: Action) => void }

function Row({ entry, inFund, onChoose }: RowProps) {
  const { t, i18n } = useLingui()
  const viewer = useViewerId()
  const factsOf = useBeneficiaryFacts()
  const mayDecide = useMay(TREASURY)
  const mayTell = useMay(EDITORS)
  const mayRecord = useMay(HELPERS)
  const { purpose } = purposeFor(entry, currentLanguage())
  const { amount, beneficiary, status, kind, askedBy, reason, returned, days, needsSecond, story, arrival } = entry
  const isBack = kind === 'disbursement_back'
  const given = daysText(days)
  const count = days.length
  const back = formatMoney(returned)
  const about = `${formatMoney(amount)}, ${purpose}, ${beneficiary.publicName} ${numberOf(beneficiary)}`
  const isOwn = needsSecond && askedBy.id === viewer
  const isOpen = mayDecide && status === 'requested'
  const isGiven = status === 'booked' && !isBack && returned < amount
  const state = story === null ? '' : i18n._(STORY_STATES[story.state].label).toLocaleLowerCase(currentLanguage())
  const actions: readonly Action[] = [
    ...(mayTell && isGiven && story === null && !beneficiary.isRevoked ? (['story'] as const) : []),
    ...(isOpen && !isOwn ? (['approve'] as const) : []),
    ...(mayRecord && isGiven && entry.followUpDue !== null ? (['followUp'] as const) : []),
    ...(entry.followUps.length > 0 ? (['told'] as const) : []),
    ...(mayRecord && isGiven ? (['arrival'] as const) : []),
    ...(mayRecord && isGiven && isPayer(entry, viewer) && arrival?.received !== true ? (['code'] as const) : []),
    'receipts',
    ...(mayRecord && status !== 'rejected' ? (['words'] as const) : []),
    ...(isOpen ? (['reject'] as const) : []),
    ...(mayDecide && isGiven ? (['correct'] as const) : []),
  ]
  const labels = {
    story: t`Write its story`,
    receipts: t`Bills`,
    words: t`Translate`,
    approve: t`Approve`,
    reject: t`Reject`,
    correct: t`Money came back`,
    arrival: t`Did it arrive?`,
    followUp: t`Ask how things are`,
    told: t`What the person said`,
    code: t`Code for the receiver`,
  } satisfies Record<Action, string>
  return (
    <MoneyRow
      amount={amount}
      who={<Purpose entry={entry} />}
      at={entry.askedAt}
      state={isBack ? OUTLAY_STATES[status] : HELP_STATES[status]}
      facts={[
        `${beneficiary.publicName} · ${factsOf(beneficiary)}`,
        isBack ? t`Came back to the help fund` : null,
        given === ''
          ? null
          : isBack
            ? t`Waits for help again: ${given}`
            : count === 1
              ? t`From 1 day: ${given}`
              : t`From ${count} days: ${given}`,
        useDeciders(entry),
        useArrivalFact(entry),
        reason === null ? null : t`Reason: ${reason}`,
        returned === 0 ? null : t`Came back since: ${back}`,
        story === null ? null : t`Story: ${state}`,
      ]}
      warnings={[
        ...(beneficiary.isRevoked ? [t`The consent was revoked: the public pages no longer show this name.`] : []),
        ...(status === 'requested' && !isBack && amount > inFund ? [t`The help fund does not have this much now.`] : []),
        ...(status === 'requested' && isOwn ? [t`You requested this. Another person must approve it.`] : []),
      ]}
    >
      <RowActions actions={actions} labels={labels} main={['approve', 'story']} about={about} onChoose={onChoose} />
      {story === null ? null : (
        <Link
          className={buttonClass('quiet')}
          to={paths.adminDashboard}
          search={{ tab: 'stories', story: story.id }}
          aria-label={t`Open story: ${about}`}
        >
          <Trans>Open story</Trans>
        </Link>
      )}
    </MoneyRow>
  )
}

/** Differences between our books, the gateway and the bank: each has its age, and is closed with a reason. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { TREASURY } from '@roz/contract/roles.ts'
import type { FindingKind } from '@roz/core/findings.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge } from '../../../ui/Feedback.tsx'
import { formatInstant, formatLongDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { serverNowMs } from '../../clock.ts'
import { RowList } from '../RowList.tsx'
import { pagesOf } from '../../queries.ts'
import { Decision } from '../Decision.tsx'
import type { Shown } from '../states.ts'
import { useMay } from '../use-may.ts'
import { BankMatch } from './BankMatch.tsx'
import { FactLines } from './MoneyRows.tsx'

type Finding = Output<Api['findings']>['findings'][number]
const findingsQuery = (status: 'open' | 'past') =>
  pagesOf(['admin', 'findings', status], (page, signal) => call('findings', { query: { ...page, status }, signal }))

const FINDING_NAMES = {
  unknown_payment: msg`A settlement has a payment that is not in our books.`,
  unknown_refund: msg`A settlement has a refund that is not in our books. Was it made in the gateway’s dashboard?`,
  unknown_dispute: msg`A settlement has the money of a dispute that our books do not have. We ask the gateway every morning.`,
  other_amount: msg`A settlement has another amount than our books.`,
  other_rate: msg`The gateway charged another rate than agreed.`,
  adjustment: msg`The gateway added or took an amount for a reason of its own.`,
  sums: msg`The entries of a settlement do not add up to what it paid.`,
  twice: msg`The same entry was settled twice.`,
  missing: msg`No settlement has this entry, after four bank days.`,
  failed: msg`A settlement failed at the bank.`,
  came_back: msg`A recorded settlement went back to the gateway.`,
  unknown_word: msg`The gateway used a word that we do not know.`,
  bank_line: msg`A line of the bank statement has no entry in our books.`,
  bank_missing: msg`An entry of our books has no line in the bank statement.`,
  bank_opening: msg`The first balance of a bank account is another than in our books.`,
} as const satisfies Record<FindingKind, MessageDescriptor>

const FINDING_STATES = {
  open: { tone: 'bad', label: msg`Open` },
  awaiting_second: { tone: 'waiting', label: msg`Needs a second person` },
  closed: { tone: 'plain', label: msg`Closed` },
  ended: { tone: 'good', label: msg`Fits by now` },
} as const satisfies Record<Finding['status'], Shown>

const DAY_MS = 86_400_000

export function OpenFindings() {
  const { t } = useLingui()
  const list = useInfiniteQuery(findingsQuery('open'))
  if (list.data?.pages[0]?.findings.length === 0) return null
  return (
    <section aria-label={t`Findings`}>
      <h3 className="spaced">{t`Findings`}</h3>
      <Findings status="open" />
    </section>
  )
}

/** Findings that were closed, or fit by now. */
export function PastFindings() {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  return (
    <section className="spaced" aria-label={t`Past findings`}>
      {isOpen ? (
        <>
          <h3>{t`Past findings`}</h3>
          <Findings status="past" />
        </>
      ) : (
        <Button kind="quiet" onClick={() => setOpen(true)}>{t`Past findings`}</Button>
      )}
    </section>
  )
}

function Findings({ status }: { readonly status: 'open' | 'past' }) {
  const { t } = useLingui()
  const list = useInfiniteQuery(findingsQuery(status))
  const [closing, setClosing] = useState<Finding>()
  const [matching, setMatching] = useState<string>()
  return (
    <>
      <RowList list={list} itemsOf={(page) => page.findings} failed={t`The findings could not be loaded.`} empty={t`No findings`}>
        {(finding) => <Row key={finding.id} finding={finding} onClose={() => setClosing(finding)} onMatch={setMatching} />}
      </RowList>
      {closing === undefined ? null : <CloseDialog finding={closing} onClose={() => setClosing(undefined)} />}
      {matching === undefined ? null : <BankMatch id={matching} onClose={() => setMatching(undefined)} />}
    </>
  )
}

function useDifference() {
  const { t } = useLingui()
  return (amount: number): string => {
    const by = formatMoney(Math.abs(amount))
    if (amount === 0) return t`No difference in money`
    return amount > 0 ? t`${by} more than in our books` : t`${by} less than in our books`
  }
}

const isOfBank = (kind: FindingKind): boolean => kind.startsWith('bank_')
/** The line of the statement that a finding is about. */
const lineOf = ({ kind, subject }: Finding): string | undefined => (kind === 'bank_line' ? subject.replace('bank_line:', '') : undefined)

type RowProps = { readonly finding: Finding; readonly onClose: () => void; readonly onMatch: (lineId: string) => void }

function Row({ finding, onClose, onMatch }: RowProps) {
  const { t, i18n } = useLingui()
  const mayClose = useMay(TREASURY)
  const difference = useDifference()
  const { kind, amount, subject, detail, settlement, day, status, foundAt, closedBy, reason } = finding
  const isOpen = status === 'open' || status === 'awaiting_second'
  const name = i18n._(FINDING_NAMES[kind])
  const state = FINDING_STATES[status]
  const found = formatInstant(foundAt, currentLanguage())
  const lineId = lineOf(finding)
  const on = detail === null || !(isOfBank(kind) || kind === 'missing') ? '' : formatLongDay(detail, currentLanguage())
  const settledOn = day === null ? '' : formatLongDay(day, currentLanguage())
  const facts = [
    lineId === undefined ? t`About: ${subject}` : null,
    settlement === null ? null : day === null ? t`Settlement ${settlement}` : t`Settlement ${settlement} of ${settledOn}`,
    detail === null ? null : on === '' ? t`The gateway's words: ${detail}` : t`Of ${on}`,
    closedBy === null || reason === null ? null : t`${closedBy}: ${reason}`,
  ]
  return (
    <li>
      <div>
        <h4>{name}</h4>
        <p>{difference(amount)}</p>
        <p className={`small ${isOpen ? 'warning-line' : 'muted'}`}>{isOpen ? <Age since={foundAt} /> : <Unbroken text={found} />}</p>
        <FactLines facts={facts} />
      </div>
      <Badge tone={state.tone}>{i18n._(state.label)}</Badge>
      <div className="buttons">
        {isOpen && mayClose && lineId !== undefined ? (
          <Button aria-label={t`Match: ${difference(amount)}, ${on}`} onClick={() => onMatch(lineId)}>
            {t`Match`}
          </Button>
        ) : null}
        {isOpen && mayClose ? (
          <Button kind="secondary" aria-label={t`Close: ${name} ${subject}`} onClick={onClose}>
            {t`Close`}
          </Button>
        ) : null}
      </div>
    </li>
  )
}

function Age({ since }: { readonly since: string }) {
  const days = Math.max(0, Math.floor((serverNowMs() - Date.parse(since)) / DAY_MS))
  return days === 0 ? <Trans>Found today</Trans> : <Plural value={days} one="Found # day ago" other="Found # days ago" />
}

function CloseDialog({ finding, onClose }: { readonly finding: Finding; readonly onClose: () => void }) {
  const { t, i18n } = useLingui()
  const difference = useDifference()
  const { id, kind, amount, status, seen } = finding
  return (
    <Decision
      title={<Trans>Close this finding?</Trans>}
      confirm={t`Close it`}
      reason={t`What it was, and how you know. The team can read it.`}
      send={async (reason, idempotencyKey) =>
        (await call('closeFinding', { params: { id }, body: { status, seen, reason }, idempotencyKey })).finding.status
      }
      onDone={(now) => toast.success(now === 'closed' ? t`The finding is closed.` : t`Another person must close it too.`)}
      onClose={onClose}
    >
      <p>{i18n._(FINDING_NAMES[kind])}</p>
      <p>{difference(amount)}</p>
      <p className="muted spaced">
        {isOfBank(kind)
          ? t`No money moves. Its amount stays a difference between our books and the bank.`
          : t`No money moves. Its amount stays a difference between our books and the gateway.`}
      </p>
    </Decision>
  )
}

/** Every round with its seal, public number, witnesses, result and books; an unfinished one says what it waits for. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { currentLanguage } from '../../../app/language.ts'
import { publicPath } from '../../../paths.ts'
import { Badge, type BadgeTone } from '../../../ui/Feedback.tsx'
import { formatInstant, formatLongDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { FactLines, useNarrowing } from '../money/MoneyRows.tsx'
import { type ListedRound, narrowed, roundsQuery } from '../queries.ts'

const STATES = {
  open: { tone: 'live', label: msg`Open` },
  closed: { tone: 'waiting', label: msg`Closed` },
  drawn: { tone: 'waiting', label: msg`Result known` },
  settled: { tone: 'good', label: msg`Settled` },
  void: { tone: 'plain', label: msg`Returned` },
} as const satisfies Record<ListedRound['status'], { tone: BadgeTone; label: MessageDescriptor }>
const FILTERS = { ...STATES, help_waiting: { tone: 'waiting', label: msg`Days whose help waits longer than 14 days` } } as const

const WAITS = {
  close: msg`Waits to be closed: the server has been behind since midnight.`,
  seal: msg`Waits for the seal of its list: our clock must agree with the public beacon's.`,
  number: msg`Waits for the public random number. After 30 days without it every rupee is returned.`,
  draw: msg`Waits for its result.`,
  settlement: msg`Waits for the money to be divided.`,
  returns: msg`The rupees are being returned.`,
  witnesses: msg`Waits for the signatures of the log and its witnesses.`,
  books: msg`Waits for the accounts of the day.`,
  books_held: msg`The accounts of the day do not add up and are held; docs/runbooks/books-held.md says what to do.`,
} as const satisfies Record<ListedRound['waitsFor'][number], MessageDescriptor>

export function Rounds() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(FILTERS, t`Search rounds`, t`Day or month: 2026-11`)
  const list = useInfiniteQuery(roundsQuery(narrowing))
  return (
    <>
      <ListHead title={t`Rounds`} csv={{ of: 'adminRoundsCsv', name: 'rounds', filters: narrowed(narrowing) }} />
      {fields}
      <RowList list={list} itemsOf={(page) => page.rounds} failed={t`The rounds could not be loaded.`} empty={t`No rounds found`}>
        {(round) => <RoundRow key={round.day} round={round} />}
      </RowList>
    </>
  )
}

function RoundRow({ round }: { readonly round: ListedRound }) {
  const { t, i18n } = useLingui()
  const { day, status, entries, pool, waitsFor, problem } = round
  const { tone, label } = STATES[status]
  const words = formatLongDay(day, currentLanguage())
  return (
    <li>
      <div>
        <h3>{words}</h3>
        <p className="small muted">
          <Plural value={entries} one="# member" other="# members" />, {formatMoney(pool)}
        </p>
        <Facts round={round} />
        {waitsFor.map((what) => (
          <p key={what} className="small warning-line">
            {i18n._(WAITS[what])}
          </p>
        ))}
        {problem === null ? null : (
          <p className="small warning-line" lang="en">
            {problem}
          </p>
        )}
      </div>
      <Badge tone={tone}>{i18n._(label)}</Badge>
      <div className="buttons">
        {round.root === null ? null : (
          <a className="button quiet" href={`${publicPath('verify', currentLanguage())}/${day}`} aria-label={t`Check this day: ${words}`}>
            <Trans>Check this day</Trans>
          </a>
        )}
      </div>
    </li>
  )
}

function Facts({ round }: { readonly round: ListedRound }) {
  const { t } = useLingui()
  const { status, split, winners, closedAt, root, beacon, witnesses, endedAt, books } = round
  const at = (instant: string): string => formatInstant(instant, currentLanguage())
  const short = root?.slice(0, 16)
  const number = beacon.round
  const { quorum } = witnesses
  const facts = [
    closedAt === null ? null : t`Closed: ${at(closedAt)}`,
    root === null ? null : t`Seal: ${short}…`,
    beacon.mode === 'local'
      ? t`Random number: local, for demonstration only`
      : number === null
        ? null
        : beacon.hasNumber
          ? t`Public random number: drand round ${number}`
          : t`Public random number: drand round ${number}, not there yet`,
    witnesses.assurance === 'sealed'
      ? t`Witnesses: enough signed in time (needed: ${quorum})`
      : witnesses.assurance === 'weak'
        ? t`Witnesses: not enough in time (needed: ${quorum})`
        : null,
    split === null
      ? null
      : winners === 0
        ? t`Help ${formatMoney(split.need)}, platform ${formatMoney(split.platform)}`
        : t`Help ${formatMoney(split.need)}, reward ${formatMoney(split.reward)}, platform ${formatMoney(split.platform)}; winners: ${winners}`,
    endedAt === null ? null : status === 'void' ? t`Returned: ${at(endedAt)}` : t`Settled: ${at(endedAt)}`,
    books === 'published' ? t`Accounts: published` : null,
  ]
  return <FactLines facts={facts} />
}

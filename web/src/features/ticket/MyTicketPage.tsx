/** The member's ticket of one day: this device's own checks of it, and of the money owed to the member at the day's end. */
import { Trans, useLingui } from '@lingui/react/macro'
import { addDays, parseDay } from '@roz/core/ist-day.ts'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { Link, useLocation, useSearch } from '@tanstack/react-router'
import { formatCount } from '@roz/core/numbers.ts'
import { brand, currentLanguage } from '../../app/language.ts'
import { withDraws } from '../../app/settings.ts'
import { paths, publicPath } from '../../paths.ts'
import { saveFile } from '../../app/save-file.ts'
import { useMember } from '../../app/session.tsx'
import { Seal } from '../../ui/Art.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/Feedback.tsx'
import { formatDay } from '../../ui/format.ts'
import { ErrorIcon } from '../../ui/icons.tsx'
import { Book, CardSection } from '../../ui/Layout.tsx'
import { useServerDay } from '../clock.ts'
import { ROUND_POLL_MS, roundQuery } from '../queries.ts'
import { OwnRupee } from '../RupeeTrail.tsx'
import type { Finding } from './check-ticket.ts'
import { Checked, TechnicalDetails } from './Checked.tsx'
import { DrawSection, useDrawn } from './DrawSection.tsx'
import { OwedSection, useOwed } from './OwedSection.tsx'
import { AlarmWords, isAlarm, SaveEvidence } from '../TicketWatch.tsx'
import { ticketQuery, useYesterdaysTicket } from './use-ticket.ts'
// The imports that the checks share load with this screen; each check's own code stays small.
import '@roz/verifier/sources.ts'
import '../../verify/known-key.ts'
import './own-balance.ts'

export function MyTicketPage() {
  const { t } = useLingui()
  const asked = useSearch({ strict: false }).day
  const round = useQuery({ ...roundQuery, refetchInterval: false, staleTime: ROUND_POLL_MS })
  const yesterday = addDays(useServerDay(), -1)
  const day = parseDay(asked ?? '') ?? yesterday
  const ticket = useTicket(day)
  const [owed, drawn] = [useOwed(day), useDrawn(day)]
  // The other sections appear with the ticket, which would otherwise push them down. An address that names one of them has it at once.
  const namesPlace = useLocation({ select: ({ hash }) => hash !== '' })
  const isChecking = (asked === undefined && round.data === undefined && !round.isError) || (ticket.data === undefined && !ticket.isError)
  return (
    <Book title={t`My ticket`}>
      <CardSection when={t`The day`} note={formatDay(day, currentLanguage())}>
        <h1>{t`My ticket`}</h1>
        {isChecking ? <Skeleton lines={4} label={t`Checking your ticket`} /> : <Ticket key={day} day={day} ticket={ticket} />}
      </CardSection>
      {isChecking && !namesPlace ? null : (
        <>
          <OwedSection day={day} owed={owed} />
          <DrawSection day={day} drawn={drawn} />
        </>
      )}
    </Book>
  )
}

/** For yesterday it reuses TicketWatch's query, which asks only if the member had an entry. */
function useTicket(day: string): UseQueryResult<Finding> {
  const member = useMember()
  const isYesterday = day === addDays(useServerDay(), -1)
  const yesterdays = useYesterdaysTicket()
  const other = useQuery({ ...ticketQuery(member.id, day), enabled: !isYesterday })
  return isYesterday ? yesterdays : other
}

function Ticket({ day, ticket }: { readonly day: string; readonly ticket: UseQueryResult<Finding> }) {
  const { t } = useLingui()
  if (ticket.data === undefined)
    return (
      <ErrorState title={t`Your ticket could not be checked right now.`} busy={ticket.isFetching} onRetry={() => void ticket.refetch()} />
    )
  const finding = ticket.data
  if (finding.state === 'not-joined') return <NotJoined />
  return (
    <>
      {isAlarm(finding) ? <Alarm finding={finding} /> : <Found finding={finding} />}
      <OwnRupee day={day} />
      <div className="buttons load-more">
        {finding.receiptFile === undefined ? null : <SaveReceipt day={day} file={finding.receiptFile} />}
        {finding.state === 'waiting' ? null : (
          <a className={buttonClass('secondary')} href={`${publicPath('verify', currentLanguage())}/${day}`}>{t`Check the whole day`}</a>
        )}
        <Link className={buttonClass('quiet')} to={paths.history}>{t`Other days`}</Link>
      </div>
    </>
  )
}

function SaveReceipt({ day, file }: { readonly day: string; readonly file: string }) {
  return (
    <Button kind="secondary" onClick={() => saveFile(`roz-receipt-${day}.json`, file)}>
      <Trans>Save my receipt</Trans>
    </Button>
  )
}

function NotJoined() {
  const { t } = useLingui()
  return (
    <EmptyState
      title={t`You had no ticket that day`}
      action={<Link className={buttonClass()} to={paths.history}>{t`See your rounds`}</Link>}
    >
      <Trans>A ticket is made when you join a round, or Auto Participate joins for you.</Trans>
    </EmptyState>
  )
}

function Alarm({ finding }: { readonly finding: Finding }) {
  return (
    <div className="empty failed alarm-box" role="alert">
      <ErrorIcon size={32} />
      <p className="empty-title">
        <AlarmWords finding={finding} />
      </p>
      <p>
        <Trans>Save this proof first.</Trans>
      </p>
      <SaveEvidence finding={finding} />
    </div>
  )
}

function Found({ finding }: { readonly finding: Finding }) {
  const { t } = useLingui()
  const { state, ticket, position, count, root, hasReceipt, isCompared, isEarlierKey, isOthersKey } = finding
  const isIncluded = state === 'included' && position !== undefined && count !== undefined
  return (
    <>
      <p className="lead">
        {!isIncluded ? (
          <Trans>Your ₹1 is in this round.</Trans>
        ) : withDraws() ? (
          <Trans>Your ₹1 was in the draw.</Trans>
        ) : (
          <Trans>Your ₹1 was in the round.</Trans>
        )}
      </p>
      <p className="muted">{t`Don't trust us. Check.`}</p>
      <div className="slip-shadow ticket-slip">
        <div className="slip">
          <div>
            <p className="muted">{t`Ticket, a code made with your ticket key`}</p>
            <code className="ticket-code">{(ticket ?? '').replace(/(.{8})(?=.)/g, '$1 ')}</code>
            <p className="ticket-line">
              {isIncluded ? (
                <Trans>
                  Line {formatCount(position + 1)} of {formatCount(count)}
                </Trans>
              ) : (
                <Trans>The list is not published yet. Look again after midnight.</Trans>
              )}
            </p>
          </div>
          {isIncluded ? <Seal word={t`Joined`} /> : null}
        </div>
      </div>
      {isOthersKey === true ? <OthersKey /> : null}
      <TechnicalDetails>
        {isOthersKey === true ? null : (
          <Checked>
            {isEarlierKey === true
              ? t`This ticket was made with an earlier key of yours, from before this device had one. The server kept it for you.`
              : t`This ticket was made with the key on this device.`}
          </Checked>
        )}
        {hasReceipt ? <Checked>{t`Your receipt is signed: it would prove your entry even if we denied it.`}</Checked> : null}
        {isIncluded ? (
          <>
            <Checked>
              <Trans>
                It is in the sealed list, whose fingerprint begins with <code>{root?.slice(0, 12)}</code>.
              </Trans>
            </Checked>
            <Checked>
              {isCompared === true
                ? t`The public log contains this list, and has only grown since your last check.`
                : t`The public log contains this list. This device remembers the log, and will notice if it is rewritten.`}
            </Checked>
          </>
        ) : null}
      </TechnicalDetails>
    </>
  )
}

/** Another device's key may be a stranger's, so this warning is shown above the details. */
function OthersKey() {
  const brandName = brand()
  return (
    <ul className="ledger own-checks">
      <Checked>
        <Trans>
          You also use {brandName} on another device, whose key made this ticket. This device now has that key too. If you have no other
          device, contact us.
        </Trans>
      </Checked>
    </ul>
  )
}

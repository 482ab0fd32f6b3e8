/**
 * Checks yesterday's entry against the sealed list when the app opens, auto-joined days included.
 * - It shows nothing while every check passes. A failed check shows an alarm with the evidence.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { saveFile } from '../app/save-file.ts'
import { Button } from '../ui/Button.tsx'
import type { Finding } from './ticket/check-ticket.ts'
import { useYesterdaysTicket } from './ticket/use-ticket.ts'

export const isAlarm = ({ state }: Finding): boolean =>
  state === 'missing' || state === 'not-mine' || state === 'dropped' || state === 'unknown-log'

/** Says in plain words what is wrong. */
export function AlarmWords({ finding }: { readonly finding: Finding }) {
  switch (finding.state) {
    case 'dropped':
      return <Trans>You have a receipt for this day, but our records show no ticket. One of the two is wrong.</Trans>
    case 'not-mine':
      return <Trans>The ticket that we show for this day was not made with the key on this device.</Trans>
    case 'unknown-log':
      return <Trans>The public log is not the one that this device has seen before: it may have been rewritten.</Trans>
    case 'missing':
      return <Trans>Your entry is not proven for this day.</Trans>
    default:
      return null
  }
}

export function SaveEvidence({ finding }: { readonly finding: Finding }) {
  return (
    <Button kind="danger" onClick={() => saveFile(`roz-evidence-${finding.day}.json`, finding.evidence)}>
      <Trans>Save the proof</Trans>
    </Button>
  )
}

export function TicketWatch() {
  const { t } = useLingui()
  const finding = useYesterdaysTicket().data
  if (finding === undefined || !isAlarm(finding)) return null
  return (
    <div className="notice alarm" role="alert">
      <p>
        <b>{t`Something is wrong with yesterday's ticket.`}</b> <AlarmWords finding={finding} /> <Trans>Save this proof first.</Trans>
      </p>
      <SaveEvidence finding={finding} />
      <Link className="tap" to={paths.myTicket} search={{ day: finding.day }}>{t`What was checked`}</Link>
    </div>
  )
}

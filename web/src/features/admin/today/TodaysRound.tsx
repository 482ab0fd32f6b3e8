/** Today's round in the portal: the time until it closes, what is in it, the help in it that is not set aside yet, and Trigger Draw. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { TREASURY } from '@roz/contract/roles.ts'
import { apportion, paiseFromRupees, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { useQuery } from '@tanstack/react-query'
import { Countdown } from '../../../ui/Countdown.tsx'
import { Badge, NotLoaded } from '../../../ui/Feedback.tsx'
import { formatMoney } from '../../../ui/Money.tsx'
import { AFTER_MIDNIGHT_MS, type TimedRound, roundQuery } from '../../queries.ts'
import { refreshPortal } from '../queries.ts'
import { TriggerDraw } from './TriggerDraw.tsx'
import { useMay } from '../use-may.ts'

export function TodaysRound() {
  const { t } = useLingui()
  const round = useQuery(roundQuery)
  const mayDraw = useMay(TREASURY)
  const follow = (): void => {
    setTimeout(() => {
      void round.refetch()
      void refreshPortal()
    }, AFTER_MIDNIGHT_MS)
  }
  return (
    <section className="books-check" aria-label={t`Today's round`}>
      <div className="head-row spaced">
        <h2>{t`Today's round`}</h2>
        {round.data === undefined ? null : round.data.status === 'open' ? <Badge tone="live">{t`Open`}</Badge> : <Badge>{t`Closed`}</Badge>}
      </div>
      {round.data === undefined ? (
        <NotLoaded query={round} failed={t`The round could not be loaded.`} lines={3} />
      ) : (
        <Shown round={round.data} onEnd={follow} />
      )}
      {mayDraw ? (
        <div className="card-actions">
          <TriggerDraw />
        </div>
      ) : null}
    </section>
  )
}

function Shown({ round, onEnd }: { readonly round: TimedRound; readonly onEnd: () => void }) {
  const { status, endTime, skewMs, totalAmount, totalParticipants, split } = round
  const [need = ZERO] = apportion(paiseFromRupees(totalAmount) ?? ZERO, [BigInt(split.need), BigInt(split.reward), BigInt(split.platform)])
  const pool = formatMoney(totalAmount)
  const help = formatMoney(rupeesFromPaise(need))
  const isSettled = status === 'settled' || status === 'void'
  return (
    <>
      {status === 'open' ? (
        <>
          <p>
            <Trans>Closes in</Trans>
          </p>
          <Countdown endTime={endTime} skewMs={skewMs} onEnd={onEnd} />
        </>
      ) : null}
      <p>
        <Trans>
          In the round: {pool} from <Plural value={totalParticipants} one="# member" other="# members" />.
        </Trans>
      </p>
      {isSettled ? null : (
        <p className="muted">
          <Trans>{help} of this is for people in need. It is set aside when the round is settled.</Trans>
        </p>
      )}
    </>
  )
}

/**
 * Trigger Draw, behind a confirmation. A round without a draw is closed by the same call.
 * - The call carries the day that the confirmation showed, so a second press, or one after midnight, cannot close another round.
 * - A draw that still waits for its beacon is not reported as done.
 */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { splitOf } from '@roz/core/modes.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, messageOf } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { withDraws } from '../../../app/settings.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatLongDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { serverNowMs } from '../../clock.ts'
import { type TimedRound, refreshRound, roundQuery } from '../../queries.ts'
import { Decision } from '../Decision.tsx'

/** Before the round is read, the operator's switch decides. */
const hasDraw = (round: TimedRound | undefined): boolean => (round === undefined ? withDraws() : splitOf(round.split).winners > 0)

export function TriggerDraw() {
  const { t } = useLingui()
  const round = useQuery(roundQuery)
  const draws = hasDraw(round.data)
  const [asked, setAsked] = useState<TimedRound>()
  // Not `round.isFetching`: the poll every 30 s would set the button busy and swallow a press.
  const [asking, setAsking] = useState(false)

  const ask = async (): Promise<void> => {
    setAsking(true)
    const fresh = await round.refetch()
    setAsking(false)
    if (fresh.data === undefined || fresh.isError) toast.error(messageOf(fresh.error, t`Failed to fetch round details`))
    else setAsked(fresh.data)
  }

  return (
    <>
      <Button kind="secondary" busy={asking} onClick={() => void ask()}>
        {draws ? t`Trigger Draw` : t`Close the round`}
      </Button>
      {asked === undefined ? null : (
        <Decision
          title={hasDraw(asked) ? t`Draw this round?` : t`Close this round?`}
          confirm={hasDraw(asked) ? t`Trigger Draw` : t`Close the round`}
          danger
          failed={hasDraw(asked) ? t`Failed to trigger draw` : t`The round could not be closed`}
          send={(_, idempotencyKey) => call('triggerDraw', { body: { day: asked.id }, idempotencyKey }).finally(() => void refreshRound())}
          onDone={({ message }) => toast.success(message)}
          onClose={() => setAsked(undefined)}
        >
          <Question round={asked} />
        </Decision>
      )}
    </>
  )
}

function Question({ round }: { readonly round: TimedRound }) {
  const { winners } = splitOf(round.split)
  return (
    <>
      <p className="lead">
        <b>{formatLongDay(round.id, currentLanguage())}</b>
      </p>
      <p>
        <Plural value={round.totalParticipants} one="# member" other="# members" />, {formatMoney(round.totalAmount)}
      </p>
      <div className="under-button stack-gap">
        {round.status === 'open' ? <ClosesEarly endTime={round.endTime} /> : null}
        <p className="muted">
          {winners === 0 ? (
            <Trans>The round is closed and its money divided. This cannot be undone.</Trans>
          ) : winners === 1 ? (
            <Trans>The draw picks one winner and divides the money. This cannot be undone.</Trans>
          ) : (
            <Trans>The draw picks the winners and divides the money. This cannot be undone.</Trans>
          )}
        </p>
      </div>
    </>
  )
}

const MINUTE_MS = 60_000

/** The price of a close before midnight: the members who have not joined yet. */
function ClosesEarly({ endTime }: { readonly endTime: string }) {
  const left = Math.max(0, Math.ceil((Date.parse(endTime) - serverNowMs()) / MINUTE_MS))
  const hours = Math.floor(left / 60)
  const minutes = left % 60
  return (
    <p>
      <Trans>
        It closes by itself at midnight, in {hours} h {minutes} min. Once you close it, nobody can join any more today.
      </Trans>
    </p>
  )
}

/**
 * Trigger Draw, behind a confirmation.
 * - The call carries the day that the confirmation showed, so a second press, or one after midnight, cannot close another round.
 * - A draw that still waits for its beacon is not reported as done.
 */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { Button } from '../../ui/Button.tsx'
import { formatLongDay } from '../../ui/format.ts'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { type CurrentRound, refreshRound, roundQuery } from '../queries.ts'
import { Decision } from './Decision.tsx'

export function TriggerDraw() {
  const { t } = useLingui()
  const round = useQuery(roundQuery)
  const [asked, setAsked] = useState<CurrentRound>()
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
        <Trans>Trigger Draw</Trans>
      </Button>
      {asked === undefined ? null : (
        <Decision
          title={<Trans>Draw this round?</Trans>}
          confirm={t`Trigger Draw`}
          failed={t`Failed to trigger draw`}
          send={(_, idempotencyKey) => call('triggerDraw', { body: { day: asked.id }, idempotencyKey }).finally(() => void refreshRound())}
          onDone={(answer) =>
            toast.success(
              answer.round.status === 'settled'
                ? t`Draw triggered successfully!`
                : t`The round is closed and waits for its public random number. The draw follows by itself.`,
            )
          }
          onClose={() => setAsked(undefined)}
        >
          <Question round={asked} />
        </Decision>
      )}
    </>
  )
}

function Question({ round }: { readonly round: CurrentRound }) {
  return (
    <>
      <p className="lead">
        <b>{formatLongDay(round.id, currentLanguage())}</b>
      </p>
      <p>
        <Plural value={round.totalParticipants} one="# member" other="# members" />, {formatMoney(round.totalAmount)}
      </p>
      <p className="muted under-button">
        <Trans>The round closes now, the draw picks the winners and the money is divided. This cannot be undone.</Trans>
      </p>
    </>
  )
}

/**
 * Today's round: its split, the time left, and the join button, or the postmark once the member has joined.
 * - A press on the button sets only `hasParticipated` before the answer. The balance always comes from an answer.
 */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { splitOf } from '@roz/core/modes.ts'
import { apportion, paiseFromRupees, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useLayoutEffect, useRef, useState } from 'react'
import { formatCount } from '@roz/core/numbers.ts'
import { call, messageOf } from '../../app/api.ts'
import { brand, currentLanguage } from '../../app/language.ts'
import { settings } from '../../app/settings.ts'
import { paths, pictureOf, publicPath } from '../../paths.ts'
import { offerInstall } from '../../pwa/registration.ts'
import { session, useMember } from '../../app/session.tsx'
import { withTicketKey } from '../../verify/ticket-key.ts'
import { Art, Postmark } from '../../ui/Art.tsx'
import { Button } from '../../ui/Button.tsx'
import { Countdown } from '../../ui/Countdown.tsx'
import { Badge, NotLoaded } from '../../ui/Feedback.tsx'
import { catchFocus } from '../../ui/focus.ts'
import { formatDay } from '../../ui/format.ts'
import { formatMoney } from '../../ui/Money.tsx'
import { Share } from '../../ui/Share.tsx'
import { LedgerRow, Ruler, TaxNote, useShares } from '../../ui/Split.tsx'
import { toast } from '../../ui/Toast.tsx'
import { AFTER_MIDNIGHT_MS, type TimedRound, refreshMember, refreshRound, roundQuery } from '../queries.ts'
import { keepReceipt } from '../ticket/kept-receipts.ts'
import type { RoundQuery } from './use-round.ts'

const ENTRY_RUPEES = 1

export function RoundCard({ round }: { readonly round: RoundQuery }) {
  const { t } = useLingui()
  if (round.data === undefined) {
    return (
      <>
        <h2>{t`Community round`}</h2>
        <NotLoaded query={round} failed={t`Failed to fetch round details`} lines={4} />
      </>
    )
  }
  return <LoadedRound key={round.data.id} round={round.data} onEnd={() => setTimeout(() => void round.refetch(), AFTER_MIDNIGHT_MS)} />
}

function LoadedRound({ round, onEnd }: { readonly round: TimedRound; readonly onEnd: () => void }) {
  const { t } = useLingui()
  const isOpen = round.status === 'open'
  // The stamp is animated for a join on this screen, and is already there for an earlier join.
  const [wasIn] = useState(round.hasParticipated)
  return (
    <>
      <div className="head-row">
        <h2>{t`Community round`}</h2>
        {round.hasParticipated ? (
          <Badge tone="good">{t`Joined`}</Badge>
        ) : isOpen ? (
          <Badge tone="live">{t`Open`}</Badge>
        ) : (
          <Badge>{t`Closed`}</Badge>
        )}
      </div>
      <div className="round">
        <div>
          {isOpen ? (
            <>
              <p>{t`Closes in`}</p>
              <Countdown endTime={round.endTime} skewMs={round.skewMs} onEnd={onEnd} />
            </>
          ) : (
            <p className="closed-round">{t`Today's round is closed. The next one opens at midnight.`}</p>
          )}
          <div className={isOpen ? 'entry' : undefined}>
            {round.hasParticipated ? <Joined round={round} fresh={!wasIn} /> : isOpen ? <JoinForm round={round} /> : null}
          </div>
        </div>
        <Shares round={round} />
      </div>
    </>
  )
}

/**
 * The key of a join is this page and the day on the card. After a lost answer, a press on the same card never joins the next day too.
 * The server stores no key with a refused join, so one key serves every press.
 */
const PAGE = String(crypto.getRandomValues(new Uint32Array(4)))

function JoinForm({ round }: { readonly round: TimedRound }) {
  const { t } = useLingui()
  const member = useMember()
  const client = useQueryClient()
  const { balance } = member.wallet

  const join = useMutation({
    mutationFn: () =>
      withTicketKey(member.id, (ticketKey) =>
        call('joinRound', { body: ticketKey === undefined ? {} : { ticketKey }, idempotencyKey: `${PAGE}/${round.id}` }),
      ),
    onMutate: async () => {
      await client.cancelQueries({ queryKey: roundQuery.queryKey })
      client.setQueryData(roundQuery.queryKey, (known) => known && { ...known, hasParticipated: true })
    },
    onSuccess: (answer) => {
      session.setBalance(answer.balance)
      keepReceipt(member.id, answer.ticket)
      toast.success(t`Successfully joined today's round!`)
      offerInstall()
    },
    onError: (error) => {
      client.setQueryData(roundQuery.queryKey, (known) => known && { ...known, hasParticipated: false })
      toast.error(messageOf(error, t`Failed to join round`))
      // A refused or unanswered join suggests that the balance on the screen is out of date.
      void refreshMember()
    },
    onSettled: () => refreshRound(),
  })

  const press = (): void => {
    if (balance >= ENTRY_RUPEES) return join.mutate()
    toast.error(t`Insufficient balance. Please add money to your wallet.`)
    // Money may have come without this page: by the bank, AutoPay or another device.
    void refreshMember()
  }
  return (
    <>
      <Button wide busy={join.isPending} onClick={press}>
        <Trans>Join with {formatMoney(ENTRY_RUPEES)}</Trans>
      </Button>
      <p className="small muted under-button">
        {balance < ENTRY_RUPEES ? (
          <Trans>
            Your wallet holds {formatMoney(balance)}. <Link to={paths.wallet}>Add money</Link> to join.
          </Trans>
        ) : (
          <Trans>
            {formatMoney(ENTRY_RUPEES)} will be deducted. Balance: {formatMoney(balance)}.
          </Trans>
        )}{' '}
        {balance < ENTRY_RUPEES ? null : <Chance round={round} />}
      </p>
    </>
  )
}

/** Replaces the button: a coin falls and the stamp is pressed on it, in 0.5 s together. The focus moves here. */
function Joined({ round, fresh }: { readonly round: TimedRound; readonly fresh: boolean }) {
  const { t } = useLingui()
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // The join button no longer exists. Focus in another field stays there.
    if (fresh) catchFocus(place.current)
  }, [fresh])
  const day = formatDay(round.id, currentLanguage())
  return (
    <div ref={place} className={fresh ? 'joined fresh' : 'joined'} tabIndex={-1}>
      {fresh ? <Art name="c1" className="falling" /> : null}
      <Postmark
        id="joined"
        top={t`ONE RUPEE A DAY`}
        middle={t`You're in`}
        below={day.toUpperCase()}
        rim={`${brand().toUpperCase()} · ${formatMoney(ENTRY_RUPEES)}`}
      />
      <div>
        <p>
          <Trans>Your rupee is in.</Trans> <Chance round={round} />
        </p>
        <ShareJoin day={day} />
      </div>
    </div>
  )
}

/** The chance of the member's entry, made or possible; nothing if the round has no draw. */
function Chance({ round: { chance } }: { readonly round: TimedRound }) {
  if (!chance) return null
  return (
    <Trans>
      Your chance is {formatCount(chance.wins)} in {formatCount(chance.of)} right now.
    </Trans>
  )
}

function ShareJoin({ day }: { readonly day: string }) {
  const { t } = useLingui()
  const brandName = brand()
  const language = currentLanguage()
  const text = t`I joined today's round of ${brandName} with ₹1, ${day}. Help for people in need, and every paisa public.`
  return <Share text={text} url={`${location.origin}${publicPath('home', language)}`} picture={pictureOf('home', language)} />
}

function Shares({ round }: { readonly round: TimedRound }) {
  const split = splitOf(round.split)
  const shares = useShares(split)
  const amounts = apportion(
    paiseFromRupees(round.totalAmount) ?? ZERO,
    shares.map(({ percent }) => BigInt(percent)),
  )
  return (
    <div>
      <Ruler split={split} />
      <div className="ledger shares">
        {shares.map(({ part, words }, index) => (
          <LedgerRow key={part} part={part} label={words}>
            {formatMoney(rupeesFromPaise(amounts[index] ?? ZERO))}
          </LedgerRow>
        ))}
        <LedgerRow sum label={<Plural value={round.totalParticipants} one="# member in the round" other="# members in the round" />}>
          {formatMoney(round.totalAmount)}
        </LedgerRow>
      </div>
      <p className="small muted">
        <TaxNote split={split} tax={settings.modes.tax} />
      </p>
    </div>
  )
}

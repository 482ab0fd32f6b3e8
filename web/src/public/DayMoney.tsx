/** One day of the money trail: its shares, the help that was paid from it, and the bills. */
import type { PublicDays } from '@roz/contract/public-pages.ts'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { hasDraw } from '@roz/core/modes.ts'
import { purposeFor } from '@roz/core/purpose-words.ts'
import { TeamWords } from '../features/OtherLanguage.tsx'
import { ReceivedLine } from '../features/ReceivedLine.tsx'
import { EmptyState } from '../ui/Feedback.tsx'
import { formatDay } from '../ui/format.ts'
import { formatMoney, paiseText } from '../ui/Money.tsx'
import { LedgerRow } from '../ui/Split.tsx'
import { usePage } from './context.ts'
import { CheckLink } from './parts.tsx'

export type Day = PublicDays['days'][number]

/** Rounds a sum of rupees to whole paise, because floating-point sums are inexact. */
export const exact = (rupees: number): number => Math.round(rupees * 100) / 100

export function DayHead({ day, amount }: { readonly day: Day; readonly amount: string }) {
  const { language, modes } = usePage()
  return (
    <summary className="day-head">
      <time dateTime={day.day}>{formatDay(day.day, language)}</time>
      <span className="muted">
        {day.status === 'void' ? (
          hasDraw(modes) ? (
            <Trans>No draw</Trans>
          ) : (
            <Trans>Cancelled</Trans>
          )
        ) : (
          <Plural value={day.entries} one="# member" other="# members" />
        )}
      </span>
      <span className="amount">{amount}</span>
    </summary>
  )
}

/** The money of one day: its shares, and each disbursement with the bills that prove it. */
export function DayMoney({ day, open }: { readonly day: Day; readonly open: boolean }) {
  const { modes } = usePage()
  const { split, perRupee, disbursed, intake, gifts } = day
  return (
    <li id={day.day}>
      <details open={open}>
        <DayHead day={day} amount={formatMoney(intake)} />
        <div className="ledger narrow">
          <LedgerRow part="need" label={<Trans>For people in need, {paiseText(perRupee.need)} paise of each rupee</Trans>}>
            {formatMoney(split.need)}
          </LedgerRow>
          {hasDraw(modes) || split.reward > 0 ? (
            <LedgerRow part="gift" label={<Trans>Reward, {paiseText(perRupee.reward)} paise</Trans>}>
              {formatMoney(split.reward)}
            </LedgerRow>
          ) : null}
          <LedgerRow part="run" label={<Trans>For the platform, {paiseText(perRupee.platform)} paise</Trans>}>
            {formatMoney(split.platform)}
          </LedgerRow>
          <LedgerRow sum label={<Trans>Put in</Trans>}>
            {formatMoney(intake)}
          </LedgerRow>
          {day.status === 'void' ? <LedgerRow label={<Trans>Returned to members</Trans>}>{formatMoney(intake)}</LedgerRow> : null}
          <GiftsRow day={day} />
          {day.status === 'void' && gifts === 0 ? null : (
            <LedgerRow label={<Trans>Help sent so far</Trans>}>{formatMoney(disbursed)}</LedgerRow>
          )}
        </div>
        <Bills day={day} />
        <HelpOrder day={day} />
        <CheckLink day={day.day} />
      </details>
    </li>
  )
}

/** What members gave to the help fund on the day, beside the round: there may be gifts on a day that nobody joined. */
export const GiftsRow = ({ day: { gifts } }: { readonly day: Day }) =>
  gifts > 0 ? (
    <LedgerRow part="need" label={<Trans>Donations to the help fund</Trans>}>
      {formatMoney(gifts)}
    </LedgerRow>
  ) : null

/** The requests for help that waited for too little money, in the order of the day's random number. */
function HelpOrder({ day: { helpOrder } }: { readonly day: Day }) {
  const { t } = useLingui()
  if (helpOrder === null) return null
  const { numbers, isDrawn } = helpOrder
  return (
    <div className="bills">
      <h3>{t`The day decided`}</h3>
      <p>
        {isDrawn
          ? t`These agreed requests for help were equally urgent. The random number of this day put them in this order.`
          : t`This day had no random number, so these requests for help have no order.`}
      </p>
      <Numbers numbers={numbers} isOrdered={isDrawn} />
      {isDrawn ? (
        <p className="small muted">
          <Trans>To check it yourself:</Trans> <code>roz-verify … --order {numbers.join(',')}</code>
        </p>
      ) : null}
    </div>
  )
}

function Numbers({ numbers, isOrdered }: { readonly numbers: readonly string[]; readonly isOrdered: boolean }) {
  const List = isOrdered ? 'ol' : 'ul'
  return (
    <List className="case-numbers">
      {numbers.map((number) => (
        <li key={number}>#{number}</li>
      ))}
    </List>
  )
}

/** Lists of days that are not over: whoever keeps one sees later that nobody changed it. */
export function FrozenOrders({ frozen }: { readonly frozen: PublicDays['frozen'] }) {
  const { language } = usePage()
  return frozen.map(({ day, numbers }) => (
    <div key={day} className="bills" id="order">
      <h3>
        <Trans>Let the day decide</Trans>
      </h3>
      <p>
        <Trans>
          The money is too little for all of these agreed requests for help. The random number of {formatDay(day, language)} will put them
          in order.
        </Trans>
      </p>
      <Numbers numbers={numbers} isOrdered={false} />
    </div>
  ))
}

/** Each disbursement of the day, with the hash of the document that proves it. */
export function Bills({ day }: { readonly day: Day }) {
  const { t } = useLingui()
  const { language } = usePage()
  if (day.split.need === 0 && day.gifts === 0) return null
  return (
    <div className="bills">
      <h3>{t`Bills`}</h3>
      {day.receipts.length === 0 ? (
        <p className="muted">{t`None yet: this day's share is set aside in the help fund.`}</p>
      ) : (
        <ul className="ledger narrow">
          {day.receipts.map(({ allotted, name, back, received, ...entry }) => {
            // A row shows what was paid; what came back of it is beside it.
            const paid = exact(back.reduce((sum, { amount }) => sum + amount, entry.amount))
            return (
              <li key={entry.id}>
                <div>
                  <EntryWords entry={entry} name={name} />
                  <ReceivedLine received={received} language={language} />
                  {allotted === paid ? null : (
                    <span className="small muted block">
                      {allotted === 0 ? (
                        <Trans>All that this day gave to it is back in the help fund</Trans>
                      ) : (
                        <Trans>{formatMoney(allotted)} of it from this day</Trans>
                      )}
                    </span>
                  )}
                  <Evidence entry={entry} />
                  {back.map((correction) => (
                    <div key={correction.id}>
                      <Trans>Came back: {formatMoney(correction.amount)}</Trans>
                      <span className="block">
                        <EntryWords entry={correction} name={null} />
                      </span>
                      <Evidence entry={correction} />
                    </div>
                  ))}
                </div>
                <span className="amount">{formatMoney(paid)}</span>
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}

type Entry = Pick<
  Day['receipts'][number],
  'id' | 'date' | 'amount' | 'purpose' | 'language' | 'translations' | 'hasPictures' | 'withheld' | 'evidence'
>

/** The day of an entry and its public words. */
function EntryWords({ entry, name }: { readonly entry: Entry; readonly name: string | null }) {
  const { language: reader } = usePage()
  const told = purposeFor(entry, reader)
  const purpose = <TeamWords text={told.purpose} language={told.language} reader={reader} />
  return (
    <>
      {formatDay(entry.date, reader)}
      {told.purpose === '' ? null : (
        <span className="block">
          {name === null ? (
            purpose
          ) : (
            <Trans>
              {purpose} for {name}
            </Trans>
          )}
        </span>
      )}
    </>
  )
}

/** The bills of an entry: each picture that is not withheld, and below them the hash that the books have of it. */
function Evidence({ entry: { evidence, hasPictures, withheld } }: { readonly entry: Entry }) {
  const { t } = useLingui()
  if (evidence.length === 0) return null
  return (
    <>
      {evidence.map((hash) =>
        withheld.includes(hash) ? (
          <span key={hash} className="muted block">{t`Picture withheld`}</span>
        ) : hasPictures ? (
          <a key={hash} className="tap" href={`/api/receipts/${hash}`}>{t`See the bill`}</a>
        ) : null,
      )}
      <details>
        <summary>{t`Technical details`}</summary>
        {evidence.map((hash) => (
          <p key={hash} className="small">
            <Trans>
              Fingerprint of the bill: <code className="hash">{hash}</code>
            </Trans>
          </p>
        ))}
      </details>
    </>
  )
}

/** Payments from the platform's own accounts, and help that came back: the newest of all days. */
export function OtherEntries({ entries }: { readonly entries: PublicDays['otherEntries'] }) {
  const { t } = useLingui()
  const kinds = {
    disbursement_back: t`Help that came back`,
    platform_out: t`Platform's share paid out`,
    tds_remitted: t`Tax paid to the government`,
    losses_covered: t`Losses covered from the platform's share`,
  } satisfies Record<(typeof entries)[number]['kind'], string>
  if (entries.length === 0)
    return (
      <div className="gap">
        <EmptyState title={t`No such entries yet`} art="slip">
          <Trans>When help comes back, or the platform's share, tax or losses are paid, the entry appears here with its bill.</Trans>
        </EmptyState>
      </div>
    )
  return (
    <ul className="ledger narrow gap bills">
      {entries.map((entry) => (
        <li key={`${entry.kind} ${entry.id}`}>
          <div>
            <strong className="block">{kinds[entry.kind]}</strong>
            <EntryWords entry={entry} name={null} />
            <Evidence entry={entry} />
          </div>
          <span className="amount">{formatMoney(entry.amount)}</span>
        </li>
      ))}
    </ul>
  )
}

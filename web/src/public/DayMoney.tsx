/** One day of the money trail: its shares, the help that was paid from it, and the receipts. */
import type { PublicDays } from '@roz/contract/public-pages.ts'
import { Plural, Trans } from '@lingui/react/macro'
import { formatDay } from '../ui/format.ts'
import { formatMoney, paiseText } from '../ui/Money.tsx'
import { LedgerRow } from '../ui/Split.tsx'
import { usePage } from './context.ts'
import { CheckLink } from './parts.tsx'

export type Day = PublicDays['days'][number]

export function DayHead({ day, amount }: { readonly day: Day; readonly amount: string }) {
  const { language } = usePage()
  return (
    <summary>
      <time dateTime={day.day}>{formatDay(day.day, language)}</time>
      <span className="muted">
        {day.status === 'void' ? <Trans>No draw</Trans> : <Plural value={day.entries} one="# member" other="# members" />}
      </span>
      <span className="amount">{amount}</span>
    </summary>
  )
}

/** The money of one day: its shares, and each disbursement with the receipts that prove it. */
export function DayMoney({ day, open }: { readonly day: Day; readonly open: boolean }) {
  const { split, perRupee, disbursed, intake } = day
  return (
    <li id={day.day}>
      <details open={open}>
        <DayHead day={day} amount={formatMoney(intake)} />
        <div className="ledger narrow">
          <LedgerRow part="need" label={<Trans>For people in need, {paiseText(perRupee.need)} paise of each rupee</Trans>}>
            {formatMoney(split.need)}
          </LedgerRow>
          <LedgerRow part="gift" label={<Trans>For members, {paiseText(perRupee.reward)} paise</Trans>}>
            {formatMoney(split.reward)}
          </LedgerRow>
          <LedgerRow part="run" label={<Trans>For the platform, {paiseText(perRupee.platform)} paise</Trans>}>
            {formatMoney(split.platform)}
          </LedgerRow>
          <LedgerRow sum label={<Trans>Put in</Trans>}>
            {formatMoney(intake)}
          </LedgerRow>
          {day.status === 'void' ? (
            <LedgerRow label={<Trans>Returned to members</Trans>}>{formatMoney(intake)}</LedgerRow>
          ) : (
            <LedgerRow label={<Trans>Of that, sent</Trans>}>{formatMoney(disbursed)}</LedgerRow>
          )}
        </div>
        <Receipts day={day} />
        <CheckLink day={day.day} />
      </details>
    </li>
  )
}

/** Each disbursement of the day, with the hash of the document that proves it. */
export function Receipts({ day }: { readonly day: Day }) {
  const { language } = usePage()
  if (day.split.need === 0) return null
  return (
    <div className="receipts">
      <h3>
        <Trans>Receipts</Trans>
      </h3>
      {day.receipts.length === 0 ? (
        <p className="muted">
          <Trans>None yet: this day's share is set aside in the help fund.</Trans>
        </p>
      ) : (
        <ul className="ledger narrow">
          {day.receipts.map(({ id, date, amount, allotted, purpose, name, hasPictures, evidence }) => (
            <li key={id}>
              <span>
                {formatDay(date, language)}
                {purpose === '' ? null : (
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
                {allotted === amount ? null : (
                  <span className="small muted block">
                    <Trans>{formatMoney(allotted)} of it from this day</Trans>
                  </span>
                )}
                {evidence.map((hash) => (
                  <span key={hash} className="block">
                    {hasPictures ? (
                      <a className="tap" href={`/api/receipts/${hash}`}>
                        <Trans>See the receipt</Trans>
                      </a>
                    ) : null}
                    <code className="hash">{hash}</code>
                  </span>
                ))}
              </span>
              <span className="amount">{formatMoney(amount)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

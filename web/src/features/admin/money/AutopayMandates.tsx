/**
 * The portal's list of AutoPay: mandates by state, debits by day, and the stop of a mandate by the team.
 * - Nobody of the team can raise a debit.
 */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { AUTOPAY_ENDED } from '@roz/core/autopay.ts'
import { formatCount } from '@roz/core/numbers.ts'
import { CARE } from '@roz/contract/roles.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { NotLoaded } from '../../../ui/Feedback.tsx'
import { formatDay, formatInstant } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { Decision } from '../Decision.tsx'
import { type AdminMandate, autopayFiguresQuery, mandatesQuery, sorted } from '../queries.ts'
import { AUTOPAY_FILTERS, AUTOPAY_STATE_WORDS } from '../states.ts'
import { useMay } from '../use-may.ts'
import { MoneyRow, useNarrowing } from './MoneyRows.tsx'

export function AutopayMandates() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(AUTOPAY_FILTERS, t`Search AutoPay`, t`Name, email or any ID`, true)
  const list = useInfiniteQuery(mandatesQuery(narrowing))
  const [stopping, setStopping] = useState<AdminMandate>()
  return (
    <>
      <ListHead title={t`AutoPay`} csv={{ of: 'adminAutopayCsv', name: 'autopay', filters: sorted(narrowing) }} />
      <Numbers />
      {fields}
      <RowList
        list={list}
        itemsOf={(page) => page.mandates}
        failed={t`AutoPay could not be loaded.`}
        empty={t`No AutoPay found`}
        hint={t`Members who set up AutoPay appear here.`}
      >
        {(mandate) => <MandateRow key={mandate.id} mandate={mandate} onStop={() => setStopping(mandate)} />}
      </RowList>
      {stopping === undefined ? null : <Stopping key={stopping.id} mandate={stopping} onClose={() => setStopping(undefined)} />}
    </>
  )
}

function Numbers() {
  const { t, i18n } = useLingui()
  const figures = useQuery(autopayFiguresQuery)
  const language = currentLanguage()
  if (figures.data === undefined) return <NotLoaded query={figures} failed={t`The figures could not be loaded.`} lines={3} />
  const { states, open, late, days } = figures.data
  return (
    <>
      <ul className="ledger spaced" aria-label={t`AutoPay by state`}>
        {states.map(({ status, count }) => (
          <li key={status}>
            <span>{i18n._(AUTOPAY_STATE_WORDS[status].label)}</span> <b>{formatCount(count)}</b>
          </li>
        ))}
        <li>
          <span>{t`Debits without an end`}</span> <b>{formatCount(open)}</b>
        </li>
        <li>
          <span>{t`Late for five days`}</span> <b>{formatCount(late)}</b>
        </li>
      </ul>
      {days.length === 0 ? null : (
        <ul className="ledger spaced" aria-label={t`Debits of the last 14 days`}>
          {days.map(({ day, paid, failed, amount, fee }) => {
            const kept = formatMoney(fee)
            return (
              <li key={day}>
                <span>
                  {formatDay(day, language)}: <Plural value={paid} one="# paid" other="# paid" />,{' '}
                  <Plural value={failed} one="# failed" other="# failed" />, <Trans>fee {kept}</Trans>
                </span>{' '}
                <b>{formatMoney(amount)}</b>
              </li>
            )
          })}
        </ul>
      )}
    </>
  )
}

function MandateRow({ mandate, onStop }: { readonly mandate: AdminMandate; readonly onStop: () => void }) {
  const { t } = useLingui()
  const mayStop = useMay(CARE)
  const { id, status, payer, gatewayStatus, failures, open, last, failed, member } = mandate
  const language = currentLanguage()
  const until = formatInstant(mandate.expiresAt, language)
  const openDay = open === null ? '' : formatDay(open.day, language)
  const lastDay = last === null ? '' : formatDay(last.day, language)
  const failedDay = failed === null ? '' : formatDay(failed.day, language)
  const reason = failed?.reason ?? '–'
  return (
    <MoneyRow
      amount={mandate.amount}
      who={member?.name ?? t`account closed`}
      member={member}
      at={mandate.createdAt}
      state={AUTOPAY_STATE_WORDS[status]}
      facts={[
        member?.email ?? null,
        payer === null ? null : t`UPI ID ${payer}`,
        open === null ? null : t`Debit of ${openDay} has no end yet`,
        last === null ? null : t`Last debit paid: ${lastDay}`,
        failed === null ? null : t`Debit of ${failedDay} failed: ${reason}`,
        failures === 0 ? null : t`Failed in a row: ${failures}`,
        gatewayStatus === null ? null : t`The gateway says: ${gatewayStatus}`,
        t`Ends on ${until}`,
        t`Mandate ${id}`,
      ]}
      warnings={[
        ...(mandate.isLate ? [t`The debit has no end five days after its day: ask the gateway's support.`] : []),
        ...(mandate.isUnknown ? [t`The gateway names a status that we do not know: see its dashboard.`] : []),
        ...(mandate.isUncancelled ? [t`The gateway has not confirmed the stop for a day: cancel it in its dashboard.`] : []),
      ]}
    >
      {mayStop && status !== 'stopping' && !AUTOPAY_ENDED.has(status) ? <Button kind="secondary" onClick={onStop}>{t`Stop`}</Button> : null}
    </MoneyRow>
  )
}

function Stopping({ mandate, onClose }: { readonly mandate: AdminMandate; readonly onClose: () => void }) {
  const { t } = useLingui()
  const name = mandate.member?.name ?? t`account closed`
  return (
    <Decision
      title={<Trans>Stop the AutoPay of {name}?</Trans>}
      confirm={t`Stop AutoPay`}
      danger
      reason={t`Your finding, for the staff log.`}
      send={async (reason) =>
        void (await call('adminStopAutopay', { params: { id: mandate.id }, body: { status: mandate.status, reason } }))
      }
      onDone={() => toast.success(t`Stopped. The member has been told by email.`)}
      onClose={onClose}
    >
      <p>
        <Trans>
          Nothing more is debited. A payment that the bank has begun may still arrive. Only {name} can set AutoPay up again. The member gets
          an email without your reason.
        </Trans>
      </p>
    </Decision>
  )
}

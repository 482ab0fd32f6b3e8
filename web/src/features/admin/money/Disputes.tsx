/** The portal's list of disputes: the bank's deadline, who has the money now, and how each dispute ended. */
import { useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { currentLanguage } from '../../../app/language.ts'
import { settings } from '../../../app/settings.ts'
import { formatInstant } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { MoneyRow, useNarrowing } from './MoneyRows.tsx'
import { type Dispute, disputesQuery, sorted } from '../queries.ts'
import { DISPUTE_FILTERS, DISPUTE_PROBLEMS, DISPUTE_STAGES, DISPUTE_STATES, disputeStep } from '../states.ts'

export function Disputes() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(DISPUTE_FILTERS, t`Search disputes`, t`Name, email or any ID`, true)
  const list = useInfiniteQuery(disputesQuery(narrowing))
  return (
    <>
      <ListHead title={t`Disputes`} csv={{ of: 'disputesCsv', name: 'disputes', filters: sorted(narrowing) }} />
      {settings.modes.byTransfer ? null : (
        <p className="muted spaced">{t`Answer the bank in the gateway's dashboard. We ask the gateway for the status every day.`}</p>
      )}
      {fields}
      <RowList
        list={list}
        itemsOf={(page) => page.disputes}
        failed={t`The disputes could not be loaded.`}
        empty={t`No disputes found`}
        hint={t`Payments that are disputed at the bank appear here.`}
      >
        {(dispute) => <DisputeRow key={dispute.id} dispute={dispute} />}
      </RowList>
    </>
  )
}

function DisputeRow({ dispute }: { readonly dispute: Dispute }) {
  const { t, i18n } = useLingui()
  const { id, order_id: order, paymentId, type, status, state, needsAnswer, problem, member } = dispute
  const language = currentLanguage()
  const by = dispute.respondBy === null ? '' : formatInstant(dispute.respondBy, language)
  const told = formatInstant(dispute.updatedAt, language)
  const [stage, step] = [DISPUTE_STAGES[type], disputeStep(status)]
  const kind = stage === undefined ? type : i18n._(stage)
  const word = step === undefined ? status : i18n._(step)
  const answer = by === '' ? t`The bank waits for an answer.` : t`Answer the bank by ${by}.`
  return (
    <MoneyRow
      amount={dispute.amount}
      who={member?.name ?? t`payer unknown`}
      member={member}
      at={dispute.createdAt}
      waitingHours={dispute.waitingHours}
      isPromised={false}
      state={DISPUTE_STATES[state]}
      facts={[
        member?.email ?? null,
        t`Dispute ${id}: ${kind}`,
        t`The gateway says: ${word} (${told})`,
        state === 'open' && !needsAnswer ? t`Answered: the bank decides.` : null,
        useWhereabouts(dispute),
        t`Order ${order}`,
        t`Payment ${paymentId}`,
      ]}
      warnings={[...(needsAnswer ? [answer] : []), ...(problem === null ? [] : [DISPUTE_PROBLEMS[problem]])]}
    />
  )
}

/** The party that has the money now, and how much of it the member and we paid. */
function useWhereabouts({ isTaken, loss, amount, problem }: Dispute): string | null {
  const { t } = useLingui()
  if (problem !== null) return null
  if (!isTaken) return t`The money is with us.`
  const whole = formatMoney(amount)
  const ours = formatMoney(loss)
  const theirs = formatMoney(amount - loss)
  return t`The bank took back ${whole}: ${theirs} from the member's wallet, ${ours} from us.`
}

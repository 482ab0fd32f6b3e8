/**
 * The dialogs “Did the help arrive?” and “Code for the receiver”.
 * - The payer may only say that the help did not arrive. The server decides.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { ARRIVAL_WAYS, arrivalCode, type ArrivalWay } from '@roz/core/arrival-fields.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { purposeFor } from '@roz/core/purpose-words.ts'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Modal } from '../../../ui/Modal.tsx'
import { SelectField, TextAreaField, TextField } from '../../../ui/Field.tsx'
import { formatDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { useServerDay } from '../../clock.ts'
import { Decision } from '../Decision.tsx'
import { BillPages, CoverNext, useBillPages } from '../outlays/BillPages.tsx'
import { portalError, typed } from '../portal-form-errors.ts'
import { problemOf, useProblems } from '../problems.ts'
import type { Disbursement } from '../queries.ts'
import { WAY_NAMES } from './case-queries.ts'
import { Options } from '../Options.tsx'

type Said<W> = {
  readonly received: boolean
  readonly how: W
  readonly on: string
  readonly code?: string
  readonly paper?: string
  readonly reason?: string
}
type DialogProps<T, W> = {
  /** The help that is meant. */
  readonly about: string
  readonly wasReceived: boolean
  /** May only say that it did not arrive. */
  readonly isPayer: boolean
  readonly ways: readonly [W, ...W[]]
  readonly send: (said: Said<W>, idempotencyKey: string) => Promise<T>
  readonly onDone?: (answer: T) => void
  readonly onClose: () => void
}

export function ArrivalDialog<T, W extends ArrivalWay>({
  about,
  wasReceived,
  isPayer,
  ways,
  send: sendSaid,
  onDone,
  onClose,
}: DialogProps<T, W>) {
  const { t, i18n } = useLingui()
  const today = useServerDay()
  const [received, setReceived] = useState(!isPayer && !wasReceived)
  const [how, setHow] = useState<W>(ways[0])
  const [on, setOn] = useState<string>(today)
  const [code, setCode] = useState('')
  const [reason, setReason] = useState('')
  const { problems, judge, refused } = useProblems()
  const pages = useBillPages(1)
  const paper = pages.hashes[0]
  const [needsCode, needsPaper] = [received && how === 'code', received && how === 'papers']
  const check = (): boolean =>
    judge({
      on: on === '' ? 'arrival_day' : undefined,
      code: needsCode ? problemOf(arrivalCode, code) : undefined,
      paper: needsPaper && paper === undefined ? 'arrival_paper' : undefined,
      reason: received ? undefined : problemOf(decisionReason, reason),
    })
  const send = (_: string, idempotencyKey: string) =>
    sendSaid(
      {
        received,
        how,
        on,
        ...(needsCode ? { code } : {}),
        ...(needsPaper && paper !== undefined ? { paper } : {}),
        ...(received ? {} : { reason }),
      },
      idempotencyKey,
    ).catch(refused)
  return (
    <>
      <Decision
        title={<Trans>Did the help arrive?</Trans>}
        confirm={received ? t`Confirm that it arrived` : t`Report it as not received`}
        danger={!received}
        check={check}
        send={send}
        onDone={onDone ?? (() => toast.success(t`Recorded.`))}
        onClose={onClose}
      >
        <p className="spaced">{about}</p>
        {isPayer || wasReceived ? null : (
          <SelectField
            label={t`What the receiver says`}
            value={received ? 'yes' : 'no'}
            onChange={(event) => setReceived(event.target.value === 'yes')}
          >
            <option value="yes">{t`The help arrived`}</option>
            <option value="no">{t`Nothing arrived`}</option>
          </SelectField>
        )}
        {isPayer && !wasReceived ? (
          <p className="muted spaced">{t`You had a part in this help, so somebody else must confirm that it arrived.`}</p>
        ) : null}
        <SelectField label={t`How you learnt it`} value={how} onChange={(event) => setHow(event.target.value as W)}>
          <Options values={ways} nameOf={(way) => i18n._(WAY_NAMES[way])} />
        </SelectField>
        <TextField label={t`Day`} type="date" max={today} {...typed(on, problems.on, setOn)} />
        {needsCode ? (
          <TextField
            label={t`Code that the receiver tells you`}
            hint={t`Four digits. Whoever paid handed them over with the help.`}
            inputMode="numeric"
            autoComplete="off"
            {...typed(code, problems.code, setCode)}
          />
        ) : null}
        {needsPaper ? <BillPages pages={pages} error={paper === undefined ? portalError(problems.paper) : undefined} of="paper" /> : null}
        {received ? (
          <p className="muted spaced">{t`Everybody reads how and when it was confirmed. The accounts do not change.`}</p>
        ) : (
          <TextAreaField
            label={t`What the receiver says, in your words`}
            hint={t`All owners get an email with these words at once.`}
            {...typed(reason, problems.reason, setReason)}
          />
        )}
      </Decision>
      <CoverNext pages={pages} />
    </>
  )
}

type PaymentProps = { readonly entry: Disbursement; readonly isPayer: boolean; readonly onClose: () => void }

export const PaymentArrival = ({ entry, isPayer, onClose }: PaymentProps) => (
  <ArrivalDialog
    about={`${formatMoney(entry.amount)}, ${purposeFor(entry, currentLanguage()).purpose}, ${entry.beneficiary.publicName}`}
    wasReceived={entry.arrival?.received === true}
    isPayer={isPayer}
    ways={ARRIVAL_WAYS}
    send={(said, idempotencyKey) =>
      call('recordArrival', { params: { id: entry.id }, body: { status: entry.status, seen: entry.seen, ...said }, idempotencyKey })
    }
    onClose={onClose}
  />
)

type CodeProps = { readonly entry: Disbursement; readonly onCode: (code: string) => void; readonly onClose: () => void }

/** Asks before it shows the code: the staff log names who saw it. */
export function CodeDialog({ entry, onCode, onClose }: CodeProps) {
  const { t } = useLingui()
  return (
    <Decision
      title={<Trans>Code for the receiver</Trans>}
      confirm={t`Show the code`}
      send={() => call('arrivalCode', { params: { id: entry.id } })}
      onDone={({ code }) => onCode(code)}
      onClose={onClose}
    >
      <p className="spaced">{t`The receiver tells these four digits to somebody else of the team, and so proves that the help arrived.`}</p>
    </Decision>
  )
}

export const ShownCode = ({ code, onClose }: { readonly code: string; readonly onClose: () => void }) => (
  <Modal open size="sm" onClose={onClose} title={<Trans>Code for the receiver</Trans>}>
    <p className="lead">
      <strong>{code}</strong>
    </p>
    <p className="spaced">
      <Trans>Hand it over together with the help. Somebody else calls and asks for it. Give it to nobody of the team.</Trans>
    </p>
  </Modal>
)

/** The newest record of an arrival, as a fact of its row. */
export function useArrivalFact({ arrival }: Pick<Disbursement, 'arrival'>): string | null {
  const { t, i18n } = useLingui()
  if (arrival === null) return null
  const [by, on, way] = [arrival.by, formatDay(arrival.on, currentLanguage()), i18n._(WAY_NAMES[arrival.how])]
  const reason = arrival.reason ?? ''
  return arrival.received ? t`Received on ${on}: ${way}, recorded by ${by}` : t`Not received, ${on}: ${reason} (${way}, recorded by ${by})`
}

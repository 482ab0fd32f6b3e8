/**
 * The dialog for a payment by hand that came back, or never left.
 * - It offers the statement's lines of the amount, and chooses none by itself. Of the chosen one it shows the bank's words. The server
 *   decides whether one is needed.
 * - The form stays open after a refusal, so that another line can be chosen.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { NotLoaded } from '../../../ui/Feedback.tsx'
import { SelectField } from '../../../ui/Field.tsx'
import { formatLongDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import type { Withdrawal } from '../queries.ts'
import { WordsOfLine } from './BankMatch.tsx'
import { returnLinesQuery } from './bank-queries.ts'

export function CameBack({ withdrawal, onClose }: { readonly withdrawal: Withdrawal; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { id, status, seen, amount, member, returnFirst } = withdrawal
  const lines = useQuery(returnLinesQuery(id))
  const [line, setLine] = useState('')
  const first = returnFirst?.name ?? ''
  return (
    <Decision
      title={t`Did this payment come back?`}
      confirm={t`It came back`}
      danger
      unready={lines.data === undefined}
      check={() => true}
      reason={t`It stays in the staff log.`}
      send={(reason, idempotencyKey) =>
        call('withdrawalCameBack', {
          params: { id },
          body: { status, seen, reason, line: line === '' ? null : line },
          idempotencyKey,
        })
      }
      onDone={(answer) =>
        toast.success(
          answer.withdrawal.status === 'paid'
            ? t`Your word is recorded. Another person must say so too.`
            : t`Recorded. The money is with the member again.`,
        )
      }
      onClose={onClose}
    >
      <p className="lead spaced">
        <b>{formatMoney(amount)}</b>, {member.name}
      </p>
      <p className="muted spaced">
        <Trans>
          The money goes back into the member's wallet. If it is still in the member's bank account, the member has it twice: look at your
          bank's statement first.
        </Trans>
      </p>
      {returnFirst === null ? null : (
        <p className="muted spaced">
          <Trans>{first} has said so already. After your word the money moves.</Trans>
        </p>
      )}
      {lines.isError || lines.data === undefined ? (
        <NotLoaded query={lines} failed={t`The lines of the statement could not be loaded.`} lines={1} />
      ) : lines.data.length === 0 ? (
        <p className="small muted spaced">{t`No line of a statement that has no entry has this amount.`}</p>
      ) : (
        <>
          <SelectField label={t`Line of the statement`} value={line} onChange={(event) => setLine(event.target.value)}>
            <option value="">{t`None: the payment never left`}</option>
            {lines.data.map((one) => (
              <option key={one.id} value={one.id}>
                {`${formatLongDay(one.day, currentLanguage())} · ${formatMoney(one.amount)} · ${one.account}`}
              </option>
            ))}
          </SelectField>
          {line === '' ? null : <WordsOfLine key={line} id={line} />}
        </>
      )}
    </Decision>
  )
}

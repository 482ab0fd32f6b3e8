/** One line of a statement with the words of the bank, and the entry of our books that it is, or may be. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { TREASURY } from '@roz/contract/roles.ts'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { NotLoaded } from '../../../ui/Feedback.tsx'
import { formatLongDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { Decision } from '../Decision.tsx'
import { useMay } from '../use-may.ts'
import { bankLineQuery } from './bank-queries.ts'
import { useMovementName } from './movement-names.ts'

export function BankMatch({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t } = useLingui()
  const mayMatch = useMay(TREASURY)
  const found = useQuery(bankLineQuery(id))
  const [chosen, setChosen] = useState<string>()
  const line = found.data?.line
  const subject = line?.subject ?? null
  const isMatched = subject !== null
  return (
    <Decision
      title={<Trans>Line of the statement</Trans>}
      confirm={!mayMatch ? t`Close` : isMatched ? t`Take the match back` : t`Match`}
      danger={isMatched && mayMatch}
      unready={mayMatch && (line === undefined || (!isMatched && chosen === undefined))}
      send={async () => {
        if (!mayMatch || line === undefined) return undefined
        const { status, seen } = line
        const body = { status, seen, subject: isMatched ? null : (chosen ?? null) }
        return (await call('matchBankLine', { params: { id }, body })).bankLine
      }}
      onDone={(now) => (now === undefined ? undefined : toast.success(now.subject === null ? t`The line is open again.` : t`Matched.`))}
      onClose={onClose}
    >
      {found.isError || found.data === undefined ? (
        <NotLoaded query={found} failed={t`The line could not be loaded.`} lines={4} />
      ) : (
        <>
          <LineFacts data={found.data} />
          {isMatched ? (
            <p className="spaced">{t`Its entry: ${subject}`}</p>
          ) : (
            <Candidates data={found.data} chosen={chosen} onChoose={setChosen} />
          )}
        </>
      )}
    </Decision>
  )
}

type Data = Output<Api['bankLine']>

function LineFacts({ data: { line, words } }: { readonly data: Data }) {
  const { t } = useLingui()
  const on = formatLongDay(line.day, currentLanguage())
  const sum = formatMoney(Math.abs(line.amount))
  return (
    <>
      <p>{line.amount < 0 ? t`${sum} out on ${on}` : t`${sum} in on ${on}`}</p>
      <BankWords words={words} />
    </>
  )
}

function BankWords({ words }: { readonly words: string }) {
  return (
    <>
      <p className="small muted">
        <Trans>The words of the bank:</Trans>
      </p>
      <pre className="report">{words}</pre>
    </>
  )
}

/** The bank's words of a line that is chosen in another dialog. */
export function WordsOfLine({ id }: { readonly id: string }) {
  const { t } = useLingui()
  const found = useQuery(bankLineQuery(id))
  if (found.isError || found.data === undefined) return <NotLoaded query={found} failed={t`The line could not be loaded.`} lines={2} />
  return <BankWords words={found.data.words} />
}

type CandidatesProps = { readonly data: Data; readonly chosen: string | undefined; readonly onChoose: (subject: string) => void }

function Candidates({ data: { candidates }, chosen, onChoose }: CandidatesProps) {
  const { t } = useLingui()
  const group = useId()
  const nameOf = useMovementName()
  if (candidates.length === 0)
    return (
      <p className="spaced">
        <Trans>No entry of our books has this amount around this day. Book what is missing, or close the finding with its reason.</Trans>
      </p>
    )
  return (
    <fieldset className="choices spaced">
      <legend>{t`Which entry of our books is it?`}</legend>
      {candidates.map(({ subject, kind, day, reference, hasReference }) => {
        const [name, on] = [nameOf(kind), formatLongDay(day, currentLanguage())]
        return (
          <div key={subject} className="choice">
            <input type="radio" id={`${group}-${subject}`} name={group} checked={chosen === subject} onChange={() => onChoose(subject)} />
            <label htmlFor={`${group}-${subject}`}>
              {t`${name}, booked on ${on}`}
              {reference === null ? null : (
                <span className="small muted block">
                  <Unbroken text={hasReference ? t`Its number is in the line: ${reference}` : t`Number ${reference}`} />
                </span>
              )}
            </label>
          </div>
        )
      })}
    </fieldset>
  )
}

/** The import of a statement: choose the file, look at what was read, say until when it is whole, store it. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { type ChangeEvent, useId, useState } from 'react'
import { ApiError, call, messageOf } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Field, TextField } from '../../../ui/Field.tsx'
import { formatLongDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import { typed } from '../portal-form-errors.ts'
import { steppedUp } from '../step-up.ts'
import type { BankAccount } from './bank-queries.ts'

type Preview = Output<Api['previewStatement']>
/** A file that was read, or why it could not be. */
type Chosen = { readonly file: File; readonly preview?: Preview; readonly problem?: string }

export function StatementDialog({ account: { id, name }, onClose }: { readonly account: BankAccount; readonly onClose: () => void }) {
  const { t } = useLingui()
  const [chosen, setChosen] = useState<Chosen>()
  const [isReading, setReading] = useState(false)
  const [until, setUntil] = useState('')
  const [problem, setProblem] = useState<string>()
  const preview = chosen?.preview
  const fresh = preview === undefined ? 0 : preview.lines - preview.known

  async function choose(event: ChangeEvent<HTMLInputElement>): Promise<void> {
    const file = event.target.files?.[0]
    if (file === undefined) return
    setReading(true)
    setChosen(undefined)
    try {
      const read = await steppedUp(() => call('previewStatement', { params: { id }, upload: file }))
      setChosen({ file, preview: read })
      setUntil(read.until)
    } catch (error) {
      setChosen({ file, problem: messageOf(error, t`The file could not be read.`) })
    }
    setReading(false)
  }

  async function send() {
    if (chosen === undefined || preview === undefined) throw new Error('no statement was read')
    try {
      return await call('importStatement', { params: { id }, query: { seen: preview.seen, until }, upload: chosen.file })
    } catch (error) {
      if (error instanceof ApiError) setProblem(error.fields['until'])
      throw error
    }
  }

  return (
    <Decision
      title={<Trans>Import a statement: {name}</Trans>}
      confirm={t`Import`}
      unready={preview === undefined}
      check={() => true}
      send={send}
      onDone={({ stored, matched }) =>
        toast.success(stored === 0 ? t`Nothing new: all lines are stored already.` : t`Imported: ${stored} new lines, ${matched} matched.`)
      }
      onClose={onClose}
    >
      <Field label={t`Statement as CSV`} hint={t`Downloaded from the bank, of whole days, at most 2 MB.`} error={chosen?.problem}>
        {(wiring) => <input {...wiring} type="file" accept=".csv,.txt,text/csv,text/plain" onChange={(event) => void choose(event)} />}
      </Field>
      {isReading ? <p role="status" className="hint">{t`The file is being read…`}</p> : null}
      {preview === undefined ? null : (
        <>
          <PreviewFacts preview={preview} fresh={fresh} />
          <TextField
            label={t`The statement covers all days until`}
            hint={t`Days without a line count too. Today is not over yet.`}
            type="date"
            min={preview.until}
            {...typed(until, problem, setUntil)}
          />
        </>
      )}
    </Decision>
  )
}

function PreviewFacts({ preview, fresh }: { readonly preview: Preview; readonly fresh: number }) {
  const { t } = useLingui()
  const heading = useId()
  const { known, from, until, opening, closing, sample } = preview
  const [first, last] = [formatLongDay(from, currentLanguage()), formatLongDay(until, currentLanguage())]
  const [begins, ends] = [formatMoney(opening), formatMoney(closing)]
  const more = fresh - sample.length
  return (
    <section aria-labelledby={heading} className="spaced">
      <h3 id={heading}>
        <Plural value={fresh} one="# new line" other="# new lines" />
      </h3>
      <p className="small muted">{t`From ${first} to ${last}: balance ${begins} before, ${ends} after.`}</p>
      {known === 0 ? null : (
        <p className="small muted">
          <Plural value={known} one="# line is stored already" other="# lines are stored already" />
        </p>
      )}
      <ul className="small statement-sample">
        {sample.map(({ day, amount, balance, words }, index) => {
          const [sum, after] = [formatMoney(Math.abs(amount)), formatMoney(balance)]
          return (
            <li key={index}>
              {formatLongDay(day, currentLanguage())} · {amount < 0 ? t`${sum} out` : t`${sum} in`} · {t`balance ${after}`}
              <span className="muted block">{words}</span>
            </li>
          )
        })}
      </ul>
      {more <= 0 ? null : (
        <p className="small muted">
          <Plural value={more} one="and # more" other="and # more" />
        </p>
      )}
    </section>
  )
}

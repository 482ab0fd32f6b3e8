/** The form of a bank account of ours: its name, its last four digits, and the columns of its statement. */
import { useLingui } from '@lingui/react/macro'
import { bankAccountName, bankLastFour, DATE_FORMATS, statementMapping, type StatementMapping } from '@roz/core/statement-fields.ts'
import { STATEMENT_PRESETS, type StatementPreset } from '@roz/core/statement-presets.ts'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { SelectField, TextField } from '../../../ui/Field.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import { typed } from '../portal-form-errors.ts'
import { problemOf, type Problems, useProblems } from '../problems.ts'
import type { BankAccount } from './bank-queries.ts'

type Values = { readonly name: string; readonly lastFour: string; readonly mapping: StatementMapping }

function useBankAccountForm(account: BankAccount | undefined) {
  const [id] = useState(() => account?.id ?? crypto.randomUUID())
  const [values, setValues] = useState<Values>(account ?? { name: '', lastFour: '', mapping: STATEMENT_PRESETS.SBI })
  const { problems, judge, refused } = useProblems()
  const { name, lastFour, mapping } = values
  const check = (): boolean => {
    const found: Record<string, string | undefined> = {
      name: problemOf(bankAccountName, name),
      lastFour: problemOf(bankLastFour, lastFour),
    }
    for (const { path, message } of statementMapping.safeParse(mapping).error?.issues ?? []) found[`mapping.${path.join('.')}`] ??= message
    return judge(found)
  }
  const send = () => call('saveBankAccount', { params: { id }, body: { name, lastFour, mapping } }).catch(refused)
  return { values, setValues, problems, check, send }
}

export function BankAccountDialog({ account, onClose }: { readonly account: BankAccount | undefined; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { values, setValues, problems, check, send } = useBankAccountForm(account)
  return (
    <Decision
      title={account === undefined ? t`Add a bank account` : t`Change the bank account`}
      confirm={t`Save`}
      check={check}
      send={send}
      onDone={() => toast.success(t`Saved.`)}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        hint={t`As the team calls it, such as “SBI current account”`}
        autoComplete="off"
        maxLength={60}
        {...typed(values.name, problems['name'], (name) => setValues({ ...values, name }))}
      />
      <TextField
        label={t`Last four digits of the account number`}
        inputMode="numeric"
        autoComplete="off"
        {...typed(values.lastFour, problems['lastFour'], (lastFour) => setValues({ ...values, lastFour }))}
      />
      <MappingFields mapping={values.mapping} problems={problems} onChange={(mapping) => setValues({ ...values, mapping })} />
    </Decision>
  )
}

type MappingProps = {
  readonly mapping: StatementMapping
  readonly problems: Problems
  readonly onChange: (mapping: StatementMapping) => void
}

function MappingFields({ mapping, problems, onChange }: MappingProps) {
  const { t } = useLingui()
  const columns = [
    ['date', t`Column of the day`],
    ['description', t`Column of the description`],
    ['reference', t`Column of the reference (may be empty)`],
    ['debit', t`Column of what went out`],
    ['credit', t`Column of what came in`],
    ['amount', t`Or one column of amounts`],
    ['mark', t`Its column of Dr or Cr (may be empty)`],
    ['balance', t`Column of the balance`],
  ] as const
  return (
    <>
      <p className="spaced">{t`Columns of the statement, by their names in the first row of the table`}</p>
      <SelectField
        label={t`Start with the columns of`}
        value=""
        onChange={(event) => {
          if (event.target.value !== '') onChange(STATEMENT_PRESETS[event.target.value as StatementPreset])
        }}
      >
        <option value="">{t`Choose a bank`}</option>
        {Object.keys(STATEMENT_PRESETS).map((bank) => (
          <option key={bank} value={bank} translate="no">
            {bank}
          </option>
        ))}
      </SelectField>
      {columns.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          autoComplete="off"
          maxLength={60}
          {...typed(mapping[name], problems[`mapping.${name}`], (text) => onChange({ ...mapping, [name]: text }))}
        />
      ))}
      <SelectField
        label={t`How it writes a day`}
        value={mapping.dateFormat}
        onChange={(event) => onChange({ ...mapping, dateFormat: event.target.value as StatementMapping['dateFormat'] })}
      >
        {DATE_FORMATS.map((format) => (
          <option key={format} value={format} translate="no">
            {format}
          </option>
        ))}
      </SelectField>
    </>
  )
}

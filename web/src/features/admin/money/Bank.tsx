/** Our bank beside our books: whether both had the same at the end of a day, the accounts with their import, and the lines. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import { Plural, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { TAX_READERS, TREASURY } from '@roz/contract/roles.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge, NotLoaded } from '../../../ui/Feedback.tsx'
import { formatLongDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { RowList } from '../RowList.tsx'
import type { Shown } from '../states.ts'
import { useMay } from '../use-may.ts'
import { BankAccountDialog } from './BankAccountDialog.tsx'
import { type BankAccount, type BankLine, bankAccountsQuery, bankLinesQuery } from './bank-queries.ts'
import { BankMatch } from './BankMatch.tsx'
import { StatementDialog } from './StatementDialog.tsx'

type Check = NonNullable<Output<Api['reconciliation']>['bankCheck']>

/** One line, red while bank and books differ by more than what somebody closed with a reason. */
export function BankCheckLine({ check }: { readonly check: Check }) {
  const { t } = useLingui()
  const { day, isLate, bank, books, difference, unsettled, open } = check
  const on = formatLongDay(day, currentLanguage())
  const [held, booked, by] = [formatMoney(bank), formatMoney(books), formatMoney(Math.abs(difference))]
  const isRed = open > 0 || (difference !== 0 && unsettled !== 0)
  return (
    <>
      {isLate ? <p className="warning-line" role="alert">{t`The bank's statements end on ${on}. Import the days since.`}</p> : null}
      {difference === 0 && open === 0 ? (
        <p className="muted">{t`At the end of ${on} the bank had ${held}, and so had our books.`}</p>
      ) : (
        <div className={isRed ? 'warning-line' : 'muted'} role={isRed ? 'alert' : undefined}>
          <p>
            {difference === 0 ? t`At the end of ${on} bank and books had ${held}, but not by the same entries.` : null}
            {difference > 0 ? t`At the end of ${on} the bank had ${held} and our books ${booked}: ${by} more at the bank.` : null}
            {difference < 0 ? t`At the end of ${on} the bank had ${held} and our books ${booked}: ${by} less at the bank.` : null}
          </p>
          <Explained check={check} />
        </div>
      )}
    </>
  )
}

function Explained({ check: { explained, unsettled } }: { readonly check: Check }) {
  const { t } = useLingui()
  const signed = (amount: number): string => `${amount < 0 ? '−' : '+'}${formatMoney(Math.abs(amount))}`
  return (
    <ul className="small">
      {explained.map(({ part, amount, count }) => {
        const by = signed(amount)
        return (
          <li key={part}>
            {part === 'opening' ? t`${by}: the first balance, which our books do not have` : null}
            {part === 'lines' ? (
              <Plural value={count} one={`${by}: # line without an entry`} other={`${by}: # lines without an entry`} />
            ) : null}
            {part === 'entries' ? (
              <Plural value={count} one={`${by}: # entry without a line`} other={`${by}: # entries without a line`} />
            ) : null}
            {part === 'other_day' ? (
              <Plural
                value={count}
                one={`${by}: # entry that bank and books have on different days`}
                other={`${by}: # entries that bank and books have on different days`}
              />
            ) : null}
            {part === 'unexplained' ? t`${by}: not explained yet` : null}
          </li>
        )
      })}
      {unsettled === 0 ? <li>{t`All of it was closed with a reason.`}</li> : null}
    </ul>
  )
}

export function BankAccounts() {
  const { t } = useLingui()
  const accounts = useQuery(bankAccountsQuery)
  const mayImport = useMay(TREASURY)
  const [saving, setSaving] = useState<BankAccount | 'new'>()
  const [importing, setImporting] = useState<BankAccount>()
  return (
    <section aria-label={t`Bank`}>
      <div className="head-row spaced">
        <h3>{t`Bank`}</h3>
        {mayImport ? <Button kind="secondary" onClick={() => setSaving('new')}>{t`Add a bank account`}</Button> : null}
      </div>
      {accounts.isError || accounts.data === undefined ? (
        <NotLoaded query={accounts} failed={t`The bank accounts could not be loaded.`} lines={2} />
      ) : accounts.data.accounts.length === 0 ? (
        <p className="muted">{t`Add our bank account to compare its statement with our books.`}</p>
      ) : (
        <ul className="story-rows">
          {accounts.data.accounts.map((account) => (
            <AccountRow
              key={account.id}
              account={account}
              mayImport={mayImport}
              onSave={() => setSaving(account)}
              onImport={() => setImporting(account)}
            />
          ))}
        </ul>
      )}
      <BankLines />
      {saving === undefined ? null : (
        <BankAccountDialog account={saving === 'new' ? undefined : saving} onClose={() => setSaving(undefined)} />
      )}
      {importing === undefined ? null : <StatementDialog account={importing} onClose={() => setImporting(undefined)} />}
    </section>
  )
}

type RowProps = {
  readonly account: BankAccount
  readonly mayImport: boolean
  readonly onSave: () => void
  readonly onImport: () => void
}

function AccountRow({ account: { name, lastFour, lines, until, closing }, mayImport, onSave, onImport }: RowProps) {
  const { t } = useLingui()
  const covered = until === null ? '' : formatLongDay(until, currentLanguage())
  const balance = closing === null ? '' : formatMoney(closing)
  return (
    <li>
      <div>
        <h4>{name}</h4>
        <p className="small muted">{t`Account ending in ${lastFour}`}</p>
        <p className="small muted">
          {until === null ? t`No statement imported yet` : t`Statements until ${covered}, closing balance ${balance}`}
        </p>
        {lines === 0 ? null : (
          <p className="small muted">
            <Plural value={lines} one="# line" other="# lines" />
          </p>
        )}
      </div>
      {mayImport ? (
        <div className="buttons">
          <Button aria-label={t`Import a statement: ${name}`} onClick={onImport}>{t`Import a statement`}</Button>
          <Button kind="secondary" aria-label={t`Change: ${name}`} onClick={onSave}>{t`Change`}</Button>
        </div>
      ) : null}
    </li>
  )
}

const LINE_STATES = {
  open: { tone: 'bad', label: msg`Without an entry` },
  matched: { tone: 'good', label: msg`Matched by its number` },
  decided: { tone: 'good', label: msg`Matched by the team` },
  closed: { tone: 'plain', label: msg`Closed with a reason` },
} as const satisfies Record<BankLine['status'], Shown & { readonly label: MessageDescriptor }>

/** All lines of the statements, once they are asked for. */
function BankLines() {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="spaced">
      {isOpen ? (
        <LineList />
      ) : (
        <Button kind="quiet" onClick={() => setOpen(true)}>
          {t`Lines of the statements`}
        </Button>
      )}
    </div>
  )
}

function LineList() {
  const { t, i18n } = useLingui()
  const list = useInfiniteQuery(bankLinesQuery)
  const mayRead = useMay(TAX_READERS)
  const [open, setOpen] = useState<BankLine>()
  return (
    <section aria-label={t`Lines of the statements`}>
      <h4>{t`Lines of the statements`}</h4>
      <RowList list={list} itemsOf={(page) => page.lines} failed={t`The lines could not be loaded.`} empty={t`No statement imported yet`}>
        {(line) => {
          const { id, account, day, amount, balance, status } = line
          const on = formatLongDay(day, currentLanguage())
          const [sum, after] = [formatMoney(Math.abs(amount)), formatMoney(balance)]
          return (
            <li key={id}>
              <div>
                <p>{amount < 0 ? t`${sum} out on ${on}` : t`${sum} in on ${on}`}</p>
                <p className="small muted">
                  <Unbroken text={t`${account}, balance after it ${after}`} />
                </p>
              </div>
              <Badge tone={LINE_STATES[status].tone}>{i18n._(LINE_STATES[status].label)}</Badge>
              {mayRead ? (
                <Button kind="secondary" aria-label={t`Look at the line of ${on}, ${sum}`} onClick={() => setOpen(line)}>{t`Look`}</Button>
              ) : null}
            </li>
          )
        }}
      </RowList>
      {open === undefined ? null : <BankMatch id={open.id} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

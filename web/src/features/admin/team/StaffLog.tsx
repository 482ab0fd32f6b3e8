/** The staff log: who changed what, from which value to which, when and from where. */
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { currentLanguage } from '../../../app/language.ts'
import { SelectField, TextField } from '../../../ui/Field.tsx'
import { formatInstant } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { EmptyState } from '../../../ui/Feedback.tsx'
import { Listing } from '../../Listing.tsx'
import { ListHead } from '../CsvButton.tsx'
import { SearchField } from '../SearchField.tsx'
import { usePaused } from '../use-paused.ts'
import { type AuditEntry, type AuditFilter, auditQuery, givenOf, staffQuery } from './queries.ts'
import './team.css'

const NOTHING: AuditFilter = { actor: '', action: '', subject: '', from: '', to: '' }

export function StaffLog() {
  const { t } = useLingui()
  const [filter, setFilter] = useState(NOTHING)
  const asked = { ...filter, subject: usePaused(filter.subject.trim()) }
  const list = useInfiniteQuery({ ...auditQuery(asked), placeholderData: keepPreviousData })
  const team = useInfiniteQuery(staffQuery({ status: '', q: '' }))
  const all = useInfiniteQuery(auditQuery(NOTHING))
  const set = (change: Partial<AuditFilter>): void => setFilter((now) => ({ ...now, ...change }))
  const people = team.data?.pages.flatMap(({ staff }) => staff) ?? []
  return (
    <>
      <ListHead title={t`Staff log`} csv={{ of: 'adminAuditCsv', name: 'audit-log', filters: givenOf(asked) }} />
      <div className="narrowing audit-filter">
        <SelectField label={t`Who`} value={filter.actor} onChange={(event) => set({ actor: event.target.value })}>
          <option value="">{t`Everybody`}</option>
          <option value="system">{t`The system`}</option>
          {people.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField label={t`Action`} value={filter.action} onChange={(event) => set({ action: event.target.value })}>
          <option value="">{t`All`}</option>
          {(all.data?.pages[0]?.actions ?? []).map((action) => (
            <option key={action} value={action} translate="no">
              {action}
            </option>
          ))}
        </SelectField>
        <SearchField label={t`Subject`} placeholder={t`Email or subject`} value={filter.subject} onType={(subject) => set({ subject })} />
        <TextField label={t`From`} type="date" value={filter.from} onChange={(event) => set({ from: event.target.value })} />
        <TextField label={t`To`} type="date" value={filter.to} onChange={(event) => set({ to: event.target.value })} />
      </div>
      <Listing
        list={list}
        itemsOf={(page) => page.audit}
        failed={t`The staff log could not be loaded.`}
        empty={<EmptyState title={t`No entries found`} />}
        lines={6}
      >
        {(entries) => (
          <ul className="rows audit-rows">
            {entries.map((entry) => (
              <EntryRow key={entry.id} entry={entry} />
            ))}
          </ul>
        )}
      </Listing>
    </>
  )
}

function EntryRow({ entry }: { readonly entry: AuditEntry }) {
  const { t } = useLingui()
  const { at, actor, action, subject, subjectName, before, after, from } = entry
  const device = [from?.browser, from?.system].filter((part) => part !== null && part !== undefined).join(', ')
  return (
    <li className="audit-row">
      <div className="team-head">
        <b>{actor === null ? t`The system` : actor.name}</b> <code>{action}</code>
      </div>
      <span className="small muted block">
        {formatInstant(at, currentLanguage())}
        {from === null ? null : ` · ${from.address}${device === '' ? '' : ` · ${device}`}`}
      </span>
      <span className="small block user-mail" translate="no">
        {subjectName === null ? subject : `${subjectName} (${subject})`}
      </span>
      {before === null && after === null ? null : <Values before={before} after={after} />}
    </li>
  )
}

/** A list as its items, an object as its fields. A list without items is shown like an absent value: empty. */
function shown(name: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (name === 'amount' && typeof value === 'number') return formatMoney(value)
  if (Array.isArray(value)) return value.map((item) => shown('', item)).join(', ')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([field, part]) => `${field}: ${shown(field, part)}`)
      .join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The changed values as the contract names them, one line each, as `name: before → after`. A value that stayed the same, or stayed empty, is left out. */
function Values({ before, after }: Pick<AuditEntry, 'before' | 'after'>) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => shown(name, before?.[name]) !== shown(name, after?.[name]),
  )
  return (
    <ul className="audit-values small" translate="no">
      {names.map((name) => {
        const [old, now] = [shown(name, before?.[name]), shown(name, after?.[name])]
        return (
          <li key={name}>
            <span className="muted">{name}:</span> {old === '' ? null : <del>{old}</del>} {now === '' ? null : <ins>{now}</ins>}
          </li>
        )
      })}
    </ul>
  )
}

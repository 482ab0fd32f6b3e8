/** Accounts that share a phone, bank account, device or network, and quick withdrawals from new accounts: the team looks at them. Nothing is refused by them. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { CARE } from '@roz/contract/roles.ts'
import { staffNote } from '@roz/core/care-fields.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge } from '../../../ui/Feedback.tsx'
import { SelectField } from '../../../ui/Field.tsx'
import { formatDay, formatInstant } from '../../../ui/format.ts'
import { toast } from '../../../ui/Toast.tsx'
import { RowList } from '../RowList.tsx'
import { pagesOf } from '../../queries.ts'
import { ListHead } from '../CsvButton.tsx'
import { Decision } from '../Decision.tsx'
import { type Narrowing, narrowed } from '../queries.ts'
import { SearchField } from '../SearchField.tsx'
import { useKept } from '../use-kept.ts'
import { useMay } from '../use-may.ts'
import { usePaused } from '../use-paused.ts'

type Flag = Output<Api['flags']>['flags'][number]
/** The kinds of signals that accounts share, and what each may mean. */
const SIGNAL_KINDS = {
  phone: { title: msg`Same phone number`, hint: msg`Often a family with one phone.` },
  bank: { title: msg`Same bank account`, hint: msg`Withdrawals of several accounts go to one bank account.` },
  device: { title: msg`Same device and network`, hint: msg`The same browser at the same network address. Often a family or a shop.` },
  network: { title: msg`Same network address`, hint: msg`A house, an office or a whole town can share one.` },
  mailbox: { title: msg`Same mailbox`, hint: msg`Addresses that differ by dots at Gmail, or by a tag after +, reach one person.` },
  young_money: {
    title: msg`Quick withdrawal from a new account`,
    hint: msg`The account was less than seven days old, and the money had been added less than three days before.`,
  },
} as const satisfies Record<Flag['kind'], { readonly title: MessageDescriptor; readonly hint: MessageDescriptor }>

type State = '' | 'unreviewed' | 'reviewed'

const flagsQuery = (narrowing: Narrowing<'unreviewed' | 'reviewed'>) =>
  pagesOf(['admin', 'flags', narrowing], (page, signal) => call('flags', { query: { ...page, ...narrowed(narrowing) }, signal }))

export function Review() {
  const { t } = useLingui()
  const [state, setState] = useKept<State>('status', 'unreviewed')
  const [typed, setTyped] = useKept<string>('typed', '')
  const narrowing = { status: state, q: usePaused(typed.trim()) }
  const list = useInfiniteQuery(flagsQuery(narrowing))
  const [open, setOpen] = useState<Flag>()
  return (
    <>
      <ListHead title={t`Review`} csv={{ of: 'flagsCsv', name: 'flags', filters: narrowed(narrowing) }} />
      <p className="muted spaced">
        <Trans>
          Families share phones and devices, and a whole town can share a network address. A match blocks nothing: look at it together with
          the accounts, then decide.
        </Trans>
      </p>
      <div className="narrowing">
        <SearchField label={t`Search members`} placeholder={t`Name, email or phone`} value={typed} onType={setTyped} />
        <SelectField label={t`Status`} value={state} onChange={(event) => setState(event.target.value as State)}>
          <option value="unreviewed">{t`Not reviewed`}</option>
          <option value="reviewed">{t`Reviewed`}</option>
          <option value="">{t`All`}</option>
        </SelectField>
      </div>
      <RowList
        list={list}
        itemsOf={(page) => page.flags}
        failed={t`The list could not be loaded.`}
        empty={t`Nothing to review`}
        hint={t`Accounts that share something appear here.`}
      >
        {(flag) => <FlagRow key={flag.id} flag={flag} onReview={() => setOpen(flag)} />}
      </RowList>
      {open === undefined ? null : <Reviewing flag={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function FlagRow({ flag, onReview }: { readonly flag: Flag; readonly onReview: () => void }) {
  const { i18n, t } = useLingui()
  const mayReview = useMay(CARE)
  const { title, hint } = SIGNAL_KINDS[flag.kind]
  const more = flag.count - flag.members.length
  const about = [i18n._(title), ...flag.members.map(({ name }) => name)].join(', ')
  return (
    <li>
      <div>
        <h3>{i18n._(title)}</h3>
        <p className="small muted">{i18n._(hint)}</p>
        <ul className="flagged">
          {flag.members.map(({ id, name, createdAt, since, isLater }) => (
            <li key={id}>
              <Link to={paths.adminDashboard} search={{ tab: 'users', member: id }}>
                {name}
              </Link>{' '}
              <span className="small muted">
                <Trans>member since {formatDay(createdAt, currentLanguage())}</Trans>
                {flag.kind !== 'phone' || since === null || since === undefined ? null : isLater ? (
                  <>
                    , <Trans>set this phone on {formatDay(since, currentLanguage())}</Trans>
                  </>
                ) : (
                  <>
                    , <Trans>had this phone first, since {formatDay(since, currentLanguage())}</Trans>
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
        {more <= 0 ? null : (
          <p className="small muted">
            <Trans>and {more} more</Trans>
          </p>
        )}
        {flag.reviewedAt === null ? null : (
          <p className="small muted">
            <Trans>
              {flag.reviewedBy}, {formatInstant(flag.reviewedAt, currentLanguage())}: {flag.note}
            </Trans>
          </p>
        )}
      </div>
      <Badge tone={flag.isReviewed ? 'good' : 'waiting'}>{flag.isReviewed ? t`Reviewed` : t`Not reviewed`}</Badge>
      {mayReview ? (
        <div className="buttons">
          <Button
            kind="secondary"
            aria-label={flag.isReviewed ? t`Open again: ${about}` : t`Mark as reviewed: ${about}`}
            onClick={onReview}
          >
            {flag.isReviewed ? t`Open again` : t`Mark as reviewed`}
          </Button>
        </div>
      ) : null}
    </li>
  )
}

function Reviewing({ flag, onClose }: { readonly flag: Flag; readonly onClose: () => void }) {
  const { t } = useLingui()
  const isReviewed = !flag.isReviewed
  return (
    <Decision
      title={isReviewed ? t`Mark as reviewed?` : t`Open again?`}
      confirm={isReviewed ? t`Mark as reviewed` : t`Open again`}
      question={{ label: t`Note`, hint: t`Your finding. Only the team can read it.`, rule: staffNote, long: true }}
      send={(note) => call('reviewFlag', { params: { id: flag.id }, body: { isReviewed, count: flag.count, note } })}
      onDone={() => toast.success(t`Saved.`)}
      onClose={onClose}
    >
      <p>
        {isReviewed
          ? t`This match leaves the list, and returns if another account is added to it. Nothing changes for the members.`
          : t`This match returns to the list. Nothing changes for the members.`}
      </p>
    </Decision>
  )
}

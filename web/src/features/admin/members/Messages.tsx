/** Messages of the contact form with their threads: read, answer by email, set the state. */
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { CARE } from '@roz/contract/roles.ts'
import { staffReply } from '@roz/core/care-fields.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, messageOf } from '../../../app/api.ts'
import { SPEECH } from '@roz/core/language.ts'
import { currentLanguage } from '../../../app/language.ts'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge } from '../../../ui/Feedback.tsx'
import { formatInstant } from '../../../ui/format.ts'
import { toast } from '../../../ui/Toast.tsx'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { Decision } from '../Decision.tsx'
import { useNarrowing } from '../money/MoneyRows.tsx'
import { type Narrowing, personsOf, refreshPortal, sorted } from '../queries.ts'
import type { Shown } from '../states.ts'
import { useMay } from '../use-may.ts'

const MESSAGE_STATES = {
  new: { tone: 'waiting', label: msg`New` },
  open: { tone: 'waiting', label: msg`In progress` },
  answered: { tone: 'good', label: msg`Answered` },
  closed: { tone: 'good', label: msg`Closed` },
} as const satisfies Record<string, Shown>

/** By what the list of messages is narrowed. */
const MESSAGE_FILTERS = { unanswered: { tone: 'waiting', label: msg`Unanswered` }, ...MESSAGE_STATES } as const satisfies Record<
  string,
  Shown
>

type Message = Output<Api['messages']>['messages'][number]
type State = Message['status']

const messagesQuery = (narrowing: Narrowing<keyof typeof MESSAGE_FILTERS>) =>
  personsOf(['admin', 'messages', narrowing], (page, signal) => call('messages', { query: { ...page, ...sorted(narrowing) }, signal }))

export function Messages() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(MESSAGE_FILTERS, t`Search messages`, t`Ticket, name or email`, true)
  const list = useInfiniteQuery(messagesQuery(narrowing))
  const [answering, setAnswering] = useState<Message>()
  return (
    <>
      <ListHead title={t`Messages`} csv={{ of: 'messagesCsv', name: 'messages', filters: sorted(narrowing) }} />
      {fields}
      <RowList
        list={list}
        itemsOf={(page) => page.messages}
        failed={t`The messages could not be loaded.`}
        empty={t`No messages found`}
        hint={t`What people write in the contact form appears here.`}
      >
        {(message) => <MessageRow key={message.id} message={message} onAnswer={() => setAnswering(message)} />}
      </RowList>
      {answering === undefined ? null : <Answer message={answering} onClose={() => setAnswering(undefined)} />}
    </>
  )
}

const aboutOf = ({ name, ticket }: Message): string => `${name}, ${ticket}`

function MessageRow({ message, onAnswer }: { readonly message: Message; readonly onAnswer: () => void }) {
  const { i18n, t } = useLingui()
  const { tone, label } = MESSAGE_STATES[message.status]
  const mayAnswer = useMay(CARE)
  const about = aboutOf(message)
  return (
    <li>
      <div>
        <h3>{about}</h3>
        <p className="small muted">
          {message.memberId === null ? (
            message.email
          ) : (
            <Link to={paths.adminDashboard} search={{ tab: 'users', member: message.memberId }}>
              {message.email}
            </Link>
          )}
          ,{' '}
          <time dateTime={message.createdAt}>
            <Unbroken text={formatInstant(message.createdAt, currentLanguage())} />
          </time>
        </p>
        <p className="pre-line" lang={message.language}>
          {message.message}
        </p>
        {message.replies.map((reply) => (
          <blockquote key={reply.id}>
            <p className="pre-line">{reply.text}</p>
            <p className="small muted">
              <Trans>
                Answered by {reply.author}, {formatInstant(reply.createdAt, currentLanguage())}
              </Trans>
            </p>
          </blockquote>
        ))}
      </div>
      <Badge tone={tone}>{i18n._(label)}</Badge>
      {mayAnswer ? (
        <div className="buttons">
          <Button kind="secondary" aria-label={t`Reply: ${about}`} onClick={onAnswer}>{t`Reply`}</Button>
          <NextState message={message} />
        </div>
      ) : null}
    </li>
  )
}

/** The step that a message usually takes next, besides a reply. */
const NEXT = { new: 'open', open: 'closed', answered: 'closed', closed: 'open' } as const satisfies Record<State, State>

function NextState({ message }: { readonly message: Message }) {
  const { t } = useLingui()
  const [isBusy, setIsBusy] = useState(false)
  const status = NEXT[message.status]
  const about = aboutOf(message)
  const names = { closed: t`Close: ${about}`, open: message.status === 'new' ? t`Start on it: ${about}` : t`Open again: ${about}` }
  const set = async () => {
    setIsBusy(true)
    try {
      await call('setMessageStatus', { params: { id: message.id }, body: { status } })
      await refreshPortal()
    } catch (error) {
      toast.error(messageOf(error, t`Network error. Please check your connection and try again.`))
    }
    setIsBusy(false)
  }
  return (
    <Button kind="secondary" busy={isBusy} aria-label={names[status]} onClick={() => void set()}>
      {status === 'closed' ? <Trans>Close</Trans> : message.status === 'new' ? <Trans>Start on it</Trans> : <Trans>Open again</Trans>}
    </Button>
  )
}

function Answer({ message, onClose }: { readonly message: Message; readonly onClose: () => void }) {
  const { t } = useLingui()
  const language = SPEECH[message.language].name
  return (
    <Decision
      title={<Trans>Reply to {message.name}</Trans>}
      confirm={t`Send reply`}
      question={{
        label: t`Your reply`,
        hint: t`The message was written on the ${language} page.`,
        rule: staffReply,
        long: true,
      }}
      // A refused reply stays to be read and copied.
      check={() => true}
      send={(text) => call('replyToMessage', { params: { id: message.id }, body: { message: text, seen: message.seen } })}
      onDone={() => toast.success(t`Your reply was sent.`)}
      onClose={onClose}
    >
      <p className="pre-line muted">{message.message}</p>
      <p>
        <Trans>
          The reply goes to {message.email}, with the ticket {message.ticket} in its subject.
        </Trans>
      </p>
    </Decision>
  )
}

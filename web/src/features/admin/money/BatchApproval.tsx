/**
 * Approves several rows of a list with one confirmation that lists them with their sum.
 * - Each row carries the state that it showed when it was selected; the server decides each row by itself.
 * - The answer is shown row by row, so nothing is half told.
 */
import type { MessageDescriptor } from '@lingui/core'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Modal } from '../../../ui/Modal.tsx'
import { formatMoney } from '../../../ui/Money.tsx'
import { Decision } from '../Decision.tsx'
import type { Shown } from '../states.ts'

/** A row that can be selected; `warnings` are shown beside it in the confirmation. */
export type Picked<S extends string = string> = {
  readonly id: string
  readonly status: S
  readonly seen: string
  readonly amount: number
  readonly who: string
  readonly warnings: readonly (MessageDescriptor | string)[]
}
type Results = Output<Api['approveWithdrawals']>['results']
/** The server takes no more at once. */
const AT_ONCE = 50

const nameOf = ({ amount, who }: Picked): string => `${formatMoney(amount)}, ${who}`
/** In whole paise, so that no float adds up rupees. */
const sumOf = (rows: readonly Picked[]): number => rows.reduce((paise, { amount }) => paise + Math.round(amount * 100), 0) / 100

export function usePicked<S extends string>() {
  const [picked, setPicked] = useState<ReadonlyMap<string, Picked<S>>>(new Map())
  return {
    picked,
    /** The checkbox of a row; nothing where the row cannot be approved now. */
    pickOf: (row: Picked<S> | undefined, label: string) =>
      row === undefined
        ? undefined
        : {
            label,
            isPicked: picked.has(row.id),
            onPick: (): void => {
              const next = new Map(picked)
              if (!next.delete(row.id) && next.size < AT_ONCE) next.set(row.id, row)
              setPicked(next)
            },
          },
    pickAll: (rows: readonly Picked<S>[]): void => setPicked(new Map(rows.slice(0, AT_ONCE).map((row) => [row.id, row]))),
    clear: (): void => setPicked(new Map()),
  }
}

type BatchProps<S extends string> = {
  readonly title: string
  readonly batch: ReturnType<typeof usePicked<S>>
  /** The rows of the list that can be selected. */
  readonly all: readonly Picked<S>[]
  readonly states: Readonly<Record<string, Shown | undefined>>
  readonly approvalAbove: number
  readonly send: (rows: { id: string; status: S; seen: string }[], idempotencyKey: string) => Promise<{ results: Results }>
}

/** The line above the list, the confirmation, and how each row ended. */
export function BatchApproval<S extends string>({ title, batch, all, states, approvalAbove, send }: BatchProps<S>) {
  const { t } = useLingui()
  const [asked, setAsked] = useState<readonly Picked<S>[]>()
  const [told, setTold] = useState<ToldProps>()
  const rows = [...batch.picked.values()]
  return (
    <>
      {all.length < 2 && rows.length === 0 ? null : (
        <Bar rows={rows} onAll={() => batch.pickAll(all)} onClear={batch.clear} onApprove={() => setAsked(rows)} />
      )}
      {asked === undefined ? null : (
        <Decision
          title={title}
          confirm={t`Approve all`}
          send={(_, idempotencyKey) =>
            send(
              asked.map(({ id, status, seen }) => ({ id, status, seen })),
              idempotencyKey,
            )
          }
          onDone={({ results }) => {
            batch.clear()
            setTold({ rows: asked, results, states, onClose: () => setTold(undefined) })
          }}
          onClose={() => setAsked(undefined)}
        >
          <Question rows={asked} approvalAbove={approvalAbove} />
        </Decision>
      )}
      {told === undefined ? null : <Told {...told} />}
    </>
  )
}

type BarProps = {
  readonly rows: readonly Picked[]
  readonly onAll: () => void
  readonly onClear: () => void
  readonly onApprove: () => void
}

function Bar({ rows, onAll, onClear, onApprove }: BarProps) {
  const { t } = useLingui()
  const sum = formatMoney(sumOf(rows))
  return (
    <div className="head-row spaced">
      <p className="muted" role="status">
        {rows.length === 0 ? (
          <Trans>Select rows to approve them together.</Trans>
        ) : (
          <Plural value={rows.length} one={`# selected, ${sum}`} other={`# selected, ${sum}`} />
        )}
      </p>
      <div className="buttons">
        {rows.length === 0 ? (
          <Button kind="quiet" onClick={onAll}>{t`Select all shown`}</Button>
        ) : (
          <>
            <Button kind="secondary" onClick={onApprove}>{t`Approve selected`}</Button>
            <Button kind="quiet" onClick={onClear}>{t`Clear selection`}</Button>
          </>
        )}
      </div>
    </div>
  )
}

function Question({ rows, approvalAbove }: { readonly rows: readonly Picked[]; readonly approvalAbove: number }) {
  const { i18n } = useLingui()
  const limit = formatMoney(approvalAbove)
  return (
    <>
      <p className="lead spaced">
        <b>{formatMoney(sumOf(rows))}</b>, <Plural value={rows.length} one="# row" other="# rows" />
      </p>
      <ul className="batch-rows">
        {rows.map((row) => (
          <li key={row.id}>
            {nameOf(row)}
            {row.warnings.map((warning) => {
              const words = typeof warning === 'string' ? warning : i18n._(warning)
              return (
                <span key={words} className="small warning-line">
                  {words}
                </span>
              )
            })}
          </li>
        ))}
      </ul>
      {sumOf(rows.filter(({ status }) => status === 'requested')) > approvalAbove ? (
        <p className="muted">
          <Trans>
            You can still decide {limit} alone in these 24 hours. The rows above it need a second approval before they are sent.
          </Trans>
        </p>
      ) : null}
    </>
  )
}

type ToldProps = {
  readonly rows: readonly Picked[]
  readonly results: Results
  readonly states: BatchProps<string>['states']
  readonly onClose: () => void
}

/** How each row ended. */
function Told({ rows, results, states, onClose }: ToldProps) {
  const { t, i18n } = useLingui()
  const refused = results.filter(({ code }) => code !== null).length
  return (
    <Modal
      open
      title={refused === 0 ? t`All decided` : t`Not all were approved`}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t`Close`}</Button>}
    >
      <ul className="batch-rows">
        {results.map(({ id, status, message }) => {
          const row = rows.find((one) => one.id === id)
          const label = status === null ? undefined : states[status]?.label
          return (
            <li key={id}>
              {row === undefined ? id : nameOf(row)}
              <span className={message === null ? 'small muted' : 'small warning-line'}>
                {message ?? (label === undefined ? status : i18n._(label))}
              </span>
            </li>
          )
        })}
      </ul>
    </Modal>
  )
}

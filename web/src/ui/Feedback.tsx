/** Stand-ins for content that is loading, empty or failed, and other small parts. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Art } from './Art.tsx'
import { Button } from './Button.tsx'

/** A spinner with a name for screen readers. */
export function Spinner({ page = false }: { readonly page?: boolean }) {
  return (
    <div className={page ? 'spinner page' : 'spinner'} role="status">
      <span className="wheel" />
      <span className="hidden">
        <Trans>Loading</Trans>
      </span>
    </div>
  )
}

/** Grey lines in place of loading content. Set `lines` to the expected number, so that the layout does not shift. */
export function Skeleton({ lines = 3, label }: { readonly lines?: number; readonly label?: string }) {
  const { t } = useLingui()
  return (
    <div className="ledger skeletons" aria-busy="true" aria-label={label ?? t`Loading`} role="group">
      {Array.from({ length: lines }, (_, index) => (
        <div key={index}>
          <span className="skeleton" />
          <span className="skeleton amount" />
        </div>
      ))}
    </div>
  )
}

/** A grey block in place of a figure or a picture. */
export function SkeletonBlock({ kind = 'line' }: { readonly kind?: 'line' | 'figure' | 'video' }) {
  return <span className={`skeleton ${kind}`} aria-busy="true" />
}

type EmptyProps = {
  /** The title of the empty state. */
  readonly title: string
  readonly art?: 'slip' | 'stack' | 'cut'
  readonly children?: ReactNode
  /** One next step. */
  readonly action?: ReactNode
}

export function EmptyState({ title, art = 'slip', children, action }: EmptyProps) {
  return (
    <div className="empty">
      <Art name={art} className="vignette" />
      <p className="empty-title">{title}</p>
      {children === undefined ? null : <p className="muted">{children}</p>}
      {action}
    </div>
  )
}

/** Content that could not be loaded, with a button to retry. */
export function ErrorState({
  title,
  onRetry,
  busy = false,
}: {
  readonly title: string
  readonly onRetry: () => void
  readonly busy?: boolean
}) {
  return (
    <div className="empty failed" role="alert">
      <p className="empty-title">{title}</p>
      <Button kind="secondary" busy={busy} onClick={onRetry}>
        <Trans>Retry</Trans>
      </Button>
    </div>
  )
}

type NotLoadedProps = {
  readonly query: { readonly isError: boolean; readonly isFetching: boolean; readonly refetch: () => unknown }
  /** The message that the data could not be loaded. */
  readonly failed: string
  /** The lines of the skeleton. */
  readonly lines: number
}

/** In place of a query's data: the skeleton while it loads, the error with a retry after a failure. */
export function NotLoaded({ query, failed, lines }: NotLoadedProps) {
  if (!query.isError) return <Skeleton lines={lines} />
  return <ErrorState title={failed} busy={query.isFetching} onRetry={() => void query.refetch()} />
}

type FactProps = { readonly label: ReactNode; readonly code?: boolean; readonly children: ReactNode }

/** A term with its value, inside a `dl`. */
export const Fact = ({ label, code = false, children }: FactProps) => (
  <div>
    <dt>{label}</dt>
    <dd>{code ? <code>{children}</code> : children}</dd>
  </div>
)

/** One figure with its name, inside `<StatTiles>`. While it loads, a grey block takes its place. */
export const StatTile = ({ label, children }: Omit<FactProps, 'code'>) => <Fact label={label}>{children ?? <SkeletonBlock />}</Fact>

export function StatTiles({ columns = 4, children }: { readonly columns?: 3 | 4; readonly children: ReactNode }) {
  return <dl className={columns === 3 ? 'tiles three' : 'tiles'}>{children}</dl>
}

/** A line of a `ledger` list: its words, and the amount on the right. */
export const LedgerItem = ({
  label,
  sum = false,
  children,
}: {
  readonly label: ReactNode
  readonly sum?: boolean
  readonly children: ReactNode
}) => (
  <li className={sum ? 'sum' : undefined}>
    <span>{label}</span>
    <span className="amount">{children}</span>
  </li>
)

/** Appends the next page of a list. */
export function LoadMore({ onClick, busy = false }: { readonly onClick: () => void; readonly busy?: boolean }) {
  return (
    <p className="load-more">
      <Button kind="secondary" busy={busy} onClick={onClick}>
        <Trans>Load more</Trans>
      </Button>
    </p>
  )
}

export type BadgeTone = 'good' | 'waiting' | 'bad' | 'plain' | 'live'
const TONES = { good: ' ok', waiting: ' wait', bad: ' no', plain: '', live: ' ok live' } as const satisfies Record<BadgeTone, string>

export function Badge({ tone = 'plain', children }: { readonly tone?: BadgeTone; readonly children: ReactNode }) {
  return <span className={`badge${TONES[tone]}`}>{children}</span>
}

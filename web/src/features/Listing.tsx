/** A list that comes page by page: while it loads, when it cannot be had, when it is empty, and its next page. */
import { useLingui } from '@lingui/react/macro'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { ErrorState, LoadMore, Skeleton } from '../ui/Feedback.tsx'

type ListingProps<Page, Item> = {
  readonly list: UseInfiniteQueryResult<InfiniteData<Page>>
  readonly itemsOf: (page: Page) => readonly Item[]
  /** Says that the list could not be loaded. */
  readonly failed: string
  readonly empty: ReactNode
  /** As many grey lines as items are to be expected. */
  readonly lines?: number
  /** `items`: those that are drawn so far; `all` that have come. */
  readonly children: (items: readonly Item[], all: readonly Item[]) => ReactNode
}

export function Listing<Page, Item>({ list, itemsOf, failed, empty, lines = 5, children }: ListingProps<Page, Item>) {
  // Who comes back to a list that is known finds the place where they were.
  const [isKnown] = useState(list.data !== undefined)
  if (list.data === undefined) {
    if (!list.isError) return <Skeleton lines={lines} />
    return <ErrorState title={failed} busy={list.isFetching} onRetry={() => void list.refetch()} />
  }
  const items = list.data.pages.flatMap(itemsOf)
  return (
    <>
      {items.length === 0 ? empty : <Items {...{ items, isKnown, children }} />}
      <NextPage list={list} />
    </>
  )
}

/** A screenful. */
const AT_ONCE = 6

type ItemsProps<Item> = {
  readonly items: readonly Item[]
  readonly isKnown: boolean
  readonly children: ListingProps<unknown, Item>['children']
}
/** The first at once, the others once the first are seen, in steps between which a slow phone goes on answering. */
function Items<Item>({ items, isKnown, children }: ItemsProps<Item>) {
  const isWhole = useDeferredValue(true, isKnown)
  return children(isWhole ? items : items.slice(0, AT_ONCE), items)
}

/** Load more, where there is more; a way on where it failed. */
function NextPage({ list }: { readonly list: UseInfiniteQueryResult<unknown> }) {
  const { t } = useLingui()
  if (list.isFetchNextPageError) {
    return (
      <ErrorState title={t`The next page could not be loaded.`} busy={list.isFetchingNextPage} onRetry={() => void list.fetchNextPage()} />
    )
  }
  return list.hasNextPage ? <LoadMore busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()} /> : null
}

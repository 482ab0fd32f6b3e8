/** A list that comes page by page: while it loads, when it cannot be had, when it is empty, and its next page. */
import { useLingui } from '@lingui/react/macro'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState, LoadMore, Skeleton } from '../ui/Feedback.tsx'

type ListingProps<Page, Item> = {
  readonly list: UseInfiniteQueryResult<InfiniteData<Page>>
  readonly itemsOf: (page: Page) => readonly Item[]
  /** Says that the list could not be loaded. */
  readonly failed: string
  readonly empty: ReactNode
  /** As many grey lines as items are to be expected. */
  readonly lines?: number
  readonly children: (items: readonly Item[]) => ReactNode
}

export function Listing<Page, Item>({ list, itemsOf, failed, empty, lines = 5, children }: ListingProps<Page, Item>) {
  if (list.data === undefined) {
    if (!list.isError) return <Skeleton lines={lines} />
    return <ErrorState title={failed} busy={list.isFetching} onRetry={() => void list.refetch()} />
  }
  const items = list.data.pages.flatMap(itemsOf)
  return (
    <>
      {items.length === 0 ? empty : children(items)}
      <NextPage list={list} />
    </>
  )
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

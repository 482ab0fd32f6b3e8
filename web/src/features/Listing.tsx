/** A paged list, with its loading, failed and empty states and its next page. */
import { useLingui } from '@lingui/react/macro'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useDeferredValue, useState } from 'react'
import { ErrorState, LoadMore, NotLoaded } from '../ui/Feedback.tsx'

export type ListingProps<Page, Item> = {
  readonly list: UseInfiniteQueryResult<InfiniteData<Page>>
  readonly itemsOf: (page: Page) => readonly Item[]
  /** The message that the list could not be loaded. */
  readonly failed: string
  /** An element: words alone would stand without their place. */
  readonly empty: ReactElement | null
  /** The number of skeleton lines: as many as the expected items. */
  readonly lines?: number
  /** `items` are those drawn so far, `all` those loaded. */
  readonly children: (items: readonly Item[], all: readonly Item[]) => ReactNode
}

export function Listing<Page, Item>({ list, itemsOf, failed, empty, lines = 5, children }: ListingProps<Page, Item>) {
  // A list from the cache is drawn whole at once, so that the browser can restore the scroll position.
  const [isKnown] = useState(list.data !== undefined)
  if (list.data === undefined) return <NotLoaded query={list} failed={failed} lines={lines} />
  const items = list.data.pages.flatMap(itemsOf)
  return (
    <>
      {items.length === 0 ? empty : <Items {...{ items, isKnown, children }} />}
      <NextPage list={list} />
    </>
  )
}

/** One screenful. */
const AT_ONCE = 6

type ItemsProps<Item> = {
  readonly items: readonly Item[]
  readonly isKnown: boolean
  readonly children: ListingProps<unknown, Item>['children']
}
/** Draws the first screenful at once and the rest in a deferred render, so that a slow phone stays responsive. */
function Items<Item>({ items, isKnown, children }: ItemsProps<Item>) {
  const isWhole = useDeferredValue(true, isKnown)
  return children(isWhole ? items : items.slice(0, AT_ONCE), items)
}

/** Shows "Load more" if there is a next page, and a retry after a failure. */
function NextPage({ list }: { readonly list: UseInfiniteQueryResult<unknown> }) {
  const { t } = useLingui()
  if (list.isFetchNextPageError) {
    return (
      <ErrorState title={t`The next page could not be loaded.`} busy={list.isFetchingNextPage} onRetry={() => void list.fetchNextPage()} />
    )
  }
  return list.hasNextPage ? <LoadMore busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()} /> : null
}

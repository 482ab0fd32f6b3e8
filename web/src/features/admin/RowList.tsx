/** A list of the portal: a row for each item. */
import type { ReactNode } from 'react'
import { EmptyState } from '../../ui/Feedback.tsx'
import { Listing, type ListingProps } from '../Listing.tsx'

type RowListProps<Page, Item> = Omit<ListingProps<Page, Item>, 'children' | 'empty'> & {
  /** What an empty list says; null where nothing is shown. */
  readonly empty: string | null
  /** More words below it. */
  readonly hint?: string | undefined
  readonly children: (item: Item) => ReactNode
}

export function RowList<Page, Item>({ empty, hint, children, ...list }: RowListProps<Page, Item>) {
  return (
    <Listing {...list} empty={empty === null ? null : <EmptyState title={empty}>{hint}</EmptyState>}>
      {(items) => <ul className="story-rows">{items.map((item) => children(item))}</ul>}
    </Listing>
  )
}

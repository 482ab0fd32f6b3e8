/** A list of the portal: a row for each item. */
import type { ReactNode } from 'react'
import { Listing, type ListingProps } from '../Listing.tsx'

type RowListProps<Page, Item> = Omit<ListingProps<Page, Item>, 'children'> & { readonly children: (item: Item) => ReactNode }

export function RowList<Page, Item>({ children, ...list }: RowListProps<Page, Item>) {
  return <Listing {...list}>{(items) => <ul className="story-rows">{items.map((item) => children(item))}</ul>}</Listing>
}

/** How many people the community's help has reached, below the figures of a screen. Nothing before the first. */
import { Plural } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { homeQuery } from './queries.ts'

export function PeopleHelped() {
  const people = useQuery(homeQuery).data?.data.helped.people ?? 0
  if (people === 0) return null
  return (
    <p className="muted under-button">
      <Plural value={people} one="Together we have helped # person or family." other="Together we have helped # people and families." />
    </p>
  )
}

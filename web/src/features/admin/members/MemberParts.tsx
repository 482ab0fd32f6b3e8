/** Shared by the parts of a member's page: the page's data, a part with its heading, and the line of an empty part. */
import { Trans } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import type { ReactNode } from 'react'

export type MemberView = Output<Api['adminUser']>

export function MemberPart({ title, children }: { readonly title: ReactNode; readonly children: ReactNode }) {
  return (
    <section className="member-part">
      <h3>{title}</h3>
      {children}
    </section>
  )
}

export function Nothing() {
  return (
    <p className="muted">
      <Trans>Nothing here yet.</Trans>
    </p>
  )
}

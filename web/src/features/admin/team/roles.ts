/** The words for staff roles. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import type { StaffRole } from '@roz/contract/roles.ts'

export const ROLE_WORDS = {
  owner: { name: msg`Owner`, may: msg`Everything, and the team itself` },
  finance: { name: msg`Finance`, may: msg`Withdrawals, refunds, the help fund and the rounds` },
  editor: { name: msg`Editor`, may: msg`Stories, people in need and the words of the site` },
  support: { name: msg`Support`, may: msg`Messages, and care of members` },
  auditor: { name: msg`Auditor`, may: msg`Reads everything and changes nothing` },
  volunteer: { name: msg`Volunteer`, may: msg`Only requests for help that are assigned to them` },
} as const satisfies Record<StaffRole, { readonly name: MessageDescriptor; readonly may: MessageDescriptor }>

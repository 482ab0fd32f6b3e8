/**
 * The staff roles, and the groups of roles that calls declare.
 * - docs/roles.txt is the same matrix, role by call, written and read by hand. roles.test.ts compares the two.
 */

export const STAFF_ROLES = ['owner', 'finance', 'editor', 'support', 'auditor', 'volunteer'] as const
export type StaffRole = (typeof STAFF_ROLES)[number]
export type Roles = readonly [StaffRole, ...StaffRole[]]

/** Everybody with an account in the portal: the account itself. */
export const EVERYONE = STAFF_ROLES satisfies Roles
/** The team: figures that name no person. A volunteer sees the requests for help that are assigned to them, and nothing else. */
export const STAFF = ['owner', 'finance', 'editor', 'support', 'auditor'] as const satisfies Roles
/** Reads of members' accounts and money. */
export const READERS = ['owner', 'finance', 'support', 'auditor'] as const satisfies Roles
/** Decisions about money. */
export const TREASURY = ['owner', 'finance'] as const satisfies Roles
/** Reads of the tax withheld from members. */
export const TAX_READERS = ['owner', 'finance', 'auditor'] as const satisfies Roles
/** Stories, beneficiaries and the words of the site. */
export const EDITORS = ['owner', 'editor'] as const satisfies Roles
/** The help fund: finance pays, an editor tells it. */
export const HELPERS = ['owner', 'finance', 'editor'] as const satisfies Roles
/** Requests for help: who may list them, and who takes care of one. Only a helper ends one or agrees to it. */
export const CASE_READERS = [...STAFF, 'volunteer'] as const satisfies Roles
export const CASE_WORKERS = [...HELPERS, 'support', 'volunteer'] as const satisfies Roles
/** Records of a request's outcome: its arrival and its follow-ups. */
export const CASE_WITNESSES = [...HELPERS, 'volunteer'] as const satisfies Roles
/** Care of a member: messages, notes, suspension and holds. */
export const CARE = ['owner', 'finance', 'support'] as const satisfies Roles
/** Reads for the books' own control. */
export const CONTROL = ['owner', 'auditor'] as const satisfies Roles
export const OWNERS = ['owner'] as const satisfies Roles

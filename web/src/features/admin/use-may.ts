/** Whether the signed-in administrator's role is one of these. It only hides a button that the server would refuse. */
import type { Roles, StaffRole } from '@roz/contract/roles.ts'
import { useSession } from '../../app/session.tsx'

export function useStaffRole(): StaffRole | null {
  const now = useSession()
  return now.status === 'admin' ? now.user.staffRole : null
}

/** The signed-in administrator's id; empty for anybody else. */
export function useViewerId(): string {
  const now = useSession()
  return now.status === 'admin' ? now.user.id : ''
}

export function useMay(roles: Roles): boolean {
  const role = useStaffRole()
  return role !== null && roles.includes(role)
}

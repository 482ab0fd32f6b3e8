/** The walk over the portal's figures, members, site and review list. */
import { expect } from 'vitest'
import type { Walk } from './walk.ts'

export async function walkPortal(walk: Walk, { admin, email }: { readonly admin: string; readonly email: string }): Promise<void> {
  expect((await walk.step('adminStats', { token: admin })).output).toMatchObject({
    totalUsers: 3,
    totalRevenue: 2,
    totalDonated: 1.2,
    todayParticipants: 2,
    todayRevenue: 2,
    activeRounds: 0,
  })
  const { figures } = (await walk.step('adminFigures', { token: admin, query: { days: '30' } })).output
  expect(figures.at(-1)).toMatchObject({ members: 3, joined: 2, pool: 2, setAside: 1.2 })
  expect(figures.at(-1)?.given).toBeLessThanOrEqual(1.2)
  const site = { people: '15,200', contributors: '11,000+', howItWorksVideo: '' }
  expect((await walk.step('editSite', { token: admin, body: site })).output.site).toEqual(site)
  expect((await walk.step('adminSite', { token: admin })).output.site).toEqual(site)
  expect((await walk.step('adminTodo', { token: admin })).output.todo.map(({ code }) => code)).not.toContain('audit')
  const all = (await walk.step('adminUsers', { token: admin })).output.users
  expect(all).toHaveLength(3)
  const table = (await walk.step('adminUsersCsv', { token: admin, query: { q: 'GITA' } })).text.split('\r\n')
  expect(table[1]).toContain(email)
  const found = (await walk.step('adminUsers', { token: admin, query: { q: 'GITA', limit: '1' } })).output.users
  expect(found.map((user) => [user.email, user.totalParticipated, user.walletBalance])).toEqual([[email, 1, expect.any(Number)]])
  const [shared] = (await walk.step('flags', { token: admin })).output.flags
  const reviewed = { isReviewed: true, count: shared?.count ?? 0, note: 'Two friends share a phone.' }
  const { flag } = (await walk.step('reviewFlag', { token: admin, params: { id: shared?.id ?? '' }, body: reviewed })).output
  expect(flag).toMatchObject({ id: shared?.id, isReviewed: true, note: reviewed.note })
}

/** The scenario of the portal's figures, members, site and review list. */
import { inEach } from '@roz/core/language.ts'
import { expect } from 'vitest'
import { readClock } from '../harness/people.ts'
import type { Scenario } from './scenario.ts'

export async function runPortal(scenario: Scenario, { admin, email }: { readonly admin: string; readonly email: string }): Promise<void> {
  expect((await scenario.step('adminStats', { token: admin })).output).toMatchObject({
    totalUsers: 3,
    totalRevenue: 2,
    totalDonated: 1.2,
    todayParticipants: 2,
    todayRevenue: 2,
    activeRounds: 0,
  })
  const { figures } = (await scenario.step('adminFigures', { token: admin, query: { days: '30' } })).output
  expect(figures.at(-1)).toMatchObject({ members: 3, joined: 2, pool: 2, setAside: 1.2 })
  expect(figures.at(-1)?.given).toBeLessThanOrEqual(1.2)
  const site = { people: '15,200', contributors: '11,000+', howItWorksVideo: '' }
  expect((await scenario.step('editSite', { token: admin, body: site })).output.site).toEqual(site)
  expect((await scenario.step('adminSite', { token: admin })).output.site).toEqual(site)
  await runAnnouncements(scenario, admin)
  expect((await scenario.step('adminTodo', { token: admin })).output.todo.map(({ code }) => code)).not.toContain('audit')
  const all = (await scenario.step('adminUsers', { token: admin })).output.users
  expect(all).toHaveLength(3)
  const table = (await scenario.step('adminUsersCsv', { token: admin, query: { q: 'GITA' } })).text.split('\r\n')
  expect(table[1]).toContain(email)
  const found = (await scenario.step('adminUsers', { token: admin, query: { q: 'GITA', limit: '1' } })).output.users
  expect(found.map((user) => [user.email, user.totalParticipated, user.walletBalance])).toEqual([[email, 1, expect.any(Number)]])
  const [shared] = (await scenario.step('flags', { token: admin })).output.flags
  const reviewed = { isReviewed: true, count: shared?.count ?? 0, note: 'Two friends share a phone.' }
  const { flag } = (await scenario.step('reviewFlag', { token: admin, params: { id: shared?.id ?? '' }, body: reviewed })).output
  expect(flag).toMatchObject({ id: shared?.id, isReviewed: true, note: reviewed.note })
  const query = { status: 'reviewed', q: shared?.members[0]?.name ?? '' }
  const flagged = (await scenario.step('flagsCsv', { token: admin, query })).text
  expect(flagged.split('\r\n')[1]).toContain(reviewed.note)
}

async function runAnnouncements(scenario: Scenario, token: string): Promise<void> {
  const startsAt = await readClock(scenario.roz.url)
  const endsAt = new Date(Date.parse(startsAt) + 3_600_000).toISOString()
  const words = { text: inEach(() => 'Adding money pauses tonight.'), link: '/wallet', startsAt, endsAt }
  const { announcement } = (await scenario.step('createAnnouncement', { token, body: words })).output
  const params = { id: announcement.id }
  const changed = (
    await scenario.step('updateAnnouncement', { token, params, body: { ...words, link: null, version: announcement.version } })
  ).output
  expect(changed.announcement).toMatchObject({ ...params, link: null, status: 'running' })
  const listed = (await scenario.step('announcements', { token, query: { status: 'running' } })).output.announcements
  expect(listed).toEqual([changed.announcement])
  const table = (await scenario.step('announcementsCsv', { token, query: { q: 'TONIGHT' } })).text
  expect(table.split('\r\n')[1]).toContain(`${announcement.id},running,`)
  const end = () => scenario.step('endAnnouncement', { token, params, body: { version: changed.announcement.version } })
  expect((await end()).output.announcement.status).toBe('over')
  expect((await end()).refusal.code).toBe('changed_since_seen')
}

/** The scenario of stories: a draft, its publication, its views, and the home page with it. By then the books contain two rounds' rupees. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Scenario } from './scenario.ts'

/** The smallest PNG: one black pixel. */
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

export function storyTests(stand: () => { readonly scenario: Scenario; readonly admin: string }): void {
  const scenario = (): Scenario => stand().scenario
  const admin = (): string => stand().admin
  let storyId = ''

  test('POST /impact/stories makes a draft that only the portal shows', async () => {
    const body = {
      title: 'Rice',
      description: 'For forty families.',
      charity: { name: 'Annapurna', description: 'A kitchen.' },
      videoUrl: 'https://youtu.be/dQw4w9WgXcQ',
    }
    const answer = await scenario().step('createStory', { token: admin(), body })
    expect(answer.status).toBe(200)
    expect(answer.output.story).toMatchObject({ ...body, isActive: false, views: 0, winnerInfo: null })
    storyId = answer.output.story.id
    expect((await scenario().step('stories', {})).output.stories).toEqual([])
    const all = (await scenario().step('storiesAdmin', { token: admin() })).output.stories
    expect(all.map((story) => story.charity.name).sort()).toEqual(['Annapurna', 'Pending Charity Selection'])
  })

  test('PUT /impact/stories/{id} publishes, edits and ignores read-only fields', async () => {
    const published = (await scenario().step('updateStory', { token: admin(), params: { id: storyId }, body: { isActive: true } })).output
      .story
    expect(published.isActive).toBe(true)
    const edited = await scenario().step('updateStory', {
      token: admin(),
      params: { id: storyId },
      body: { ...published, title: 'Rice and lentils', views: 900 },
    })
    expect(edited.output.story).toMatchObject({ title: 'Rice and lentils', views: 0, date: published.date })
    expect((await scenario().step('updateStory', { token: admin(), params: { id: randomUUID() }, body: { isActive: true } })).status).toBe(
      404,
    )
    expect((await scenario().step('stories', {})).output.stories.map((story) => story.title)).toEqual(['Rice and lentils'])
  })

  test('DELETE /impact/stories/{id} deletes a draft, and nothing that was published', async () => {
    const draft = await scenario().step('createStory', {
      token: admin(),
      body: { title: 'A mistake', description: 'Twice.', charity: { name: 'Annapurna', description: 'A kitchen.' } },
    })
    expect((await scenario().step('deleteStory', { token: admin(), params: { id: draft.output.story.id } })).status).toBe(204)
    const kept = await scenario().step('deleteStory', { token: admin(), params: { id: storyId } })
    expect([kept.status, kept.refusal.code]).toEqual([409, 'story_was_published'])
  })

  test('POST /impact/stories/{id}/poster stores a WebP that anyone can load', async () => {
    const form = new FormData()
    form.set('file', new Blob([PNG], { type: 'image/png' }), 'shoes.png')
    const { imageUrl } = (await scenario().step('uploadPoster', { token: admin(), params: { id: storyId }, form })).output.story
    const picture = await fetch(new URL(imageUrl ?? '', scenario().roz.url))
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp'])
  })

  test('POST /impact/stories/{id}/view counts once per address and day, in any browser', async () => {
    for (let time = 0; time < 3; time++)
      expect((await scenario().step('viewStory', { params: { id: storyId } })).output).toEqual({ views: 1 })
    const other = await scenario().step('viewStory', { params: { id: storyId }, headers: { 'user-agent': 'another browser' } })
    expect(other.output).toEqual({ views: 1 })
  })

  test('GET /public/home carries the figures and the published stories', async () => {
    const { data } = (await scenario().step('home', {})).output
    const today = { pool: 2, charity: 1.2, giveaway: 0.6, platform: 0.2 }
    expect(data.stats).toEqual({ totalCharity: 1.2, totalPeople: 2, rounds: 1, today })
    expect(data.recentImpacts.map((story) => story.id)).toEqual([storyId])
  })
}

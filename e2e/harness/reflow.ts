/** Finds text that is unreadable in a narrow window or with large letters. */
import type { Page } from 'playwright-core'
import { settle } from './browser.ts'

/**
 * Each text that is cut off: outside the window, outside a box that hides its overflow, or outside its button.
 * - Scrollable text, text with an ellipsis and text only for screen readers do not count.
 */
export async function cutTexts(page: Page): Promise<string[]> {
  await settle(page)
  return page.evaluate(() => {
    const SLACK_PX = 1.5
    const hides = (overflow: string): boolean => overflow === 'hidden' || overflow === 'clip'
    const scrolls = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll'
    const boxOf = (text: Text): DOMRect => {
      const range = document.createRange()
      range.selectNodeContents(text)
      return range.getBoundingClientRect()
    }
    /** The box that cuts the text off, or undefined. */
    function lostAt(text: Text): string | undefined {
      const box = boxOf(text)
      const sticksOut = (left: number, right: number): boolean => box.left < left - SLACK_PX || box.right > right + SLACK_PX
      for (let element = text.parentElement; element !== null && element !== document.body; element = element.parentElement) {
        const style = getComputedStyle(element)
        if (scrolls(style.overflowX) || style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none') return undefined
        const outer = element.getBoundingClientRect()
        if ((hides(style.overflowX) || element.matches('button, .button, .badge')) && sticksOut(outer.left, outer.right))
          return element.tagName.toLowerCase() + (element.className === '' ? '' : `.${element.className}`)
        const isCutBelow = hides(style.overflowY) && box.bottom > outer.bottom + SLACK_PX
        if (isCutBelow) return `the foot of ${element.tagName.toLowerCase()}.${element.className}`
        if (style.position === 'fixed') break
      }
      return sticksOut(0, document.documentElement.clientWidth) ? 'the window' : undefined
    }
    const found: string[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const text = node as Text
      const parent = text.parentElement
      if (
        parent === null ||
        text.data.trim() === '' ||
        parent.closest('svg, .hidden, .skip, script, style, noscript, template, option') !== null
      )
        continue
      if (!parent.checkVisibility()) continue
      const where = lostAt(text)
      if (where !== undefined) found.push(`“${text.data.trim().slice(0, 60)}” is cut by ${where}`)
    }
    return found
  })
}

/** Texts with smaller letters than that; drawings and the initials in an avatar have their own scale and are left out. */
export const smallTexts = (page: Page, atLeastPx: number): Promise<string[]> =>
  page.evaluate((leastPx) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const parent = node.parentElement
      if (parent === null || (node.nodeValue ?? '').trim() === '') continue
      if (parent.closest('svg, .avatar, script, style, noscript, template') !== null || !parent.checkVisibility()) continue
      const px = Number.parseFloat(getComputedStyle(parent).fontSize)
      if (px < leastPx) found.push(`“${(node.nodeValue ?? '').trim().slice(0, 60)}” has letters of ${px} px`)
    }
    return found
  }, atLeastPx)

/** All words of a page: text, labels, title and descriptions. For an open page, or for HTML. */
import type { Page } from 'playwright-core'

/** Runs in the browser. Text in a closed part counts, because a reader can open it; what has `hidden` does not. */
function textsIn(html: string | undefined): string[] {
  const from = html === undefined ? (document.cloneNode(true) as Document) : new DOMParser().parseFromString(html, 'text/html')
  const texts = [from.title]
  for (const meta of from.querySelectorAll('meta[name="description"], meta[property^="og:"]'))
    if (meta.getAttribute('property') !== 'og:url' && meta.getAttribute('property') !== 'og:image')
      texts.push(meta.getAttribute('content') ?? '')
  for (const script of from.querySelectorAll('script[type="application/ld+json"]')) texts.push(script.textContent)
  for (const unsaid of from.body.querySelectorAll('[hidden], script, style, template, svg defs')) unsaid.remove()
  for (const element of from.body.querySelectorAll('*')) {
    for (const name of ['aria-label', 'aria-description', 'placeholder', 'alt', 'title']) texts.push(element.getAttribute(name) ?? '')
    if (element.matches('p, li, dt, dd, h1, h2, h3, a, button, label, th, td, option, figcaption, legend, summary'))
      texts.push(element.textContent)
    else for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) texts.push(node.nodeValue ?? '')
  }
  return [...new Set(texts.map((text) => text.replace(/\s+/g, ' ').trim()))].filter((text) => text !== '')
}

/** The words of the open page. */
export const spokenOn = (page: Page): Promise<string[]> => page.evaluate(textsIn, undefined)

/** The words of this HTML, without its scripts. The open page only parses it. */
export const spokenIn = (page: Page, html: string): Promise<string[]> => page.evaluate(textsIn, html)

/**
 * The layout of every mail: a text part and an HTML part with the same content.
 * - Every value is escaped here, once.
 * - The colours match the site's light theme (web/src/ui/tokens.css).
 * - A mail contains no picture, no script, and no address but its one link and the link that ends such mails.
 */
export type MailWords = {
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly action?: { readonly label: string; readonly url: string }
  /** Small print below the link. */
  readonly after?: readonly string[]
  /** The link that ends such mails. */
  readonly stop?: { readonly label: string; readonly url: string }
  /** Support contact, below everything. */
  readonly footer?: string
}
type RenderedMail = { readonly subject: string; readonly text: string; readonly html: string }

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '')

/** Makes a text one line. Subjects and names pass here: a name with line breaks could add paragraphs of its own to our mail. */
export const onOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

export function renderMail(words: MailWords, language: string, brandName: string): RenderedMail {
  const after = words.after ?? []
  const footer = words.footer ?? ''
  const link = words.action === undefined ? [] : [`${words.action.label}:\n${words.action.url}`]
  const stop = words.stop === undefined ? [] : [`${words.stop.label}:\n${words.stop.url}`]
  const text = `${[...words.paragraphs, ...link, ...after, ...stop, `-- \n${brandName}${footer === '' ? '' : `\n${footer}`}`].join('\n\n')}\n`
  const paragraph = (line: string, style: string): string => `<p style="${style}">${escapeHtml(line).replaceAll('\n', '<br>')}</p>`
  const button =
    words.action === undefined
      ? ''
      : `<p style="margin:24px 0"><a href="${escapeHtml(words.action.url)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#b4470e;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(words.action.label)}</a></p>` +
        paragraph(words.action.url, 'margin:0 0 16px;font-size:13px;color:#65554a;word-break:break-all')
  const stopLink =
    words.stop === undefined
      ? ''
      : `<p style="margin:0 0 12px;font-size:14px"><a href="${escapeHtml(words.stop.url)}" style="color:#65554a">${escapeHtml(words.stop.label)}</a></p>`
  const html = `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light"><title>${escapeHtml(onOneLine(words.subject))}</title></head><body style="margin:0;padding:24px 16px;background:#f4e8d5;color:#231a15;font:16px/1.55 system-ui,-apple-system,'Noto Sans Devanagari',sans-serif;overflow-wrap:anywhere"><div style="max-width:520px;margin:0 auto;padding:24px;background:#fffaf1;border-radius:6px"><p style="margin:0 0 20px;font-size:18px;font-weight:700;color:#8a2a13">${escapeHtml(brandName)}</p>${words.paragraphs.map((line) => paragraph(line, 'margin:0 0 16px')).join('')}${button}${after.map((line) => paragraph(line, 'margin:0 0 12px;font-size:14px;color:#65554a')).join('')}${stopLink}${footer === '' ? '' : paragraph(footer, 'margin:20px 0 0;padding-top:12px;border-top:1px solid #e4d2b8;font-size:13px;color:#65554a')}</div></body></html>`
  return { subject: onOneLine(words.subject), text, html }
}

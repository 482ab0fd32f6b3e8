/** Outside production: shows the caught mails as a page (/dev/mail) and as JSON (/dev/mail.json?to=). */
import type { FastifyInstance } from 'fastify'
import { escapeHtml } from '../../mail/mail-layout.ts'
import type { CaughtMail, Catcher } from './catcher.ts'

const SHOWN_MAX = 100
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

type Asked = { Querystring: { to?: string | string[] } }
/** An empty field of the form means all mails; of several addresses the first counts. */
const addressOf = (to: string | string[] | undefined): string | undefined => (Array.isArray(to) ? to[0] : to)?.trim() || undefined

export function registerDevMail(app: FastifyInstance, catcher: Catcher): void {
  app.get<Asked>('/dev/mail.json', async (request, reply) => {
    const mails = await catcher.listCaught(addressOf(request.query.to))
    return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(JSON.stringify(mails))
  })
  app.get<Asked>('/dev/mail', async (request, reply) => {
    const to = addressOf(request.query.to)
    const mails = await catcher.listCaught(to)
    return reply
      .header('cache-control', 'no-store')
      .header('content-security-policy', POLICY)
      .type('text/html; charset=utf-8')
      .send(pageOf(mails, to ?? ''))
  })
}

const STYLE = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent)}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:46rem;padding:1.5rem 1rem 4rem}
h1{font-size:1.4rem;margin:0 0 .25rem}p{margin:.25rem 0}form{display:flex;gap:.5rem;margin:1rem 0;flex-wrap:wrap}
input,button{font:inherit;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.5rem;min-height:2.75rem;box-sizing:border-box}
input{flex:1;min-width:12rem}details{border:1px solid var(--line);border-radius:.75rem;margin:.75rem 0;padding:.75rem 1rem}
summary{cursor:pointer;overflow-wrap:anywhere}summary small,.faint{opacity:.75}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;margin:.75rem 0}a{overflow-wrap:anywhere}
iframe{width:100%;height:28rem;border:1px solid var(--line);border-radius:.5rem;background:#fff}`

function pageOf(mails: readonly CaughtMail[], to: string): string {
  const items = mails.slice(0, SHOWN_MAX).map(mailOf).join('')
  const more = mails.length > SHOWN_MAX ? `<p class="faint">The newest ${SHOWN_MAX} of ${mails.length} are shown here.</p>` : ''
  const none = mails.length === 0 ? '<p>No mail yet.</p>' : ''
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Caught mails</title><style>${STYLE}</style></head><body><main>
<h1>Caught mails</h1><p>Demo: nothing is sent from here. As data: <a href="/dev/mail.json${to === '' ? '' : `?to=${encodeURIComponent(to)}`}">mail.json</a></p>
<form method="get" action="/dev/mail" role="search"><input type="search" name="to" value="${escapeHtml(to)}" placeholder="Only mails to this address" aria-label="Only mails to this address"><button>Show</button></form>
${none}${items}${more}</main></body></html>`
}

function mailOf(mail: CaughtMail, index: number): string {
  const links = mail.links.map((link) => `<li><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></li>`).join('')
  // The mail's HTML is in a sandboxed frame: no script, no form, no access to our origin.
  return `<details${index === 0 ? ' open' : ''}><summary><b>${escapeHtml(mail.subject)}</b><br><small>to ${escapeHtml(mail.to)} · <time datetime="${mail.at}">${mail.at}</time></small></summary>
<ul>${links}</ul><pre>${escapeHtml(mail.text)}</pre><details><summary>As the mail program shows it</summary><iframe sandbox title="${escapeHtml(mail.subject)}" srcdoc="${escapeHtml(mail.html)}" loading="lazy"></iframe></details></details>`
}

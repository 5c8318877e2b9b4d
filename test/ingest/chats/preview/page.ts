/** Builds an invented preview page with the relevant parts. It has the form of recorded pages. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export type PagePost = Readonly<{
  id: number
  /** The body as HTML. */
  body: string
  atSec: number
  buttons?: readonly Readonly<{ text: string; url: string }>[]
  replyTo?: number
  forwardedFrom?: string
  isService?: boolean
}>

export const pageOf = (name: string, posts: readonly PagePost[]): string =>
  `<!DOCTYPE html><html><body><main class="tgme_main"><section class="tgme_channel_history js-message_history">${posts
    .map((post) => messageOf(name, post))
    .join('\n')}</section></main></body></html>`

function messageOf(name: string, post: PagePost): string {
  const { id, body, atSec, buttons = [], replyTo, forwardedFrom, isService } = post
  const reply =
    replyTo === undefined
      ? ''
      : `<a class="tgme_widget_message_reply" href="https://t.me/${name}/${replyTo}"><div class="tgme_widget_message_text js-message_reply_text" dir="auto">what was said before</div></a>`
  const forwarded =
    forwardedFrom === undefined
      ? ''
      : `<div class="tgme_widget_message_forwarded_from">Forwarded from <a class="tgme_widget_message_forwarded_from_name" href="https://t.me/${forwardedFrom}/7"><span dir="auto">Others</span></a></div>`
  const row = buttons.map(
    ({ text, url }) =>
      `<a class="tgme_widget_message_inline_button url_button" href="${url}" target="_blank"><span class="tgme_widget_message_inline_button_text" dir="auto">${text}</span></a>`,
  )
  return `<div class="tgme_widget_message_wrap js-widget_message_wrap"><div class="tgme_widget_message text_not_supported_wrap ${isService ? 'service_message ' : ''}js-widget_message" data-post="${name}/${id}" data-view="x">
<div class="tgme_widget_message_bubble">${forwarded}${reply}
<div class="tgme_widget_message_text js-message_text" dir="auto">${body}</div>
<div class="tgme_widget_message_footer compact js-message_footer"><div class="tgme_widget_message_info short js-message_info"><span class="tgme_widget_message_views">1.2K</span><span class="tgme_widget_message_meta"><a class="tgme_widget_message_date" href="https://t.me/${name}/${id}"><time datetime="${new Date(atSec * 1000).toISOString().replace('.000Z', '+00:00')}" class="time">10:00</time></a></span></div></div>
</div>${row.length === 0 ? '' : `<div class="tgme_widget_message_inline_keyboard"><div class="tgme_widget_message_inline_row">${row.join('')}</div></div>`}</div></div>`
}

export type Pages = Readonly<{ baseUrl: string; close(): void }>

/** Serves pages on the loopback interface. */
export async function servePages(respond: RequestListener): Promise<Pages> {
  const server = createServer(respond)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Parses the public preview page of a channel. Visitors without an account see the channel's newest posts on this page. */
import { type HTMLElement, type Node, NodeType, parse } from 'node-html-parser'
import type { ReadPost } from '../reader.ts'

/**
 * Returns the posts of a page. Returns null if the page shows no posts, because no such public channel exists
 * or its preview is off.
 */
export function readPage(html: string, name: string): readonly ReadPost[] | null {
  const page = parse(html, { comment: false, blockTextElements: { script: false, style: false, noscript: false } })
  const messages = page.querySelectorAll('.tgme_widget_message[data-post]')
  if (messages.length === 0 && page.querySelector('.tgme_channel_history') === null) return null
  return messages.flatMap((message) => readPost(message, name) ?? []).sort((left, right) => left.post - right.post)
}

/**
 * Returns the id of a public channel. The id contains the name, because the pages do not show the channel's
 * number.
 */
export const previewChatOf = (name: string): string => `@${name.toLowerCase()}`

const service = 'service_message'

/**
 * Reads one message of the page. Returns null if it has no number or no time, or is a notice of the platform.
 */
function readPost(message: HTMLElement, name: string): ReadPost | null {
  const post = postNumberIn(message.getAttribute('data-post'), name)
  const postedAtMs = Date.parse(message.querySelector('.tgme_widget_message_date time')?.getAttribute('datetime') ?? '')
  if (post === null || Number.isNaN(postedAtMs) || message.classList.contains(service)) return null
  const chat = previewChatOf(name)
  const forwarded = message.querySelector('.tgme_widget_message_forwarded_from_name')
  return {
    ...{ chat, chatName: name, post, poster: chat, posterName: null, postedAtMs },
    ...textOf(bodyOf(message)),
    buttons: message.querySelectorAll('.tgme_widget_message_inline_button').map((button) => ({
      text: button.text.trim(),
      url: button.getAttribute('href') ?? null,
      data: null,
    })),
    replyTo: numberIn(message.querySelector('.tgme_widget_message_reply')?.getAttribute('href')),
    // The page does not show the time of the forwarded original, so the time of this post is used.
    origin: forwarded && { chat: channelIn(forwarded.getAttribute('href')), postedAtMs },
  }
}

/**
 * Returns the post number from a text such as `name/41`. Returns null if the text is not a post number of
 * this channel. The platform counts posts from 1, in 32 bits.
 */
function postNumberIn(place: string | undefined, name: string): number | null {
  const [, channel, digits] = /^([^/]*)\/(\d{1,10})$/.exec(place ?? '') ?? []
  const post = Number(digits)
  return channel?.toLowerCase() === name.toLowerCase() && post >= 1 && post < 2 ** 31 ? post : null
}

/** Returns the number after the last slash of a link. Returns null if there is none. */
function numberIn(address: string | undefined): number | null {
  const digits = /\/(\d{1,15})(?:\?.*)?$/.exec(address ?? '')?.[1]
  return digits === undefined ? null : Number(digits)
}

function channelIn(address: string | undefined): string | null {
  const name = /^https:\/\/t\.me\/(\w+)/.exec(address ?? '')?.[1]
  return name === undefined ? null : previewChatOf(name)
}

/**
 * Finds the element with the text of the post. A quoted post has its own text element, which does not count. If the text is in two nested
 * elements, the inner one is returned.
 */
function bodyOf(message: HTMLElement): HTMLElement | null {
  const bodies = message
    .querySelectorAll('.tgme_widget_message_text')
    .filter((body) => !body.classList.contains('js-message_reply_text'))
    .filter((body) => body.closest('.tgme_widget_message_reply') === null)
  return bodies.find((body) => body.querySelector('.tgme_widget_message_text') === null) ?? null
}

type Marked = Pick<ReadPost, 'text' | 'entities'>

function textOf(body: HTMLElement | null): Marked {
  let text = ''
  const entities: { offset: number; length: number; url: string | null }[] = []
  const walk = (node: Node): void => {
    if (node.nodeType === NodeType.TEXT_NODE) text += node.text
    if (node.nodeType !== NodeType.ELEMENT_NODE) return
    const element = node as HTMLElement
    if (element.rawTagName.toLowerCase() === 'br') text += '\n'
    const offset = text.length
    for (const child of element.childNodes) walk(child)
    if (isMark(element) && text.length > offset)
      entities.push({ offset, length: text.length - offset, url: linkOf(element) })
  }
  for (const child of body?.childNodes ?? []) walk(child)
  return { text, entities: entities.sort((left, right) => left.offset - right.offset) }
}

const marks: readonly string[] = ['a', 'b', 'code', 'em', 'i', 'pre', 's', 'strong', 'tg-spoiler', 'u']

/** Whether the element marks a part of the text. The elements of a drawn emoji do not count. */
function isMark({ rawTagName, classList, parentNode }: HTMLElement): boolean {
  const isEmoji = classList.contains('emoji') || parentNode?.classList?.contains('emoji') === true
  return marks.includes(rawTagName.toLowerCase()) && !isEmoji
}

/** Returns the address of a link. Returns null for the link of a hashtag, which only starts a search. */
function linkOf(element: HTMLElement): string | null {
  const address = element.getAttribute('href')
  return address === undefined || !/^[a-z][a-z0-9+.-]*:/i.test(address) ? null : address
}

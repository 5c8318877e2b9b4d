/** What a browser gets instead of the page of a token. */
import { html, marked } from '../documents/html.ts'
import { renderPage } from '../documents/page.ts'

const pageOf = (title: string, text: string): string =>
  renderPage(
    `${title}: Launch Data Service`,
    html`<p><a href="/">Launch Data Service</a></p><h1>${title}</h1><p>${marked(text)}</p>`,
  )

export const noTokenPages = {
  unknown: pageOf(
    'No page of this token',
    'Only tokens that the [front page](/) names have a page: those with a burst in the last 24 hours, new ones, and those that chats named lately. For any other token, [buy an answer](/docs).',
  ),
  busy: pageOf('Busy', 'Too many pages of tokens are being made. Try again in some seconds.'),
} as const

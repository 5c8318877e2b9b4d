/** Numbers and times as texts of the front page. */
import { type Html, html } from '../documents/html.ts'

/** A return as a signed percentage, such as `+35 %` or `-20 %`. */
export const percentOf = (ret: number, digits = 0): string =>
  `${ret < 0 ? '-' : '+'}${Math.abs(ret * 100).toFixed(digits)} %`

/** A share as a percentage, such as `35 %`. */
export const shareOf = (share: number, digits = 0): string => `${(share * 100).toFixed(digits)} %`

export const shortOf = (token: string): string => `${token.slice(0, 6)}…${token.slice(-4)}`

/** The time of day in UTC, which the page's script replaces by an age. */
export const timeOf = (atMs: number): Html => {
  const iso = new Date(atMs).toISOString()
  return html`<time datetime="${iso}" title="${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC">${iso.slice(11, 19)} UTC</time>`
}

/** The token in short, as a link to its page. The button copies the whole address, which the title has too. */
export const tokenOf = (token: string): Html =>
  html`<span class="name"><a class="token" href="/tokens/${token}" title="${token}">${shortOf(token)}</a> <button class="copyit" type="button" data-copy="${token}" aria-label="Copy the address ${shortOf(token)}" title="Copy ${token}">copy</button></span>`

/** The day and the time of day in UTC. */
export const instantOf = (atMs: number): Html => {
  const iso = new Date(atMs).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

/** The same, which no script replaces by an age. */
export const exactOf = (atMs: number): Html => {
  const iso = new Date(atMs).toISOString()
  return html`<time class="exact" datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

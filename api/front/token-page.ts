/** The page of a token: its price line, the chats that named it, and its bursts. It is complete without scripts. */
import { type EpochMs, minuteMs } from '../../schemas/units.ts'
import { copyState } from '../documents/copy.ts'
import { type Html, html } from '../documents/html.ts'
import { renderPage } from '../documents/page.ts'
import { delayedMin } from '../record/delayed.ts'
import type { FrontBurst, FrontNamer, FrontPrices } from './parts.ts'
import { tokenStyle } from './style.ts'
import { exactOf, percentOf, shortOf, timeOf } from './texts.ts'
import type { TokenShown } from './tokens.ts'

/** A point of the line: the end of its minute, and the price as a multiple of the first price that is shown. */
type Point = Readonly<{ atMs: number; times: number }>

/** The number of prices in the table below the chart, the newest ones. */
const rowsMax = 60

export function renderTokenPage(shown: TokenShown, options: Readonly<{ script: string; isLive: boolean }>): string {
  const { token, chain, prices, bursts, namers } = shown
  const points = prices === null ? [] : pointsOf(prices, shown.blockAtMs)
  const title = `${shortOf(token)} on ${chain.wireName}`
  const body = html`<nav aria-label="Pages"><a href="/">Launch Data Service</a> · <a href="/docs">Documentation</a></nav>
<h1>${title}</h1>
<p><code>${token}</code> <button class="copyit" type="button" data-copy="${token}" aria-label="Copy the address" title="Copy the address">copy</button></p>
${prices?.name == null ? [] : html`<p>Its launch named it <q>${prices.name}</q>. Anyone can give any name.</p>`}
<p class="notice">${
    options.isLive
      ? html`This page shows the operator <strong>the newest data</strong>.`
      : html`This page is free and <strong>${delayedMin} minutes behind</strong>.`
  } Data as of ${timeOf(shown.atMs)}, newest block ${timeOf(shown.blockAtMs)}.</p>
<h2>Price of 24 hours</h2>${prices === null || points.length === 0 ? html`<p>The token had no trade.</p>` : priceSection(prices, { points, bursts, namers, blockAtMs: shown.blockAtMs })}
<h2>Chats that named it</h2>${namersSection(namers, points)}
<h2>Bursts of 24 hours</h2>${burstsSection(bursts)}
<h2>Newer data</h2><p>The newest prices, who can pull the liquidity and how such bursts ended are sold, one answer at a time: see <a href="/#h-pay">prices</a> and <a href="/docs">all answers</a>.</p>
${copyState}`
  const description = `${title}: price of 24 hours, the chats that named it, and its bursts, ${delayedMin} minutes behind.`
  return renderPage(`${title}: Launch Data Service`, body, { style: tokenStyle, script: options.script, description })
}

/** A minute that is not over ends with the newest block. */
const pointsOf = ({ points }: FrontPrices, blockAtMs: EpochMs): readonly Point[] => {
  const first = points[0]?.px ?? 1
  return points.map(({ minuteAtMs, px }) => ({ atMs: Math.min(minuteAtMs + minuteMs, blockAtMs), times: px / first }))
}

type OnLine = Pick<TokenShown, 'bursts' | 'namers' | 'blockAtMs'> & Readonly<{ points: readonly Point[] }>

function priceSection(prices: FrontPrices, { points, bursts, namers, blockAtMs }: OnLine): Html {
  const [first, last] = [points[0] as Point, points.at(-1) as Point]
  const highest = points.reduce((best, point) => (point.times > best.times ? point : best))
  const words = html`The last price is <strong>${timesOf(last.times)}</strong> of the first one, at ${exactOf(last.atMs)}. The highest was ${timesOf(highest.times)}, at ${exactOf(highest.atMs)}.`
  // The last price holds until the newest block.
  const drawn = last.atMs < blockAtMs ? [...points, { ...last, atMs: blockAtMs }] : points
  const line = [drawn.map(({ atMs }) => atMs / 1000), drawn.map(({ times }) => times)]
  const pins = [
    ...namers.map(({ atMs }, index) => ({ at: atMs / 1000, name: String(index + 1), kind: 'call' })),
    ...bursts.map(({ atMs }) => ({ at: atMs / 1000, name: '', kind: 'burst' })),
    ...(prices.poolFromMs === null ? [] : [{ at: prices.poolFromMs / 1000, name: 'pool', kind: 'pool' }]),
  ].filter(({ at }) => at * 1000 >= first.atMs && at * 1000 <= blockAtMs)
  return html`<p>${prices.market} ${words}</p>
${prices.areTradesMissing ? html`<p class="notice">Trades of this time are missing, so prices are missing too.</p>` : []}
<div id="line" role="img" aria-label="Price over time, as a multiple of the first price. The table below has the values." data-line="${JSON.stringify(line)}" data-pins="${JSON.stringify(pins)}"></div>
<ul class="key" id="line-key" hidden><li><b class="pin call">1</b> a chat named it</li><li><b class="pin burst"></b> burst</li>${prices.poolFromMs === null ? [] : html`<li><b class="pin pool"></b> the pool replaced the curve</li>`}</ul>
<details><summary>Prices as a table</summary>${rowsOf(points)}</details>`
}

function rowsOf(points: readonly Point[]): Html {
  const newest = points.slice(-rowsMax).reverse()
  const says =
    newest.length < points.length
      ? html`<p class="soft">The newest ${newest.length} of ${points.length} minutes with trades.</p>`
      : []
  return html`${says}<div class="wide" tabindex="0" role="region" aria-label="Table of prices"><table><thead><tr><th scope="col">End of the minute</th><th scope="col" class="number">Multiple of the first price</th></tr></thead><tbody>
${newest.map(({ atMs, times }) => html`<tr><td>${exactOf(atMs)}</td><td class="number">${timesOf(times)}</td></tr>`)}</tbody></table></div>`
}

function namersSection(namers: readonly FrontNamer[], points: readonly Point[]): Html {
  if (namers.length === 0) return html`<p>None in the last 48 hours.</p>`
  const last = points.at(-1)
  const moveOf = (atMs: number) => {
    const then = points.findLast((point) => point.atMs <= atMs)
    return then && last ? percentOf(last.times / then.times - 1) : '–'
  }
  return html`<p class="soft">Private chats have no name here. The move is from the last price before the first post to the last price on this page.</p>
<div class="wide" tabindex="0" role="region" aria-label="Table of chats"><table><thead><tr><th scope="col">Pin</th><th scope="col">Chat</th><th scope="col">First post</th><th scope="col" class="number">Posts</th><th scope="col" class="number">Move since</th></tr></thead><tbody>
${namers.map(({ chat, atMs, posts }, index) => html`<tr><td>${index + 1}</td><th scope="row">${chat ?? 'private chat'}</th><td>${exactOf(atMs)}</td><td class="number">${posts}</td><td class="number">${moveOf(atMs)}</td></tr>`)}</tbody></table></div>`
}

const burstsSection = (bursts: readonly FrontBurst[]): Html =>
  bursts.length === 0
    ? html`<p>None.</p>`
    : html`<div class="wide" tabindex="0" role="region" aria-label="Table of bursts"><table><thead><tr><th scope="col">Signal</th><th scope="col">Burst</th><th scope="col" class="number">Return, costs off</th></tr></thead><tbody>
${bursts.map(({ atMs, text, ret, isPulled }) => html`<tr><td>${exactOf(atMs)}</td><td>${text}${isPulled ? ', liquidity pulled' : ''}</td><td class="number">${ret === null ? 'not scored yet' : percentOf(ret)}</td></tr>`)}</tbody></table></div>`

/** A multiple of a price with three digits, such as `1.42 ×`. */
const timesOf = (times: number): string => `${times >= 100 ? times.toFixed(0) : times.toPrecision(3)} ×`

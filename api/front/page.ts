/** The front page for people, as HTML. It is complete without scripts. */

import type { EpochMs } from '../../schemas/units.ts'
import { copyState } from '../documents/copy.ts'
import { type Html, html, marked } from '../documents/html.ts'
import { renderPage } from '../documents/page.ts'
import { delayedMin } from '../record/delayed.ts'
import { burstChart, endsChart } from './charts.ts'
import { endsOf } from './ends.ts'
import { type Line, linesOf, namersOf } from './lines.ts'
import type { ChainInOverview, Overview } from './overview.ts'
import type { FrontCall, FrontColumn, FrontOfCalls, FrontToken } from './parts.ts'
import { type Priced, paySection } from './pay.ts'
import { frontStyle } from './style.ts'
import { percentOf, shareOf, timeOf, tokenOf } from './texts.ts'

/** A source and its newest data. `atMs`: the time of its newest block. Null: it has no data yet. */
export type SourceAge = Readonly<{
  name: string
  atMs: EpochMs | null
  isSimulated: boolean
  /** Series of missing trades of the last 24 h that stay missing. Null: the source has no trades, or it is not known. */
  gaps: number | null
}>

export type FrontPage = Readonly<{
  overview: Overview
  ages: readonly SourceAge[]
  priced: readonly Priced[]
  publicBaseUrl: string
  /** The chain to which the viewer has limited the page. Null: all chains. */
  chain: string | null
  /** Whether the page shows the newest data, for the operator only. */
  isLive: boolean
}>

const about =
  'Token launches as they happen: sudden buying, how it ended, who can pull the liquidity, which callers were right. Answers are paid for one by one in USDC. There are no keys and no accounts, and a failed call is never charged.'

export function renderFrontPage(page: FrontPage, script: string): string {
  const chains = page.overview.chains.filter(({ part }) => page.chain === null || part.wireName === page.chain)
  const calls =
    page.chain === null || page.overview.calls === null ? page.overview.calls : callsOf(page.overview.calls, page.chain)
  const shown = { ...page.overview, chains, calls }
  const body = html`${topSection(page)}
<h2>Launches</h2>
<div data-part="columns">${columnsSection(chains)}</div>
<div class="two">
<section aria-labelledby="h-bursts"><h2 id="h-bursts">Bursts of 24 hours</h2>
<p class="soft">A burst is sudden net buying. Each dot is one; its height is the inflow.</p>
<div data-part="bursts">${chains.map(burstSection)}${keyOfDots}</div></section>
<section aria-labelledby="h-tape"><h2 id="h-tape">Tape</h2>
<p class="soft">Bursts and calls${page.isLive ? '' : `, ${delayedMin} minutes after the service knew them`}. <span id="tape-state" aria-live="polite"></span></p>
<div id="tape-box" class="tapebox" tabindex="0" role="region" aria-label="Tape of bursts and calls"><ol class="tape" id="tape">
${linesOf(shown).map((line) => html`<li data-id="${line.id}">${lineOf(line)}</li>`)}</ol></div></section>
</div>
<section aria-labelledby="h-ends"><h2 id="h-ends">How bursts ended</h2><div class="two" data-part="ends">${chains.map(endsSection)}</div></section>
<div data-part="calls">${calls === null ? [] : callsSections(calls)}</div>
<section aria-labelledby="h-health"><h2 id="h-health">Data health</h2><div data-part="health">${healthTable(page.ages)}</div></section>
${paySection(page.priced, page.publicBaseUrl)}
${copyState}`
  return renderPage('Launch Data Service', body, { style: frontStyle, script, description: about })
}

const callsOf = (calls: FrontOfCalls, chain: string): FrontOfCalls => ({
  ...calls,
  calls: calls.calls.filter((call) => call.chain === chain),
})

function topSection({ overview, ages, chain, isLive }: FrontPage): Html {
  const names = overview.chains.map(({ part }) => part.wireName)
  return html`<header class="top"><h1>Launch Data Service</h1>
<nav aria-label="Pages"><a href="/docs">Documentation</a> <a href="/v1/sample">Sample (JSON)</a> <a href="/status">Data health</a> <a href="/v1/openapi.json">OpenAPI</a> <a href="#h-pay">Prices</a></nav></header>
<p>${about}</p>
${ages.some(({ isSimulated }) => isSimulated) ? html`<p class="notice"><strong>Simulated market.</strong> No chain is configured. Every token, trade and chat on this page is made up.</p>` : []}
<p class="notice">${
    isLive
      ? html`This page shows the operator <strong>the newest data</strong>.`
      : html`This page is free and <strong>${delayedMin} minutes behind</strong>. Newer data and all rows are sold.`
  } Overview of <span data-part="overview-time">${timeOf(overview.atMs)}</span>.</p>
<ul class="ages" data-part="ages">${overview.chains.map(({ part, cut }) => html`<li>${part.wireName}: ${cut === null ? 'nothing was known yet' : html`shown up to ${timeOf(cut.blockAtMs)}`}</li>`)}</ul>
${
  names.length < 2
    ? []
    : html`<nav aria-label="Chains" id="chains">Show: ${[null, ...names].map((name) => html`<a href="${name === null ? '/' : `/?chain=${encodeURIComponent(name)}`}"${{ html: name === chain ? ' aria-current="page"' : '' }}>${name ?? 'all chains'}</a> `)}</nav>`
}`
}

const columnsSection = (chains: readonly ChainInOverview[]): Html =>
  html`<div class="columns">${chains.flatMap(({ part, shown }) =>
    (shown?.columns ?? []).map((column) => columnOf(column, part.wireName)),
  )}</div>${chains.map(({ part, shown }) =>
    shown === null
      ? html`<p class="notice">Nothing of ${part.wireName} was known at the time of this overview. After a first start of the service, this page fills within ${delayedMin} minutes.</p>`
      : html``,
  )}`

const columnOf = ({ title, says, tokens }: FrontColumn, chain: string): Html =>
  html`<section aria-label="${title}, ${chain}"><h3>${title} <span class="tag">${chain}</span></h3><p class="facts">${says}</p>
<ol>${tokens.length === 0 ? html`<li class="facts">None at that time.</li>` : tokens.map(cardOf)}</ol></section>`

const cardOf = ({ token, atMs, facts, fill }: FrontToken): Html =>
  html`<li><div class="card">${tokenOf(token)}<span class="facts">${timeOf(atMs)}</span></div>
${fill === null ? [] : html`<div class="fill"><progress max="1" value="${fill.share.toFixed(3)}" aria-label="Curve ${shareOf(fill.share)} full"></progress>${shareOf(fill.share)}</div>`}
<div class="facts">${facts.join(' · ')}</div></li>`

const burstSection = ({ part: { wireName: chain, coin }, cut, shown }: ChainInOverview): Html =>
  cut === null || shown === null
    ? html``
    : html`<h3>${chain}: ${shown.bursts.length === 1 ? 'one burst' : `${shown.bursts.length} bursts`}</h3>${burstChart({ bursts: shown.bursts, untilMs: cut.blockAtMs, coin, chain })}`

const dotOf = (name: string): Html =>
  html`<svg viewBox="0 0 10 10" aria-hidden="true"><circle class="${name}" cx="5" cy="5" r="4"/></svg>`

const keyOfDots = html`<ul class="key"><li>${dotOf('won')}ended higher</li><li>${dotOf('lost')}ended lower</li><li>${dotOf('pulled')}liquidity pulled</li><li>${dotOf('open')}not scored yet</li></ul>`

export const lineOf = ({ atMs, chain, token, text }: Omit<Line, 'id'>): Html =>
  html`${timeOf(atMs)} <span class="tag">${chain}</span> ${tokenOf(token)} ${text}`

function endsSection({ part: { wireName: chain, endsAt }, shown }: ChainInOverview): Html {
  if (shown === null) return html``
  const ends = endsOf(shown.bursts)
  const { median, lost } = ends
  const of = (interval: readonly [number, number], text: (value: number) => string) =>
    `${text(interval[0])} to ${text(interval[1])}`
  return html`<div><h3>${chain}</h3>
<p>${
    median === null || lost === null
      ? 'No burst of the last 24 hours is scored yet.'
      : html`Of ${ends.n} scored bursts, <strong>${shareOf(lost.share)} lost</strong> (90 % interval ${of(lost.interval, shareOf)}). The median return was <strong>${percentOf(median.value)}</strong> (${of(median.interval, percentOf)}).${ends.pulled === 0 ? '' : ` The liquidity of ${ends.pulled} was pulled.`}`
  } ${ends.unscored} are not scored yet.</p>
${ends.n === 0 ? [] : endsChart(ends, chain)}
<p class="soft">Returns ${endsAt}, costs off. The intervals take bursts as independent; bursts of one token are not, so they are too narrow.</p></div>`
}

const callsSections = ({ board, calls }: FrontOfCalls): Html => html`<div class="two">
<section aria-labelledby="h-callers"><h2 id="h-callers">Callers</h2>${board === null ? html`<p>No board was made yet. It is made once an hour.</p>` : callersTable(board)}</section>
<section aria-labelledby="h-calls"><h2 id="h-calls">Tokens named in chats</h2><p class="soft">Private chats are only counted.</p>
<ol class="tape">${calls.length === 0 ? html`<li class="facts">None in the two hours before.</li>` : calls.map(callOf)}</ol></section></div>`

const callersTable = ({ callers, count, calls, rebuiltAtMs }: NonNullable<FrontOfCalls['board']>): Html =>
  html`<p class="soft">The first ${callers.length} of ${count} by the share of calls that reached +35 % before -20 % within an hour, shrunk by how little is known. ${calls} calls of 7 days, up to ${timeOf(rebuiltAtMs)}.</p>
<div class="wide" tabindex="0" role="region" aria-label="Table of callers"><table><thead><tr><th scope="col">Caller</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Reached +35 %</th><th scope="col" class="number">90 % interval</th><th scope="col" class="number">Fell 80 %</th></tr></thead><tbody>
${callers.map(
  ({ chat, id, calls: n, win, interval, rug }) =>
    html`<tr><th scope="row">${chat ?? 'private chat'} <code>${id}</code></th><td class="number">${n}</td><td class="number">${win === null ? '–' : shareOf(win)}</td><td class="number">${shareOf(interval[0])} to ${shareOf(interval[1])}</td><td class="number">${rug === null ? '–' : shareOf(rug)}</td></tr>`,
)}</tbody></table></div>`

function callOf(call: FrontCall): Html {
  const chats = call.chats.length + call.privateChats
  return html`<li><div class="card">${tokenOf(call.token)}<span class="facts">${timeOf(call.atMs)}</span></div>
<div class="facts"><span class="tag">${call.chain ?? 'no contract found'}</span> ${chats > 1 ? html`<span class="tag seen">${chats} chats</span> ` : []}named by ${namersOf(call)}${call.move === null ? '' : `, ${percentOf(call.move)} since`}</div></li>`
}

const healthTable = (ages: readonly SourceAge[]): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Table of sources"><table><thead><tr><th scope="col">Source</th><th scope="col">Newest data</th><th scope="col" class="number">Lasting gaps, 24 h</th></tr></thead><tbody>
${ages.map(({ name, atMs, gaps }) => html`<tr><th scope="row">${name}</th><td>${atMs === null ? 'none yet' : timeOf(atMs)}</td><td class="number">${gaps ?? '–'}</td></tr>`)}</tbody></table></div>
<p class="soft">${marked('This table is not delayed. [Data health](/status) has the gaps and the corrections. Each row of an answer says which trades are missing.')}</p>`

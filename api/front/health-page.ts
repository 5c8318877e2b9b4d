/** `/status`: how fresh and how complete the data is, for people. It shows what the free routes answer. */

import { type EpochMs, hourMs, secondMs } from '../../schemas/units.ts'
import { type Html, html } from '../documents/html.ts'
import { contentSecurityPolicyOf, renderPage } from '../documents/page.ts'
import { frontStyle } from './style.ts'
import { instantOf, shortOf } from './texts.ts'

/** The parts of the body of `/v1/health` that the page shows. */
type Health = Readonly<{
  status: string
  notice?: string
  chains: Readonly<
    Record<
      string,
      Readonly<{
        status: string
        dataAgeSec: number | null
        gaps24h?: Readonly<{
          open: number
          givenUp: number
          late: number
          undetectable: { markets: number; what: string }
        }>
      }>
    >
  >
}>

type Span = Readonly<{ from: EpochMs; to: EpochMs }>

/** The parts of the body of `/v1/coverage`. */
type Coverage = Readonly<{
  generatedAt: EpochMs
  chains: Readonly<
    Record<
      string,
      Readonly<{
        knownSince: EpochMs | null
        rules: readonly Readonly<{ version: string; since: EpochMs }>[]
        hours: readonly Readonly<{
          hour: EpochMs
          silent: readonly Span[]
          late: readonly Span[]
          unpriced: readonly Span[]
          tradeGaps: Readonly<{ open: number; givenUp: number; late: number }> | null
          chatGaps: readonly (Span & Readonly<{ chats: number; reason: string }>)[] | null
        }>[]
      }>
    >
  >
}>

/** The parts of the body of `/v1/restatements`. */
type Restatements = Readonly<{
  missingUntil: EpochMs | null
  restatements: readonly Readonly<{
    chain: string
    type: string
    token: string | null
    kind: string
    reason: string
    at: EpochMs
    knownAt: EpochMs
    changes: readonly Readonly<{ field: string }>[]
  }>[]
}>

/** The bodies of the free routes. Coverage and restatements are absent if no source has a record. */
export type HealthBodies = Readonly<{
  health(): Promise<object>
  coverage?: (() => Promise<object>) | undefined
  restatements?: (() => Promise<object>) | undefined
}>

export type HealthPage = Readonly<{ contentSecurityPolicy: string; html(): Promise<string> }>

/** The page is rendered at most once in this time, in ms, for all viewers. */
const keptMs = 20 * secondMs
const gapsShown = 60
const correctionsShown = 40

export function createHealthPage(bodies: HealthBodies, nowMs: () => EpochMs): HealthPage {
  let known: Readonly<{ atMs: EpochMs; page: Promise<string> }> | null = null
  return {
    contentSecurityPolicy: contentSecurityPolicyOf({ style: frontStyle }),
    html() {
      const atMs = Math.floor(nowMs() / keptMs) * keptMs
      if (known?.atMs === atMs) return known.page
      const entry = { atMs, page: render(bodies, nowMs()) }
      known = entry
      entry.page.catch(() => {
        if (known === entry) known = null
      })
      return entry.page
    },
  }
}

async function render({ health, coverage, restatements }: HealthBodies, nowMs: EpochMs): Promise<string> {
  const [now, hours, corrections] = await Promise.all([
    health() as Promise<Health>,
    (coverage?.() ?? Promise.resolve(null)) as Promise<Coverage | null>,
    (restatements?.() ?? Promise.resolve(null)) as Promise<Restatements | null>,
  ])
  const body = html`<p><a href="/">Launch Data Service</a></p><h1>Data health</h1>
${now.notice === undefined ? [] : html`<p class="notice">${now.notice}</p>`}
<p>${overallText(now)} This page is of ${instantOf(nowMs)}.</p>
<h2>Sources now</h2>${sourcesTable(now, nowMs)}
${hours === null ? [] : hoursSection(hours)}
${corrections === null ? [] : correctionsSection(corrections)}
<p>For programs: <a href="/v1/health">/v1/health</a>, <a href="/v1/coverage">/v1/coverage</a>, <a href="/v1/restatements">/v1/restatements</a>. The last two, and the lists of this page, are 15 minutes late.</p>`
  return renderPage('Data health: Launch Data Service', body, {
    style: frontStyle,
    description: 'How fresh and how complete the data of the Launch Data Service is: gaps, late data and corrections.',
  })
}

const statusTexts: Readonly<Record<string, string>> = {
  ok: 'All sources are fresh.',
  stale: 'At least one source is more than two minutes old. Routes that need it refuse to sell, and charge nothing.',
  warming_up: 'At least one source has no data yet. Routes that need it refuse to sell, and charge nothing.',
}

const overallText = ({ status }: Health): string => statusTexts[status] ?? status

function sourcesTable({ chains }: Health, nowMs: EpochMs): Html {
  const rows = Object.entries(chains).map(([name, { status, dataAgeSec, gaps24h }]) => [
    html`<th scope="row">${name}</th>`,
    html`<td>${status.replace('_', ' ')}</td>`,
    html`<td>${dataAgeSec === null ? 'none yet' : instantOf(nowMs - dataAgeSec * secondMs)}</td>`,
    html`<td>${gaps24h === undefined ? '–' : `${gaps24h.open} open, ${gaps24h.givenUp} stay missing, ${gaps24h.late} read too late`}</td>`,
    html`<td>${gaps24h === undefined ? '–' : `${gaps24h.undetectable.markets} markets. ${gaps24h.undetectable.what}`}</td>`,
  ])
  return table('Sources', ['Source', 'State', 'Newest data', 'Gaps in trades, 24 h', 'Not detected'], rows)
}

type Fault = Readonly<{ source: string; fromMs: EpochMs; toMs: EpochMs; what: string }>

function hoursSection(coverage: Coverage): Html {
  const faults = Object.entries(coverage.chains)
    .flatMap(([source, { hours }]) => joined(hours.flatMap((hour) => faultsOf(source, hour))))
    .sort((left, right) => right.fromMs - left.fromMs)
  const since = Object.entries(coverage.chains).map(([name, { knownSince, rules }]) => {
    const version = rules.at(-1)
    return html`<li>${name}: ${knownSince === null ? 'not known yet' : html`known since ${instantOf(knownSince)}`}${version === undefined ? '' : html`, rules ${version.version} since ${instantOf(version.since)}`}</li>`
  })
  const rows = faults
    .slice(0, gapsShown)
    .map(({ source, fromMs, toMs, what }) => [
      html`<th scope="row">${source}</th>`,
      html`<td>${instantOf(fromMs)}</td>`,
      html`<td>${instantOf(toMs)}</td>`,
      html`<td>${what}</td>`,
    ])
  return html`<h2>What was missing, 7 days</h2><ul>${since}</ul>
${faults.length === 0 ? html`<p>Nothing that the service knows of.</p>` : table('Missing data', ['Source', 'From', 'To', 'What'], rows)}
${faults.length > gapsShown ? html`<p class="soft">${faults.length - gapsShown} older entries are at <a href="/v1/coverage">/v1/coverage</a>.</p>` : []}`
}

/** Joins faults of one source that continue from hour to hour. `faults`: by hour, the oldest first. */
function joined(faults: readonly Fault[]): readonly Fault[] {
  const lasting = new Map<string, Fault>()
  const ended: Fault[] = []
  for (const fault of faults) {
    const before = lasting.get(fault.what)
    if (before !== undefined && before.toMs < fault.fromMs) ended.push(before)
    const isLonger = before !== undefined && before.toMs >= fault.fromMs
    lasting.set(fault.what, isLonger ? { ...before, toMs: Math.max(before.toMs, fault.toMs) } : fault)
  }
  return [...ended, ...lasting.values()]
}

type Hour = Coverage['chains'][string]['hours'][number]

function faultsOf(source: string, { hour, silent, late, unpriced, tradeGaps, chatGaps }: Hour): readonly Fault[] {
  const spansOf = (spans: readonly Span[], what: string) =>
    spans.map(({ from, to }): Fault => ({ source, fromMs: from, toMs: to, what }))
  const gaps = tradeGaps === null ? 0 : tradeGaps.givenUp + tradeGaps.open
  return [
    ...spansOf(silent, 'No data came. It is read later, as far as it is there.'),
    ...spansOf(late, 'Known more than two minutes late. The stream and the desk do not have it.'),
    ...spansOf(unpriced, 'The price of the coin was unknown or older than ten minutes.'),
    ...(chatGaps ?? []).map(
      ({ from, to, chats, reason }): Fault => ({
        ...{ source, fromMs: from, toMs: to },
        what: `Posts of ${chats} ${chats === 1 ? 'chat' : 'chats'}: ${chatReasons[reason] ?? reason}.`,
      }),
    ),
    ...(gaps === 0
      ? []
      : [
          { source, fromMs: hour, toMs: hour + hourMs, what: `${gaps} series of trades of single tokens are missing.` },
        ]),
  ]
}

const chatReasons: Readonly<Record<string, string>> = {
  offline: 'nothing was read',
  too_long: 'more was posted than can be read',
  refused: 'the chat denied access',
}

function correctionsSection({ missingUntil, restatements }: Restatements): Html {
  const newest = restatements.slice(-correctionsShown).reverse()
  const rows = newest.map(({ chain, type, token, kind, reason, at, knownAt, changes }) => [
    html`<td>${instantOf(knownAt)}</td>`,
    html`<td>${chain}</td>`,
    html`<td>${type} of ${instantOf(at)}</td>`,
    html`<td>${token === null ? '–' : html`<code title="${token}">${shortOf(token)}</code>`}</td>`,
    html`<td>${kind}, ${reason.replace('_', ' ')}</td>`,
    html`<td>${changes.map(({ field }) => field).join(', ') || '–'}</td>`,
  ])
  return html`<h2>Corrected rows</h2>
${newest.length === 0 ? html`<p>No published row was corrected, as far as the list reaches.</p>` : table('Corrections', ['Known', 'Chain', 'Row', 'Token', 'What', 'Fields'], rows)}
${missingUntil === null ? [] : html`<p class="soft">Corrections that were known before ${instantOf(missingUntil)} are not all listed. A replay of the log has them.</p>`}`
}

const table = (name: string, heads: readonly string[], rows: readonly (readonly Html[])[]): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${name}"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${rows.map((cells) => html`<tr>${cells}</tr>\n`)}</tbody></table></div>`

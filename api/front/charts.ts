/** The charts of the front page, as SVG with a text for screen readers. */

import { dayMs, type EpochMs, hourMs } from '../../schemas/units.ts'
import { type Html, html } from '../documents/html.ts'
import { binBounds, type Ends } from './ends.ts'
import type { FrontBurst } from './parts.ts'
import { percentOf, shortOf } from './texts.ts'

const [width, height] = [720, 150]
const [left, right, top, bottom] = [8, 8, 8, 20]

type TimeLine = Readonly<{ bursts: readonly FrontBurst[]; untilMs: EpochMs; coin: string; chain: string }>

/** The bursts of the last 24 h: time to the right, inflow upwards on a logarithmic scale, one dot each. */
export function burstChart({ bursts, untilMs, coin, chain }: TimeLine): Html {
  const fromMs = untilMs - dayMs
  const xOf = (atMs: number) => left + ((atMs - fromMs) / dayMs) * (width - left - right)
  const inflows = bursts.length === 0 ? [1] : bursts.map(({ inflow }) => inflow)
  const [low, high] = [Math.min(...inflows), Math.max(...inflows)]
  const spread = Math.log(high / low) || 1
  const yOf = (inflow: number) =>
    height - bottom - (Math.log(Math.max(inflow, low) / low) / spread) * (height - top - bottom)
  const hours = [24, 18, 12, 6, 0]
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${chain}: ${bursts.length} bursts of 24 hours by time and inflow, from ${low.toFixed(2)} to ${high.toFixed(2)} ${coin}">
${hours.map((ago) => {
  const x = xOf(untilMs - ago * hourMs).toFixed(1)
  const anchor = ago === 24 ? 'start' : ago === 0 ? 'end' : 'middle'
  return html`<line class="rule" x1="${x}" x2="${x}" y1="${top}" y2="${height - bottom}"/><text x="${x}" y="${height - 5}" text-anchor="${anchor}">${ago === 0 ? 'end of the data' : `${ago} h before`}</text>`
})}
<text x="${left + 4}" y="${top + 9}">${high.toFixed(1)} ${coin}</text><text x="${left + 4}" y="${height - bottom - 4}">${low.toFixed(1)} ${coin}</text>
${bursts.map(
  (burst) =>
    html`<circle class="${classOf(burst)}" cx="${xOf(burst.atMs).toFixed(1)}" cy="${yOf(burst.inflow).toFixed(1)}" r="3.5"><title>${shortOf(burst.token)} ${burst.text}; ${endOf(burst)}</title></circle>`,
)}
</svg>`
}

const classOf = ({ ret, isPulled }: FrontBurst): string => {
  if (isPulled) return 'pulled'
  if (ret === null) return 'open'
  return ret < 0 ? 'lost' : 'won'
}

const endOf = ({ ret, isPulled }: FrontBurst): string => {
  if (isPulled) return 'its liquidity was pulled'
  return ret === null ? 'not scored yet' : `ended at ${percentOf(ret)}`
}

/** The histogram of the returns of bursts. */
export function endsChart(ends: Ends, chain: string): Html {
  const most = Math.max(1, ...ends.bins)
  const step = (width - left - right) / ends.bins.length
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${chain}: how many of ${ends.n} bursts ended in each range of returns. ${ends.bins.map((count, index) => `${binName(index)}: ${count}`).join('; ')}">
${ends.bins.map((count, index) => {
  const size = (count / most) * (height - top - bottom - 12)
  const x = left + index * step
  return html`<rect class="${(binBounds[index] ?? 0) < 0 ? 'lost' : 'won'}" x="${(x + 2).toFixed(1)}" y="${(height - bottom - size).toFixed(1)}" width="${(step - 4).toFixed(1)}" height="${size.toFixed(1)}"/><text x="${(x + step / 2).toFixed(1)}" y="${(height - bottom - size - 3).toFixed(1)}" text-anchor="middle">${count}</text><text x="${(x + step / 2).toFixed(1)}" y="${height - 5}" text-anchor="middle">${binName(index)}</text>`
})}
</svg>`
}

function binName(index: number): string {
  const [from = 0, to] = [binBounds[index], binBounds[index + 1]]
  if (to === undefined) return `over ${percentOf(from)}`
  if (to === 0) return 'to 0 %'
  return index === 0 ? `under ${percentOf(to)}` : `to ${percentOf(to)}`
}

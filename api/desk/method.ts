/**
 * The field `method` of the answers about the paper desk, which simulates trades. It explains in words and
 * numbers how the desk opens, closes and scores its trades.
 */

import { z } from 'zod'
import { deskRules, type Lane } from '../../schemas/desk/rules.ts'
import { type DurationMs, minuteMs } from '../../schemas/units.ts'
import { described } from '../resource.ts'
import type { DeskPart } from './parts.ts'

const seconds = (ms: DurationMs) => `${ms / 1000} s`
const minutes = (ms: DurationMs) => `${ms / minuteMs} min`
/** Formats a ratio to the entry price as a change: 0.85 becomes `-15 %`. */
const change = (ratio: number) => `${ratio < 1 ? '' : '+'}${Math.round((ratio - 1) * 100)} %`

const signalOf = ({ entry }: Lane): string => {
  if (entry.signal === 'call')
    return entry.chats === 1 ? 'the first call' : `the call with which ${entry.chats} chats named the token`
  const kinds = [entry.tiers?.join(' or '), entry.shapes && `of shape ${entry.shapes.join(' or ')}`]
  const fill = entry.fillMax === null ? '' : ` with the curve at most ${entry.fillMax * 100} % full`
  return `a burst${kinds
    .filter(Boolean)
    .map((kind) => ` ${kind}`)
    .join('')}${fill}`
}

const textOf = (lane: Lane): string => {
  const { stopRatio, takeProfitRatio, trailFromRatio, trailRatio, timeMs } = lane.exit
  return `enters on ${signalOf(lane)}; stop ${change(stopRatio)}, take-profit ${change(takeProfitRatio)}, from ${change(trailFromRatio)} on a trail of ${change(trailRatio)} from the high, ${minutes(timeMs)} at most`
}

const tradingMethod = {
  signal: `A burst: its own instant. A call: when this service knew which token the post names, if that was within ${seconds(deskRules.knownWithinMs)} of the post.`,
  fill: `The price in force ${seconds(deskRules.fillDelayMs)} after the service knew of the signal; a signal that it knew more than ${seconds(deskRules.knownWithinMs)} late is not traded. A fixed stake; a lane holds one position of a token at a time. No impact of its own is counted.`,
  exits:
    'Judged at every trade of the market, in the order rug, stop, trail, take-profit; at the price of the trade, so a gap fills at the worse price. A rug (at most 20% of the liquidity at the fill is left) scores -1 less the costs. Curve complete: graduated, at its last price. Time: at the last price.',
  record: `Trades opened and closed at prices of the moment: what the log learned more than ${seconds(deskRules.knownWithinMs)} late, from a backfill or after an outage, is left out. Random twins never appear here.`,
} as const

export const methodOf = (parts: readonly Pick<DeskPart, 'chainName' | 'desk'>[]) => ({
  ...tradingMethod,
  costs: Object.fromEntries(parts.map(({ chainName, desk }) => [chainName, desk.costRatio])),
  lanes: Object.fromEntries(
    parts.map(({ chainName, desk }) => [
      chainName,
      Object.fromEntries(desk.lanes.map((lane) => [lane.name, `${lane.book}: ${textOf(lane)}`])),
    ]),
  ),
})

export const methodFields = {
  signal: z.string(),
  fill: z.string(),
  exits: z.string(),
  record: z.string(),
  costs: z.record(z.string(), z.number()),
  lanes: z.record(z.string(), z.record(z.string(), z.string())),
}

export const methodSchema = described(
  'now',
  z.strictObject(methodFields),
  'How it trades, by chain and lane; `costs` are deducted from every return.',
)

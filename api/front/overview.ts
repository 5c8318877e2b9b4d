/**
 * Computes what the front page shows. For the public it is what was known 15 minutes ago, because newer data is sold. It
 * is computed at most once per `gridMs`, and only if somebody looks, so viewers do not raise its cost.
 */
import type { Cut, Cuts, StageCut } from '../../projections/cuts.ts'
import { type DurationMs, type EpochMs, secondMs } from '../../schemas/units.ts'
import { delayedCut, onceDelayed } from '../record/delayed.ts'
import type { Answers } from '../sale/answers.ts'
import type { ApiSource } from '../source.ts'
import type { FrontCallsPart, FrontOfCalls, FrontOfChain, FrontPart } from './parts.ts'

export type ChainInOverview = Readonly<{
  part: Omit<FrontPart, 'answer'>
  /** The newest block of the shown data. Null: nothing was known of the chain then. */
  cut: StageCut | null
  shown: FrontOfChain | null
}>

export type Overview = Readonly<{
  /** The time for which the overview was computed. */
  atMs: EpochMs
  chains: readonly ChainInOverview[]
  /** Null: there are no chats, or nothing was known of them then. */
  calls: FrontOfCalls | null
  /** The time of the calls. Null: there are no chats, or nothing was known of them then. */
  callsCut: Cut | null
}>

export type OverviewContext = Readonly<{
  sources: readonly Pick<ApiSource, 'stage' | 'front'>[]
  calls: FrontCallsPart | null
  answers: Pick<Answers, 'newestCut'>
  cuts: Pick<Cuts, 'at'>
  nowMs: () => EpochMs
}>

/** The interval, in ms, at which the overview of the public is computed. */
export const gridMs: DurationMs = 20 * secondMs
/** The interval, in ms, at which the overview of the operator is computed. */
const liveGridMs: DurationMs = 5 * secondMs

/** Returns a function that returns the overview as it was known 15 minutes ago. */
export const createDelayedOverview = (context: OverviewContext): (() => Promise<Overview>) =>
  onceDelayed(gridMs, (atMs) => overviewAt(context, atMs), context)

/** Returns a function that returns the newest overview, for the operator. */
export const createLiveOverview = (context: OverviewContext): (() => Promise<Overview>) =>
  onceDelayed(liveGridMs, (atMs) => overviewAt(context, atMs), { nowMs: context.nowMs, delayMs: 0 })

/** Computes the overview of what was known at `atMs`. If the newest data is older, it is the overview of the newest data. */
async function overviewAt(context: OverviewContext, atMs: EpochMs): Promise<Overview> {
  const chains = context.sources.flatMap(({ stage, front }) => (front === undefined ? [] : [{ stage, front }]))
  const [found, [callsCut, calls]] = await Promise.all([
    Promise.all(
      chains.map(async ({ stage, front: { answer, ...part } }): Promise<ChainInOverview> => {
        const cut = await delayedCut(stage, atMs, context)
        return { part, cut, shown: cut && (await answer(cut)) }
      }),
    ),
    callsAt(context, atMs),
  ])
  return { atMs, chains: found, calls, callsCut }
}

type CallsThen = readonly [cut: Cut | null, calls: FrontOfCalls | null]

async function callsAt({ calls, answers, cuts }: OverviewContext, atMs: EpochMs): Promise<CallsThen> {
  if (calls === null) return [null, null]
  const newest = await answers.newestCut(calls.stages)
  if (newest === null) return [null, null]
  const cut: Cut | null = newest.atMs <= atMs ? newest : await cuts.at(atMs, calls.stages)
  return [cut, cut && (await calls.answer(cut))]
}

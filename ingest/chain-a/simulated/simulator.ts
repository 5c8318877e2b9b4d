/**
 * A simulated chain A with its senders, owners and price. It is seeded and stateless, so every reader sees the same
 * chain.
 */

import { setImmediate, setTimeout } from 'node:timers/promises'
import { OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import { type DurationMs, dayMs, type EpochMs, minuteMs } from '../../../schemas/units.ts'
import { createPriceLookup } from '../../prices/price-lookup.ts'
import type { MarketRates } from '../../simulated/market/rates.ts'
import { simulatedPrice } from '../../simulated/price.ts'
import type { PriceReader } from '../../source.ts'
import { chainADefinition } from '../definition.ts'
import { createOwnersLookup, type OwnerReader } from '../lookups/owners.ts'
import { createPrecallSendersLookup } from '../lookups/precall-senders.ts'
import { createSendersLookup, type SenderReader } from '../lookups/senders.ts'
import type { ChainA, ChainARange, KnownAddresses, TokenFact } from '../types.ts'
import { blockHashAt, blockNumberAt, branchHashAt, createWallets, secondOfBlock, senderOf } from './identities.ts'
import { type Label, labelsOf } from './labels.ts'
import { type MarketStart, replayMarket } from './market.ts'
import { createOwnerReader } from './owners.ts'
import { type Market, marketOf } from './plan.ts'
import { type ReorgPlan, reorgFrom, replacedFacts } from './reorgs.ts'
import { createPrices } from './steps.ts'
import { storyOf } from './stories.ts'

export type SimulatorOptions = Readonly<{
  seed: number
  nowMs(): EpochMs
  /** Resolves early or rejects when the signal aborts. */
  sleep?(delayMs: DurationMs, signal: AbortSignal): Promise<unknown>
  /** With 500 or more, a new burst fires in every 5 minutes. Fewer launches leave longer gaps. */
  launchesPerDay?: number
  /** What becomes of the liquidity. */
  rates?: Partial<MarketRates>
  /** How long before now a new log begins. Default: one day. */
  lookBackMs?: DurationMs
  /** Seconds of the past in one range. */
  rangeSec?: number
  /** For benchmarks: sends only this span (whole seconds, half-open), as fast as the caller reads. */
  span?: Readonly<{ fromMs: EpochMs; toMs: EpochMs }>
  /** For tests. Default: no reorgs. */
  reorgs?: ReorgPlan
}>

export type Simulator = ChainA &
  Readonly<{
    readSenders: SenderReader
    readOwners: OwnerReader
    readPrice: PriceReader
    /** Whether there is a contract at the address: only for tokens of this market that exist by now. */
    hasCode(address: string): Promise<boolean>
    /** What was planned for `[fromMs, toMs)`. Not part of the facts. */
    labelsOf(fromMs: EpochMs, toMs: EpochMs): readonly Label[]
  }>

/** The longest single wait. The clock may be set back by days, and a timer that long would fire at once. */
const waitMsMost = minuteMs

/** One block a second. Deterministic for one version of Node, because amounts use its logarithms. */
export function createSimulator(options: SimulatorOptions): Simulator {
  const { seed, nowMs } = options
  const market = marketOf(options)
  const world = { seed, walletAt: createWallets(seed) }
  const readOwners = createOwnerReader(market, world)
  const readSenders: SenderReader = async (txHashes) =>
    new Map(
      txHashes.flatMap((txHash) => {
        const sender = senderOf(seed, txHash)
        return sender === null ? [] : [[txHash, sender] as const]
      }),
    )
  return {
    ...chainADefinition,
    source: {
      kind: 'simulated',
      ranges: (cursor, { book }, signal) => rangesFrom(market, options, { cursor, book, signal }),
    },
    readSenders,
    readOwners,
    lookups: [
      createSendersLookup(readSenders),
      createPrecallSendersLookup(readSenders),
      createOwnersLookup(readOwners),
      createPriceLookup(createPrices(market, world), { knowsPast: true }),
    ],
    readPrice: async () => simulatedPrice({ seed, aroundUsd: 3000 }, nowMs()),
    hasCode: async (address) =>
      (storyOf(market, address, world)?.createdAtSec ?? Number.POSITIVE_INFINITY) * 1000 <= nowMs(),
    labelsOf: (fromMs, toMs) => labelsOf(market, fromMs, toMs),
  }
}

type Start = Readonly<{ cursor: Block | null; book: KnownAddresses; signal: AbortSignal }>

async function* rangesFrom(market: Market, options: SimulatorOptions, start: Start): AsyncGenerator<ChainARange> {
  const { nowMs, sleep = sleepOnTimer, rangeSec = 120, lookBackMs = dayMs, span, reorgs } = options
  const { cursor, book, signal } = start
  if (cursor !== null) assertOurBlock(market.seed, cursor)
  const startMs = span?.fromMs ?? nowMs() - lookBackMs
  let fromSec = cursor === null ? firstSecond(startMs, reorgs) : secondOfBlock(cursor.number) + 1
  const recentSec = cursor === null ? fromSec : fromSec - (reorgs?.depthMax ?? 0)
  const replay = startReplay(market, reorgs, { fromSec: recentSec, newFromSec: fromSec, book })
  replay.factsTo(fromSec - 1)
  if (cursor !== null) yield* replay.reorgAfter(cursor)
  while (!signal.aborted) {
    const lastSec = span === undefined ? Math.floor(nowMs() / 1000) : Math.ceil(span.toMs / 1000) - 1
    if (fromSec <= lastSec) {
      const toSec = Math.min(lastSec, fromSec + rangeSec - 1, replay.lastSecBeforeReorg(fromSec))
      const head = headerAt(market.seed, toSec)
      yield { fromBlock: blockNumberAt(fromSec), head, ...replay.factsTo(toSec) }
      yield* replay.reorgAfter(head)
      fromSec = toSec + 1
      // Ranges of the past follow each other without a pause. Here the event loop gets to its other work.
      await setImmediate()
    } else if (span === undefined) await sleep(Math.min(fromSec * 1000 - nowMs(), waitMsMost), signal)
    else return
  }
}

/** Moves the start to after a reorg that would otherwise reach back before it. */
function firstSecond(startMs: EpochMs, reorgs: ReorgPlan | undefined): number {
  const second = Math.floor(startMs / 1000)
  if (!reorgs) return second
  const next = reorgFrom(reorgs, second)
  return next.fromSec > second ? second : next.atSec + 1
}

/** The market from a second on, with the recent facts that a reorg may replace. */
function startReplay(market: Market, reorgs: ReorgPlan | undefined, start: MarketStart) {
  const depthMax = reorgs?.depthMax ?? 0
  const happenedTo = replayMarket(market, start)
  let recent: readonly TokenFact[] = []
  const factsTo = (toSec: number) => {
    const happened = happenedTo(toSec)
    const since = (toSec - depthMax) * 1000
    if (reorgs) recent = [...recent, ...happened.facts].filter(({ fact }) => fact.data.blockAtMs > since)
    return happened
  }
  return {
    factsTo,
    lastSecBeforeReorg: (second: number) => (reorgs ? reorgFrom(reorgs, second).atSec : Number.POSITIVE_INFINITY),
    /** The range that replaces the last blocks up to this one, if a reorg is planned for it. */
    *reorgAfter({ number, hash }: Block): Generator<ChainARange> {
      const atSec = secondOfBlock(number)
      const reorg = reorgs && reorgFrom(reorgs, atSec)
      if (reorg?.atSec !== atSec || hash !== blockHashAt(market.seed, atSec)) return
      const fromBlock = blockNumberAt(reorg.fromSec)
      const replaced = recent.filter(({ fact }) => fact.data.blockNumber >= fromBlock)
      const head = { number, hash: branchHashAt(market.seed, atSec), atMs: atSec * 1000 }
      yield {
        revertedFrom: fromBlock,
        fromBlock,
        head,
        facts: replacedFacts(market.seed, reorg, replaced),
        newAddresses: [],
      }
    },
  }
}

/** Refuses to continue the log of another seed or of a real chain. */
function assertOurBlock(seed: number, cursor: Block): void {
  const second = secondOfBlock(cursor.number)
  const expected = blockHashAt(seed, second)
  if (cursor.hash === expected || cursor.hash === branchHashAt(seed, second)) return
  throw new OperationError(
    'chain_mismatch',
    'the log was not written from this simulated chain; its seed may have changed',
    {
      context: { blockNumber: cursor.number, logHash: cursor.hash, simulatorHash: expected },
    },
  )
}

const headerAt = (seed: number, second: number): Block => ({
  number: blockNumberAt(second),
  hash: blockHashAt(seed, second),
  atMs: second * 1000,
})

/** An abort ends the wait without an error. */
async function sleepOnTimer(delayMs: DurationMs, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(delayMs, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

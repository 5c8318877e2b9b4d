/**
 * Simulates chain A, including the senders of transactions, the owners of position NFTs and the ETH price.
 * The simulated data depends only on the seed. The simulator stores no state, so every reader gets the same
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
  /** Waits for `delayMs`. If the signal aborts, the promise resolves early or rejects. */
  sleep?(delayMs: DurationMs, signal: AbortSignal): Promise<unknown>
  /**
   * The number of launches per day. With 500 or more, a new burst (a group of buys within seconds) comes in
   * every 5 minutes. With fewer, some of these intervals have no new burst.
   */
  launchesPerDay?: number
  /** The rates of simulated events that replace the default rates. */
  rates?: Partial<MarketRates>
  /**
   * The time by which the first simulated block lies before now, if nothing has been recorded yet. Default:
   * one day.
   */
  lookBackMs?: DurationMs
  /** The number of seconds of past blocks that the simulator yields at a time. */
  rangeSec?: number
  /**
   * Limits the chain to this half-open span of whole seconds. The simulator then yields the blocks as fast as
   * the caller reads them. Used in benchmarks.
   */
  span?: Readonly<{ fromMs: EpochMs; toMs: EpochMs }>
  /** The reorgs of the simulated chain. Only tests set this option. Default: none. */
  reorgs?: ReorgPlan
}>

export type Simulator = ChainA &
  Readonly<{
    readSenders: SenderReader
    readOwners: OwnerReader
    readPrice: PriceReader
    /**
     * Returns whether the address has a contract. The result is true only for simulated tokens that have been
     * created by now.
     */
    hasCode(address: string): Promise<boolean>
    /**
     * Returns the events that the simulator planned for `[fromMs, toMs)`, such as bursts. The simulated data
     * does not contain these plans.
     */
    labelsOf(fromMs: EpochMs, toMs: EpochMs): readonly Label[]
  }>

/**
 * The maximum duration of a single wait. If the clock is set back by days, the time until the next block can
 * be very long. A timer of Node with more than 24 days fires at once.
 */
const waitMsMost = minuteMs

/**
 * Creates the simulator. The chain has one block per second. Another version of Node may give another chain,
 * because the amounts depend on Node's logarithm function.
 */
export function createSimulator(options: SimulatorOptions): Simulator {
  const { seed, nowMs } = options
  const market = marketOf(options)
  const identities = { seed, walletAt: createWallets(seed) }
  const readOwners = createOwnerReader(market, identities)
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
      createPriceLookup(createPrices(market, identities), { knowsPast: true }),
    ],
    readPrice: async () => simulatedPrice({ seed, aroundUsd: 3000 }, nowMs()),
    hasCode: async (address) =>
      (storyOf(market, address, identities)?.createdAtSec ?? Number.POSITIVE_INFINITY) * 1000 <= nowMs(),
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
      // Past blocks are yielded without a pause. This call lets the event loop do other work.
      await setImmediate()
    } else if (span === undefined) await sleep(Math.min(fromSec * 1000 - nowMs(), waitMsMost), signal)
    else return
  }
}

/**
 * Returns the second at which an empty record of the chain begins. If the next reorg would replace the block
 * of this second, the record begins after that reorg.
 */
function firstSecond(startMs: EpochMs, reorgs: ReorgPlan | undefined): number {
  const second = Math.floor(startMs / 1000)
  if (!reorgs) return second
  const next = reorgFrom(reorgs, second)
  return next.fromSec > second ? second : next.atSec + 1
}

/**
 * Starts a replay of the simulated chain. The replay also keeps the recent facts, because a reorg may replace
 * their blocks.
 */
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
    /**
     * Yields the replacement blocks if a reorg is planned at this block. The reorg replaces this block and
     * the blocks just before it.
     */
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

/**
 * Checks that the last recorded block belongs to this simulated chain. Fails with `chain_mismatch` if the
 * blocks were recorded from another seed or from a real chain.
 */
function assertOurBlock(seed: number, cursor: Block): void {
  const second = secondOfBlock(cursor.number)
  const expected = blockHashAt(seed, second)
  if (cursor.hash === expected || cursor.hash === branchHashAt(seed, second)) return
  throw new OperationError(
    'chain_mismatch',
    'the log was not written from this simulated chain. If SIMULATOR_SEED has changed, set its earlier value, or choose another DATA_DIR',
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

/** Waits on a timer. An abort ends the wait without an error. */
async function sleepOnTimer(delayMs: DurationMs, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(delayMs, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/**
 * Simulates chain B, with the holders of mints and the SOL price. The chain depends only on the seed. The
 * simulator stores no state, so every reader gets the same chain.
 */
import { setImmediate } from 'node:timers/promises'
import { OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import { type Address, type BlockNumber, type DurationMs, dayMs, type EpochMs } from '../../../schemas/units.ts'
import { delay } from '../../delay.ts'
import { createPriceLookup } from '../../prices/price-lookup.ts'
import type { MarketRates } from '../../simulated/market/rates.ts'
import { simulatedPrice } from '../../simulated/price.ts'
import { mix } from '../../simulated/random.ts'
import type { PriceReader } from '../../source.ts'
import { chainBDefinition } from '../definition.ts'
import { createHoldersLookup, type HolderReader } from '../lookups/holders.ts'
import { createSafetyLookup } from '../lookups/safety.ts'
import type { ChainB, ChainBRange, KnownMints, MintFact } from '../types.ts'
import { createWallets } from './identities.ts'
import { addressesIn, type MarketStart, replayMarket } from './market.ts'
import { type Market, marketOf } from './plan.ts'
import { droppedBy, type ReorgPlan, reorgFrom, replacedFacts } from './reorgs.ts'
import { createSimulatedRugCheck } from './rug-check.ts'
import { branchHashAt, slotAt, slotAtMs, slotHashAt, slotOf, slotsPerSec } from './slots.ts'
import { createPrices } from './steps.ts'
import { createHolderReader } from './top-holders.ts'
import { leaders } from './wallets.ts'

export type SimulatorOptions = Readonly<{
  seed: number
  nowMs(): EpochMs
  /** Waits for `delayMs`. If the signal aborts, the promise resolves early or rejects. */
  sleep?(delayMs: DurationMs, signal: AbortSignal): Promise<unknown>
  /**
   * The number of launches per day. With 3,000 or more, a new burst (a group of buys within seconds) comes in
   * every 5 minutes. With fewer, some of these intervals have no new burst.
   */
  launchesPerDay?: number
  rates?: Partial<MarketRates>
  /**
   * The time by which the first simulated slot lies before now, if nothing has been recorded yet. Default:
   * one day.
   */
  lookBackMs?: DurationMs
  /** The number of seconds of past slots that the simulator yields at a time. Default: 120. */
  rangeSec?: number
  /**
   * Limits the chain to the slots of this span. The slot at `toMs` is not included. The simulator then yields
   * the slots as fast as the caller reads them. Only tests set this option.
   */
  span?: Readonly<{ fromMs: EpochMs; toMs: EpochMs }>
  /** The reorgs of the simulated chain. Only tests set this option. Default: none. */
  reorgs?: ReorgPlan
}>

export type Simulator = ChainB &
  Readonly<{
    readHolders: HolderReader
    readPrice: PriceReader
    /**
     * The wallets whose trades others copy, with their skill in the simulation. The simulated trades do not
     * contain the skill.
     */
    leaders: readonly Readonly<{ wallet: Address; skill: number }>[]
  }>

const aroundUsd = 150

/**
 * Creates the simulator. The same version of Node always gives the same chain. Another version may compute
 * slightly different logarithms, which changes the amounts.
 */
export function createSimulator(options: SimulatorOptions): Simulator {
  const { seed, nowMs } = options
  const market = marketOf(options)
  const walletAt = createWallets(seed)
  const readHolders = createHolderReader(market, { seed, walletAt })
  return {
    ...chainBDefinition,
    source: {
      kind: 'simulated',
      ranges: (cursor, { book }, signal) => rangesFrom(market, options, { cursor, book, signal }),
    },
    readHolders,
    lookups: [
      createHoldersLookup(readHolders),
      createSafetyLookup(createSimulatedRugCheck(market)),
      createPriceLookup(createPrices(market, { seed, walletAt }), { knowsPast: true }),
    ],
    readPrice: async () => simulatedPrice({ seed: mix(seed, 28), aroundUsd }, nowMs()),
    leaders: leaders.map(({ wallet, skill }) => ({ wallet: walletAt(wallet), skill })),
  }
}

type Start = Readonly<{ cursor: Block | null; book: KnownMints; signal: AbortSignal }>

async function* rangesFrom(market: Market, options: SimulatorOptions, start: Start): AsyncGenerator<ChainBRange> {
  const { nowMs, sleep = delay, rangeSec = 120, lookBackMs = dayMs, span, reorgs } = options
  const { cursor, book, signal } = start
  // Rounds up to whole slots, because an odd number of seconds would end within a slot.
  const rangeSlots = Math.ceil(rangeSec * slotsPerSec)
  if (cursor !== null) assertOurSlot(market.seed, cursor)
  const startMs = span?.fromMs ?? nowMs() - lookBackMs
  let fromSlot = cursor === null ? firstSlot(slotAt(startMs), reorgs) : cursor.number + 1
  const recentSlot = cursor === null ? fromSlot : fromSlot - (reorgs?.depthMax ?? 0)
  const replay = startReplay(market, reorgs, { fromSlot: recentSlot, newFromSlot: fromSlot, book })
  replay.factsTo(fromSlot - 1)
  if (cursor !== null) yield* replay.reorgAfter(cursor)
  while (!signal.aborted) {
    const lastSlot = span === undefined ? slotAt(nowMs()) : slotAt(span.toMs) - 1
    if (fromSlot <= lastSlot) {
      const toSlot = Math.min(lastSlot, fromSlot + rangeSlots - 1, replay.lastSlotBeforeReorg(fromSlot))
      const head = slotOf(market.seed, toSlot)
      yield { fromBlock: fromSlot, head, ...replay.factsTo(toSlot) }
      yield* replay.reorgAfter(head)
      fromSlot = toSlot + 1
      // Past slots are yielded without a pause. This call lets the event loop do other work.
      await setImmediate()
    } else if (span === undefined) await sleep(1000 - (nowMs() % 1000), signal)
    else return
  }
}

/**
 * Returns the slot at which an empty record of the chain begins. If the next reorg would replace this slot,
 * the record begins after that reorg.
 */
function firstSlot(slot: BlockNumber, reorgs: ReorgPlan | undefined): BlockNumber {
  if (!reorgs) return slot
  const next = reorgFrom(reorgs, slot)
  return next.fromSlot > slot ? slot : next.atSlot + 1
}

/**
 * Starts a replay of the simulated chain. The replay also keeps the recent facts, because a reorg may replace
 * their slots.
 */
function startReplay(market: Market, reorgs: ReorgPlan | undefined, start: MarketStart) {
  const { seed } = market
  const happenedTo = replayMarket(market, start)
  let recent: readonly MintFact[] = []
  const since = (slot: BlockNumber) => recent.filter(({ fact }) => fact.data.blockNumber >= slot)
  const factsTo = (toSlot: BlockNumber) => {
    const happened = happenedTo(toSlot)
    if (!reorgs) return happened
    recent = [...recent, ...happened.facts]
    recent = since(toSlot - reorgs.depthMax + 1)
    const reorg = reorgFrom(reorgs, toSlot)
    if (reorg.atSlot !== toSlot || reorg.variant !== 'dropped') return happened
    return { ...happened, facts: [...happened.facts, ...droppedBy(seed, reorg, since(reorg.fromSlot))] }
  }
  return {
    factsTo,
    lastSlotBeforeReorg: (slot: BlockNumber) => (reorgs ? reorgFrom(reorgs, slot).atSlot : Number.POSITIVE_INFINITY),
    /**
     * Yields the replacement slots if a reorg is planned at this slot. The reorg replaces this slot and the
     * slots just before it.
     */
    *reorgAfter({ number: atSlot, hash }: Block): Generator<ChainBRange> {
      const reorg = reorgs && reorgFrom(reorgs, atSlot)
      if (reorg?.atSlot !== atSlot || hash !== slotHashAt(seed, atSlot)) return
      const { fromSlot: fromBlock } = reorg
      const head = { number: atSlot, hash: branchHashAt(seed, atSlot), atMs: slotAtMs(atSlot) }
      const facts = replacedFacts(seed, reorg, since(fromBlock))
      yield { revertedFrom: fromBlock, fromBlock, head, facts, newAddresses: facts.flatMap(addressesIn) }
    },
  }
}

/**
 * Checks that the last recorded slot belongs to this simulated chain. Fails with `chain_mismatch` if the
 * slots were recorded from another seed or from a real chain.
 */
function assertOurSlot(seed: number, cursor: Block): void {
  const expected = slotHashAt(seed, cursor.number)
  if (cursor.hash === expected || cursor.hash === branchHashAt(seed, cursor.number)) return
  throw new OperationError(
    'chain_mismatch',
    'the log was not written from this simulated chain. If SIMULATOR_SEED has changed, set its earlier value, or choose another DATA_DIR',
    { context: { slot: cursor.number, logHash: cursor.hash, simulatorHash: expected } },
  )
}

/**
 * Reads the missing facts of gaps from the node. A gap is a stretch in which trades of a curve are missing
 * from the recorded facts. Several gaps are read at the same time. Failed reads are repeated, with growing
 * waits.
 */

import { isOperationError, OperationError } from '../../../infra/errors.ts'
import { limited } from '../../../infra/limited.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { ChainBEvent } from '../../../schemas/chain-b/facts.ts'
import type { Block } from '../../../schemas/stage.ts'
import { type BlockNumber, type DurationMs, type EpochMs, hourMs } from '../../../schemas/units.ts'
import { type Delay, delay as realDelay } from '../../delay.ts'
import { idOfGap, type OpenGap } from './gap.ts'
import type { GapTracker } from './gap-tracker.ts'
import { factCountOf, isDueIn, type Repaired } from './late-facts.ts'
import { type Missing, missingIn } from './missing.ts'

/** Reads the events of a mint in the slots of a gap. They are in chain order, if the node gives the order. */
export type EventReader = (gap: OpenGap, signal: AbortSignal) => Promise<readonly ChainBEvent[]>

/** Reads the block of a slot. Returns null if the slot has no block. Fails as `ChainBReader` does. */
export type BlockReader = (slot: BlockNumber, signal: AbortSignal) => Promise<Block | null>

export type RepairLimits = Readonly<{
  /** The maximum number of gaps that are read at the same time. */
  atOnce: number
  /** The maximum number of gaps that wait for repair. Further gaps are not repaired. */
  waitingMax: number
  /** The number of tries after which a gap is given up. */
  triesMax: number
  /** The time limit of one try. */
  limitMs: DurationMs
  /**
   * The maximum age of a gap. Older gaps are given up without a try. When ingest reads the past of the chain
   * (a backfill), it finds gaps that are up to 24 h old.
   */
  ageMsMax: DurationMs
  /** The maximum number of late facts that are added to one range of slots. A single repair may have more. */
  factCountMax: number
}>

const repairLimits: RepairLimits = {
  atOnce: 4,
  waitingMax: 5_000,
  triesMax: 7,
  limitMs: 60_000,
  ageMsMax: 24.5 * hourMs,
  factCountMax: 5_000,
}

export type RepairOptions = Readonly<{
  readEvents: EventReader
  readBlock: BlockReader
  nowMs: () => EpochMs
  logger: Logger
  limits?: Partial<RepairLimits>
  delay?: Delay
}>

export type Repairs = Readonly<{
  /**
   * Returns the finished repairs whose facts can be recorded in this slot. `isWanted` selects among them. A
   * repair is returned at every call until its facts are recorded.
   */
  dueIn(slot: BlockNumber, isWanted?: (repaired: Repaired) => boolean): readonly Repaired[]
  /** Adds the new gaps of the gap tracker, and drops the gaps that are no longer open in the tracker. */
  update(): void
  /** Reads the missing facts of gaps until the signal aborts. Rejects only for a bug in our code. */
  run(signal: AbortSignal): Promise<void>
}>

type Waiting = { tries: number; dueAtMs: EpochMs }

const idleMs = 200
/**
 * The wait after the first try, in milliseconds. The wait doubles after each further try, so seven tries take
 * about a minute.
 */
const waitMsFirst = 1_000
const nothing: Missing = { transactions: [], found: [], tradeCount: 0, isWhole: false }
const noBlocks: ReadonlyMap<number, Block> = new Map()

export function createRepairs(gapTracker: GapTracker, options: RepairOptions): Repairs {
  const { nowMs, logger, delay = realDelay } = options
  const limits = { ...repairLimits, ...options.limits }
  const waiting = new Map<string, Waiting>()
  const active = new Map<string, Promise<void>>()
  const done = new Map<string, Repaired>()

  const finish = (gap: OpenGap, { missing, blocks, failure }: Reading) => {
    const { transactions, found, tradeCount } = missing
    const id = idOfGap(gap)
    waiting.delete(id)
    if (!gapTracker.open.has(id)) return
    done.set(id, { gap, transactions, found, blocks, lateCount: tradeCount, failure })
    const facts = { mint: gap.key, fromSlot: gap.fromSlot, toSlot: gap.toSlot, trades: tradeCount }
    if (failure === null) logger.info(facts, 'a gap of a curve was repaired')
    else logger.warn({ ...facts, reason: failure }, 'a gap of a curve was not repaired')
  }

  const attempt = async (gap: OpenGap, wait: Waiting, signal: AbortSignal) => {
    const reading = await readOnce(gap, { ...options, limitMs: limits.limitMs, gapTracker }, signal)
    if (signal.aborted) return
    wait.tries++
    wait.dueAtMs = nowMs() + waitMsFirst * 2 ** (wait.tries - 1)
    if (reading.failure === null || wait.tries >= limits.triesMax) finish(gap, reading)
  }

  let bug: unknown = null
  const start = (gap: OpenGap, wait: Waiting, signal: AbortSignal) => {
    const id = idOfGap(gap)
    const reading = attempt(gap, wait, signal)
      .catch((error: unknown) => {
        bug ??= error
      })
      .finally(() => active.delete(id))
    active.set(id, reading)
  }

  /**
   * Starts the reads that are due. Only one gap of each mint is read at a time, because two gaps may share a
   * slot. A fact of that slot must not count for both gaps.
   */
  const startDue = (signal: AbortSignal) => {
    const busy = new Set([...active.keys(), ...done.keys()].map((id) => gapTracker.open.get(id)?.key))
    for (const [id, wait] of waiting) {
      if (active.size >= limits.atOnce) return
      const gap = gapTracker.open.get(id)
      if (!gap || busy.has(gap.key) || wait.dueAtMs > nowMs()) continue
      busy.add(gap.key)
      start(gap, wait, signal)
    }
  }

  const takeUp = (id: string, gap: OpenGap) => {
    if (waiting.has(id) || done.has(id)) return
    waiting.set(id, { tries: 0, dueAtMs: nowMs() })
    if (nowMs() - gap.place.blockAtMs > limits.ageMsMax) finish(gap, failed('the gap is too old'))
    else if (waiting.size > limits.waitingMax) finish(gap, failed('too many gaps wait for a repair'))
  }

  return {
    dueIn(slot, isWanted = () => true) {
      const due: Repaired[] = []
      let count = 0
      for (const repaired of done.values()) {
        if (!isDueIn(slot, repaired) || !isWanted(repaired)) continue
        count += factCountOf(repaired)
        if (due.length > 0 && count > limits.factCountMax) break
        due.push(repaired)
      }
      return due
    },
    update() {
      for (const ids of [waiting, done]) for (const id of ids.keys()) if (!gapTracker.open.has(id)) ids.delete(id)
      for (const [id, gap] of gapTracker.open) takeUp(id, gap)
    },
    async run(signal) {
      while (!signal.aborted && bug === null) {
        startDue(signal)
        await delay(idleMs, signal)
      }
      await Promise.all(active.values())
      if (bug !== null) throw bug
    },
  }
}

type Reading = Readonly<{ missing: Missing; blocks: ReadonlyMap<number, Block>; failure: string | null }>
type RepairDependencies = Pick<RepairOptions, 'readEvents' | 'readBlock'> &
  Readonly<{ limitMs: DurationMs; gapTracker: GapTracker }>

const failed = (failure: string): Reading => ({ missing: nothing, blocks: noBlocks, failure })

async function readOnce(gap: OpenGap, options: RepairDependencies, signal: AbortSignal): Promise<Reading> {
  const { readEvents, limitMs, gapTracker } = options
  const limit = limited([signal], limitMs)
  try {
    const events = await readEvents(gap, limit.signal)
    const missing = missingIn(gap, events, (id) => gapTracker.timelinessOf(gap, id))
    if (missing.isWhole) return { missing, blocks: await blocksOf(missing, options, limit.signal), failure: null }
    const failure = `the ${missing.tradeCount} trades that the node has of the gap do not add up`
    return { missing, blocks: noBlocks, failure }
  } catch (error) {
    if (signal.aborted) return failed('stopped')
    if (limit.isOver()) return failed('the node did not answer in time')
    if (isOperationError(error)) return failed(error.message)
    throw error
  } finally {
    limit.release()
  }
}

async function blocksOf({ found }: Missing, { readBlock }: RepairDependencies, signal: AbortSignal) {
  const blocks = new Map<number, Block>()
  for (const slot of new Set(found.flat().map(({ data }) => data.blockNumber))) {
    const block = await readBlock(slot, signal)
    if (block === null)
      throw new OperationError(
        'node_inconsistent',
        `the node has transactions of slot ${slot}, but no block of that slot`,
      )
    blocks.set(slot, block)
  }
  return blocks
}

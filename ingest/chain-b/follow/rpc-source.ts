/**
 * Reads chain B from a node. If nothing is recorded yet, ingest begins `lookBackSlots` before the newest
 * slot. Otherwise ingest continues after the last recorded slot.
 */
import { base58OfHex } from '../../../infra/base58.ts'
import { isOperationError } from '../../../infra/errors.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import { type Block, reorgBlocksMaxDefault } from '../../../schemas/stage.ts'
import type { DurationMs } from '../../../schemas/units.ts'
import { believeTime, clockErrorMsMax } from '../../believable-time.ts'
import { delay as realDelay } from '../../delay.ts'
import type { ChainSource } from '../../source.ts'
import { isPoolAlive } from '../lives.ts'
import { inconsistent } from '../node/failures.ts'
import type { ChainBIngestTypes, ChainBRange, KnownMints } from '../types.ts'
import { findCommonBlock, isReplaced, isWrongInLog } from './branch.ts'
import { openedIn } from './decode-slot.ts'
import type { FollowDependencies } from './dependencies.ts'
import { type LastBlock, linkOf, withRisingTimes } from './links.ts'
import { afterFailure, afterRange, type Pace, startPace, waitMsAfter } from './pace.ts'
import { createReserveMemory, type ReserveMemory } from './reserve-memory.ts'
import type { LinkedSlot, PoolsOf } from './slot-reader.ts'
import { toFacts } from './to-facts.ts'

export type RpcSourceOptions = Pick<
  FollowDependencies,
  'reader' | 'slots' | 'findCurves' | 'lookBackSlots' | 'pollMs'
> &
  Readonly<{ logger: Logger }> &
  Partial<Pick<FollowDependencies, 'reorgSlotsMax' | 'delay' | 'nowMs' | 'reserves'>>

const defaults = { reorgSlotsMax: reorgBlocksMaxDefault, delay: realDelay, nowMs: Date.now }

/**
 * Creates the source of chain B's slots. If the node is unreachable, refuses, or contradicts itself, the
 * source waits and tries again. Fails with `reorg_too_deep` after a reorg that is deeper than supported.
 */
export const createRpcSource = (options: RpcSourceOptions): ChainSource<ChainBIngestTypes> => ({
  kind: 'chain',
  ranges: (cursor, known, signal) => rangesFrom({ ...defaults, ...options, known, signal }, cursor),
})

async function* rangesFrom(options: FollowDependencies, cursor: Block | null): AsyncGenerator<ChainBRange> {
  const stop = new AbortController()
  const follower = { ...options, signal: AbortSignal.any([options.signal, stop.signal]) }
  const beside = follower.slots.run(follower.signal)
  try {
    yield* follow(follower, cursor)
  } catch (error) {
    // After the abort, every error comes from the abort itself.
    if (!options.signal.aborted) throw error
  } finally {
    stop.abort()
    await beside
  }
}

async function* follow(dependencies: FollowDependencies, cursor: Block | null): AsyncGenerator<ChainBRange> {
  const { signal, delay, slots, known, reserves = createReserveMemory() } = dependencies
  let last: LastBlock | null = cursor
  let pace = startPace(slots.blockCountMax)
  while (!signal.aborted) {
    const step = await nextStep(dependencies, { last, pace, reserves })
    pace = step.pace
    if (step.range) {
      yield step.range
      last = step.range.head
      reserves.published(step.range.facts, known.book)
    } else await delay(step.waitMs, signal)
  }
}

type State = Readonly<{ last: LastBlock | null; pace: Pace; reserves: ReserveMemory }>
type Step = Readonly<{ range: ChainBRange | null; pace: Pace; waitMs: DurationMs }>

/**
 * Returns the next range of slots. If there is no range yet, returns the time to wait before the next
 * attempt.
 */
async function nextStep(dependencies: FollowDependencies, state: State): Promise<Step> {
  try {
    const range = await nextRange(dependencies, state)
    return range
      ? { range, pace: afterRange(state.pace), waitMs: 0 }
      : { range, pace: state.pace, waitMs: dependencies.pollMs }
  } catch (error) {
    if (!nodeFailures.some((code) => isOperationError(error, code))) throw error
    if (isOperationError(error, 'node_inconsistent')) dependencies.slots.forget()
    const pace = afterFailure(state.pace)
    const waitMs = waitMsAfter(pace)
    const { failureCount } = pace
    // A single failure is normal. The node may not have written a block yet, or may be behind other nodes of its provider.
    const level = failureCount === 1 ? 'debug' : 'warn'
    dependencies.logger[level](
      { reason: (error as Error).message, waitMs, failureCount },
      'a read from the node of chain B failed. Ingest tries again',
    )
    return { range: null, pace, waitMs }
  }
}

const nodeFailures = ['node_unreachable', 'node_refused', 'node_inconsistent'] as const

async function nextRange(
  dependencies: FollowDependencies,
  { last: known, pace, reserves }: State,
): Promise<ChainBRange | null> {
  const { reader, signal, logger } = dependencies
  const head = await reader.headSlot(signal)
  const last = known ?? { number: Math.max(0, head - 1 - dependencies.lookBackSlots), hash: null, atMs: 0 }
  if (head <= last.number) return null
  // If nothing is recorded yet, the first block is read alone, so that its slot ends a range. After a reorg,
  // ingest searches for the common block only among the blocks that end a range.
  const blockCountMax = last.hash === null ? 1 : pace.blockCount
  const slots = await readAfter(dependencies, last, { head, blockCountMax })
  const link = linkOf(
    slots.map(({ block }) => block),
    last,
  )
  const isWrong = await isWrongInLog(dependencies, last)
  if (link === 'follows' && !isWrong) return await toRange(dependencies, slots, { after: last, head, reserves })
  if (!isWrong && !(await isReplaced(dependencies, last)))
    throw inconsistent(`the node still has slot ${last.number}, but the later slots do not follow this slot`)
  const after = await findCommonBlock(dependencies, last)
  const instead = await readReplacement(dependencies, { after, last, head, blockCountMax })
  reserves.beginAnew()
  const range = await toRange(dependencies, instead, { after, head, reserves })
  if (range)
    logger.warn(
      { last, revertedFrom: range.fromBlock, head: range.head },
      'reorg: the chain replaced blocks that were published',
    )
  return range && { ...range, revertedFrom: range.fromBlock }
}

type Limits = Readonly<{ head: number; blockCountMax: number }>

type Reading = Limits & Readonly<{ unpublished?: readonly LinkedSlot[] }>

/**
 * Reads the slots after the given block. `unpublished` are earlier slots of the same range. Their
 * transactions may open pools that are not in the address book yet.
 */
function readAfter({ slots, known, signal }: FollowDependencies, { number, atMs }: LastBlock, reading: Reading) {
  const { unpublished = [], ...limits } = reading
  const before = unpublished.flatMap(({ transactions }) => transactions)
  const poolsOf = followedPools(known.book, atMs)
  return slots.read({ fromSlot: number + 1, ...limits }, (read) => poolsOf([...before, ...read]), signal)
}

type Replacement = Limits & Readonly<{ after: Block; last: LastBlock }>

/**
 * Reads the new branch after a reorg: the slots after the last common block (`after`) up to the replaced
 * block (`last`). Stops earlier if the next slot is not complete yet.
 */
async function readReplacement(dependencies: FollowDependencies, { after, last, ...limits }: Replacement) {
  const slots: LinkedSlot[] = []
  for (let before: Block = after; before.number < last.number; before = slots.at(-1)?.block ?? before) {
    const next = await readAfter(dependencies, before, { ...limits, unpublished: slots })
    if (next.length === 0) break
    const blocks = next.map(({ block }) => block)
    if (linkOf(blocks, before) === 'replaced') throw inconsistent(`slot ${before.number} was replaced during the read`)
    slots.push(...next)
  }
  return slots
}

type Ranging = Readonly<{ after: LastBlock; head: number; reserves: ReserveMemory }>

async function toRange(
  { known, findCurves, logger, nowMs, signal }: FollowDependencies,
  read: readonly LinkedSlot[],
  { after, head, reserves }: Ranging,
): Promise<ChainBRange | null> {
  for (const { block } of read) believeTime(block, { nowMs: nowMs(), afterMs: after.atMs, fallMsMax: clockErrorMsMax })
  const slots = withRisingTimes(read, after.atMs)
  const last = slots.at(-1)?.block
  if (!last) return null
  const fromBlock = after.hash === null ? (slots[0]?.block.number ?? last.number) : after.number + 1
  const context = { known: known.book, fromSlot: fromBlock, chain: reserves.chain(), findCurves, logger, signal }
  const { number, hash, atMs } = last
  return { ...(await toFacts(slots, context)), fromBlock, head: { number, hash, atMs }, chainHeadNumber: head }
}

/**
 * Creates the function that returns the pools to read, in base58: the pools of the address book that are
 * still followed at `afterMs`, and the pools that the given transactions open.
 */
const followedPools =
  ({ pools, followed }: KnownMints, afterMs: number): PoolsOf =>
  (transactions) => {
    const alive = [...pools.values()].filter((pool) => isPoolAlive(pool, afterMs, followed))
    return [...new Set([...alive.map(({ pool }) => pool), ...openedIn(transactions)])].map(base58OfHex)
  }

/**
 * Reads chain A from a JSON-RPC node. Blocks of the past are read first, in ranges as large as the node
 * allows. After that, new blocks are read when they are a few blocks behind the head. An announcement of a
 * block only makes ingest read the head earlier.
 */

import assert from 'node:assert/strict'
import { isOperationError, OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import { reorgBlocksMaxDefault } from '../../../schemas/stage.ts'
import { type DurationMs, dayMs } from '../../../schemas/units.ts'
import { answersSteadily } from '../../answers-steadily.ts'
import { delay as realDelay } from '../../delay.ts'
import { launchpadsOf } from '../launchpads/configured.ts'
import type { ChainHeader } from '../node/headers.ts'
import type { ChainARange, ChainASource } from '../types.ts'
import { findCommonBlock, lookAtHead } from './branch.ts'
import { createCurveReader } from './curve-reader.ts'
import type { FollowDependencies, LastBlock } from './dependencies.ts'
import { fetchRange, linkFrom } from './fetch-range.ts'
import {
  type AskedBlocks,
  afterContradiction,
  afterPass,
  afterRefusal,
  afterSingleRefusal,
  afterSuccess,
  afterWait,
  type RangeControl,
  startRangeControl,
} from './range-control.ts'
import { createRecheck, type Recheck } from './recheck.ts'
import { checkFollows, readReplacement } from './replacement.ts'
import { startAt } from './start-block.ts'
import { toFactRange } from './to-fact-range.ts'
import { createWakeUps, type WakeUps } from './wake-ups.ts'

/**
 * The defaults are 24 h of backfill, a poll every 500 ms, no announcements, reorgs of up to 1,200 blocks, and a recheck
 * of each block after 100 later blocks.
 */
export type RpcSourceOptions = Pick<FollowDependencies, 'node' | 'contracts' | 'lagBlocks' | 'logRangeMax' | 'logger'> &
  Partial<
    Pick<
      FollowDependencies,
      'heads' | 'backfillMs' | 'pollMs' | 'lookGapMs' | 'reorgBlocksMax' | 'recheckBlocks' | 'delay' | 'nowMs'
    >
  >

const defaults = {
  heads: null,
  backfillMs: dayMs,
  pollMs: 500,
  lookGapMs: 200,
  reorgBlocksMax: reorgBlocksMaxDefault,
  recheckBlocks: 100,
  delay: realDelay,
  nowMs: Date.now,
}

/**
 * Creates the source. Reading its ranges fails with one of these errors:
 * - `chain_mismatch`: the node serves another chain.
 * - `reorg_too_deep`: a reorg was deeper than supported.
 * - `node_unreachable`: the node does not answer at the start. Later the source waits for the node.
 * - `range_refused`: the node refuses the request for a single block.
 */
export function createRpcSource(options: RpcSourceOptions): ChainASource {
  const launchpads = launchpadsOf(options.contracts)
  const settings = { ...defaults, ...options, launchpads, curves: createCurveReader(options) }
  return { kind: 'chain', ranges: (cursor, known, signal) => ranges({ ...settings, signal, known }, cursor) }
}

async function* ranges(dependencies: FollowDependencies, cursor: Block | null): AsyncGenerator<ChainARange> {
  const { signal, heads } = dependencies
  const stop = new AbortController()
  const wakeUps = createWakeUps({ delay: dependencies.delay, gapMs: dependencies.lookGapMs })
  let listening: Promise<void> | undefined
  try {
    await checkChain(dependencies)
    listening = heads?.listen(wakeUps.wake, AbortSignal.any([signal, stop.signal]))
    yield* follow({ ...dependencies, wakeUps }, cursor)
  } catch (error) {
    // An error after the abort comes from the abort itself.
    if (!signal.aborted) throw error
  } finally {
    stop.abort()
    await listening
  }
}

async function checkChain({ node, contracts, delay, signal }: FollowDependencies): Promise<void> {
  const ask = async () => String(await node.request<unknown>({ method: 'eth_chainId', params: [] }, signal))
  while (!signal.aborted) {
    const chainId = await ask()
    if (Number(chainId) === contracts.chainId) return
    if (!(await answersSteadily(ask, { looks: looksAtChainId, delay, signal }))) continue
    throw new OperationError(
      'chain_mismatch',
      `${node.hosts} serves chain ${Number(chainId)}, but the configured contracts are on chain ${contracts.chainId}. Correct CHAIN_A_RPC_URL, CHAIN_A_PRESET or CHAIN_A_CONTRACTS`,
    )
  }
}

const looksAtChainId = 3

type Woken = FollowDependencies & Readonly<{ wakeUps: WakeUps }>

async function* follow(follower: Woken, cursor: Block | null): AsyncGenerator<ChainARange> {
  const { signal, logRangeMax, heads, wakeUps } = follower
  let last = await startAt(follower, cursor)
  let control = startRangeControl(logRangeMax)
  const recheck = await createRecheck(follower, cursor)
  while (!signal.aborted) {
    const step = await nextStep(follower, { last, control, recheck })
    control = step.control
    if (step.range) {
      heads?.found()
      yield step.range
      recheck.published(step.range)
      last = step.range.head
    } else if (step.isIdle) await wakeUps.wait(step.waitMs, signal)
    else await follower.delay(step.waitMs, signal)
  }
}

/**
 * The result of one step. `isIdle` means that there was nothing to read. In that case, an announcement of a
 * block may end the wait of `waitMs`.
 */
type Step = Readonly<{ control: RangeControl; range: ChainARange | null; waitMs: DurationMs; isIdle?: true }>
type Reading = Readonly<{ last: LastBlock; control: RangeControl; recheck: Recheck }>

/** Returns the next range of blocks, or the time to wait before the next step. */
async function nextStep(dependencies: FollowDependencies, reading: Reading): Promise<Step> {
  const { last, control, recheck } = reading
  let asked: AskedBlocks = null
  try {
    const { head, branch } = await lookAtHead(dependencies, last)
    // A node that went back to an earlier block also counts as `behind`, so no block is published again.
    if (!head || branch === 'behind') return idle(dependencies, control)
    asked = control.span
    if (branch === 'replaced') return await reorgStep(dependencies, reading)
    if (recheck.isDue(last)) return await recheckStep(dependencies, { ...reading, head })
    asked = blocksToRead(dependencies, { ...reading, head })
    if (asked < 1) return idle(dependencies, control)
    return await readStep(dependencies, { ...reading, head, blockCount: asked })
  } catch (error) {
    return afterFailure(dependencies, { control, asked }, error)
  }
}

const idle = ({ pollMs }: FollowDependencies, control: RangeControl): Step => ({
  ...{ control, range: null, waitMs: pollMs },
  isIdle: true,
})

async function reorgStep(dependencies: FollowDependencies, { last, control }: Reading): Promise<Step> {
  const common = await findCommonBlock(dependencies, last)
  const range = await readReplacement(dependencies, { common, last, span: control.span })
  dependencies.logger.warn(
    { last, revertedFrom: range.revertedFrom, head: range.head },
    'reorg: the chain replaced blocks that were published',
  )
  return { control: afterSuccess(control), range, waitMs: 0 }
}

async function recheckStep(dependencies: FollowDependencies, { last, control, recheck, head }: Wanted): Promise<Step> {
  const late = await recheck.findLate({ last, head, span: control.span })
  if (late === null) return { control: afterSuccess(control), range: null, waitMs: 0 }
  // The new range begins after a block whose hash is in the log. `readReplacement` checks this hash, and therefore detects a reorg that has
  // meanwhile replaced blocks before the late EVM log.
  const common = (await dependencies.known.blocksFrom(late)).findLast(({ number }) => number < late)
  assert.ok(common, 'rechecked blocks must follow a published block')
  const range = await readReplacement(dependencies, { common, last, span: control.span })
  dependencies.logger.warn(
    { block: late, head: range.head },
    'the node had left out an event of this block. Ingest reads and publishes this block and later blocks again',
  )
  return { control: afterSuccess(control), range, waitMs: 0 }
}

type Wanted = Reading & Readonly<{ head: ChainHeader }>

function blocksToRead({ lagBlocks }: FollowDependencies, { last, head, control }: Wanted): number {
  // The first block is read alone, so that it gets its own tick (the record that closes a range). After a
  // reorg, the common block is searched only among the last blocks of such ranges.
  const span = last.hash === null ? 1 : control.span
  return Math.min(span, head.number - lagBlocks - last.number)
}

type Counted = Wanted & Readonly<{ blockCount: number }>

async function readStep(dependencies: FollowDependencies, { last, head, control, blockCount }: Counted): Promise<Step> {
  const { node, contracts, signal } = dependencies
  const fromBlock = last.number + 1
  const toBlock = last.number + blockCount
  const raw = await fetchRange(node, { fromBlock, toBlock, contracts, linkFrom: linkFrom(dependencies, head) }, signal)
  checkFollows(raw, last, dependencies.nowMs())
  const range = { ...(await toFactRange(dependencies, [raw])), chainHeadNumber: head.number }
  const isFull = blockCount === control.span
  return { range, waitMs: 0, control: isFull ? afterPass(control, raw.logs.length) : afterSuccess(control) }
}

type Failed = Readonly<{ control: RangeControl; asked: AskedBlocks }>

function afterFailure({ logger, pollMs }: FollowDependencies, { control, asked }: Failed, error: unknown): Step {
  if (isOperationError(error, 'node_refused')) {
    const halved = afterRefusal(control, asked)
    if (!halved) return waitUnlessSteady(control, error)
    logger.info(
      { span: halved.span, reason: error.message },
      'the node refused a range of blocks. The next range is smaller',
    )
    return { control: halved, range: null, waitMs: 0 }
  }
  if (isOperationError(error, 'node_unreachable')) {
    const waited = afterWait(control, asked)
    const { span } = waited.control
    logger.warn(
      { reason: error.message, waitMs: waited.waitMs, span },
      'a request to the node failed. Ingest tries again',
    )
    return { ...waited, range: null }
  }
  if (isOperationError(error, 'node_inconsistent')) {
    logger.warn({ reason: error.message }, 'the node contradicts itself. Ingest reads the blocks again')
    return { control: afterContradiction(control, asked), range: null, waitMs: pollMs }
  }
  throw error
}

function waitUnlessSteady(control: RangeControl, cause: OperationError): Step {
  const waited = afterSingleRefusal(control)
  if (waited !== null) return { ...waited, range: null }
  throw new OperationError(
    'range_refused',
    `the node refuses even the request for a single block: ${cause.message}. Choose another node (CHAIN_A_RPC_URL)`,
    {
      cause,
    },
  )
}

/** The chain from a JSON-RPC node: the past in ranges as large as the node allows, then live, a few blocks behind the head. */
import { isOperationError, OperationError } from '../../infra/errors.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { PoolAddress } from '../../schemas/addresses.ts'
import { type Delay, delay as realDelay } from '../delay.ts'
import type { BlockHeader, ChainSource, FactRange } from '../source.ts'
import { decodeLogs } from './decode-logs.ts'
import { fetchRange } from './fetch-range.ts'
import { type ChainHeader, readHeader } from './headers.ts'
import type { Node } from './node.ts'
import type { ChainAContracts, Hex } from './presets.ts'
import { afterPass, afterRefusal, afterWait, type RangeControl, startRangeControl } from './range-control.ts'
import { retrying } from './retry.ts'
import { checkContinuity, type LastBlock, startAt } from './start-block.ts'

export type RpcSourceOptions = Readonly<{
  node: Node
  contracts: ChainAContracts
  /** Blocks to stay behind the head, where they are replaced most. */
  lagBlocks: number
  /** The most blocks in one range. */
  logRangeMax: number
  logger: Logger
  /** How far a cold start goes back from the head. Default 24 h. */
  backfillMs?: number
  /** Between two looks at the head. Default 500 ms. */
  pollMs?: number
  delay?: Delay
}>

type Follower = Required<RpcSourceOptions> & Readonly<{ signal: AbortSignal; book: ReadonlyMap<string, PoolAddress> }>

/**
 * A `ChainSource` of the node. Fails with `chain_mismatch` when the node serves another chain or another branch than the
 * log holds, `node_unreachable` when it does not answer at the start (later it is waited for), `range_refused` when it
 * refuses the logs of a single block.
 */
export function createRpcSource(options: RpcSourceOptions): ChainSource {
  const settings = { backfillMs: 24 * 3_600_000, pollMs: 500, delay: realDelay, ...options }
  return { kind: 'chain', ranges: (cursor, book, signal) => ranges({ ...settings, signal, book }, cursor) }
}

async function* ranges(follower: Follower, cursor: BlockHeader | null): AsyncGenerator<FactRange> {
  const { signal } = follower
  try {
    await checkChain(follower)
    yield* follow(follower, await startAt(follower, cursor))
  } catch (error) {
    // Stopping is not a failure, whatever it interrupted.
    if (!signal.aborted) throw error
  }
}

async function checkChain({ node, contracts, delay, signal }: Follower): Promise<void> {
  const call = { method: 'eth_chainId', params: [] }
  const chainId = Number(await retrying(() => node.request<Hex>(call, signal), { delay, signal }))
  if (chainId !== contracts.chainId)
    throw new OperationError(
      'chain_mismatch',
      `${node.hosts} serves chain ${chainId}; the configured contracts are on chain ${contracts.chainId}`,
    )
}

async function* follow(follower: Follower, start: LastBlock): AsyncGenerator<FactRange> {
  const { signal, logRangeMax } = follower
  let last = start
  let control = startRangeControl(logRangeMax)
  while (!signal.aborted) {
    const step = await nextStep(follower, last, control)
    control = step.control
    if (step.range) {
      yield step.range
      last = step.range.head
    } else await follower.delay(step.waitMs, signal)
  }
}

type Step = Readonly<{ control: RangeControl; range: FactRange | null; waitMs: number }>

/** The next range, or how long to wait before asking again. */
async function nextStep(follower: Follower, last: LastBlock, control: RangeControl): Promise<Step> {
  try {
    const head = await readHeader(follower.node, 'latest', follower.signal)
    const fromBlock = last.number + 1
    const safeBlock = (head?.number ?? 0) - follower.lagBlocks
    // Also a node that is behind, or that jumped back: nothing is given out twice.
    if (!head || safeBlock < fromBlock) return { control, range: null, waitMs: follower.pollMs }
    const toBlock = Math.min(safeBlock, fromBlock + control.span - 1)
    return await readStep(follower, { last, head, toBlock, control })
  } catch (error) {
    return afterFailure(follower, control, error)
  }
}

type Wanted = Readonly<{ last: LastBlock; head: ChainHeader; toBlock: number; control: RangeControl }>

async function readStep(follower: Follower, { last, head, toBlock, control }: Wanted): Promise<Step> {
  const { node, contracts, signal, book, logger } = follower
  const fromBlock = last.number + 1
  const raw = await fetchRange(node, { fromBlock, toBlock, contracts, head }, signal)
  await checkContinuity(follower, { last, next: raw.first })
  const { facts, newPools, rejections } = decodeLogs(raw.logs, { contracts, book, blockAtMsOf: raw.blockAtMsOf })
  for (const { log, reason } of rejections)
    logger.error({ reason, txHash: log.transactionHash, logIndex: log.logIndex }, 'a log was left out')
  const { number, hash, atMs } = raw.last
  const range = { fromBlock, head: { number, hash, atMs }, facts, newPools, chainHeadNumber: head.number }
  const isFull = toBlock - fromBlock + 1 === control.span
  return { range, waitMs: 0, control: isFull ? afterPass(control, raw.logs.length) : control }
}

function afterFailure({ logger, pollMs }: Follower, control: RangeControl, error: unknown): Step {
  if (isOperationError(error, 'node_refused')) {
    const halved = afterRefusal(control)
    if (!halved) return afterSingleRefusal(control, error)
    logger.info({ span: halved.span, reason: error.message }, 'the node refused a range; asking for less')
    return { control: halved, range: null, waitMs: 0 }
  }
  if (isOperationError(error, 'node_unreachable')) {
    const waited = afterWait(control, error.context.kind === 'timeout')
    logger.warn({ reason: error.message, waitMs: waited.waitMs }, 'waiting for the node')
    return { ...waited, range: null }
  }
  if (isOperationError(error, 'node_inconsistent')) {
    logger.warn({ reason: error.message }, 'the node contradicts itself; asking again')
    return { control, range: null, waitMs: pollMs }
  }
  throw error
}

/** Nodes behind a balancer also refuse a block that they do not have yet: a single one is asked for again for a while. */
const singleRefusalsMax = 8

function afterSingleRefusal(control: RangeControl, cause: OperationError): Step {
  const waited = afterWait(control, false)
  if (waited.control.waitCount > singleRefusalsMax)
    throw new OperationError('range_refused', `the node refuses the logs of a single block: ${cause.message}`, {
      cause,
    })
  return { ...waited, range: null }
}

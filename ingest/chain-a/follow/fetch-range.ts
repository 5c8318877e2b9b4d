/** Reads a range of blocks: its logs in chain order, checked against the headers of its blocks. */
import type { Address, BlockNumber, Hex } from '../../../schemas/units.ts'
import { logTopics } from '../decode/log-topics.ts'
import type { RawLog } from '../decode/log-words.ts'
import { launchpadsOf } from '../launchpads/configured.ts'
import { type ChainHeader, readHeaders, toHex } from '../node/headers.ts'
import type { Node } from '../node/node.ts'
import type { ChainAContracts } from '../presets.ts'
import {
  areTimesSound,
  byPlace,
  checkHashes,
  checkLinks,
  checkPlaces,
  inconsistent,
  isWhole,
  timeOf,
} from './check-range.ts'

export type RawRange = Readonly<{
  logs: readonly RawLog[]
  first: ChainHeader
  last: ChainHeader
  /**
   * The time of a log's block in epoch ms. The time comes from the block's header if it was read, otherwise
   * from the log.
   */
  blockAtMsOf: (log: RawLog) => number | null
}>

export type RangeRequest = Readonly<{
  fromBlock: BlockNumber
  toBlock: BlockNumber
  contracts: ChainAContracts
  /**
   * The first block that a reorg may still replace. From this block on, all headers are read. Each header
   * must name the previous block as its parent.
   */
  linkFrom: number
}>

/** The first block that a reorg may still replace. */
export const linkFrom = (
  { reorgBlocksMax }: Readonly<{ reorgBlocksMax: number }>,
  head: Readonly<{ number: number }>,
): number => head.number - reorgBlocksMax

/**
 * Reads a range. Fails with `node_inconsistent` if logs and headers belong to different branches. Fails with
 * the same error if the node does not have the blocks yet. This happens when several nodes serve one URL.
 * Otherwise fails as `Node.request` does.
 */
export async function fetchRange(node: Node, request: RangeRequest, signal: AbortSignal): Promise<RawRange> {
  const answers = await Promise.all(logFilters(request).map((filter) => readLogs(node, filter, signal)))
  const logs = answers.flat().sort(byPlace)
  checkPlaces(logs, request)
  const { fromBlock, toBlock } = request
  const wanted = new Set([fromBlock, toBlock])
  for (const log of logs) if (timeOf(log) === null) wanted.add(Number(log.blockNumber))
  for (let block = Math.max(fromBlock, request.linkFrom); block < toBlock; block++) wanted.add(block)
  // The headers are read after the logs. If a block is replaced in between, its log and its header have
  // different hashes. `checkHashes` detects this.
  let headers = await readHeaders(node, [...wanted], signal)
  if (!areTimesSound(logs, headers, request)) {
    headers = await readHeaders(node, [...withLogs(wanted, logs)], signal)
    if (!areTimesSound(logs, headers, request)) throw inconsistent('the node sent headers with decreasing times')
  }
  checkHashes(logs, headers)
  checkLinks(headers)
  const first = headers.get(fromBlock) as ChainHeader
  const last = headers.get(toBlock) as ChainHeader
  return { logs, first, last, blockAtMsOf: (log) => headers.get(Number(log.blockNumber))?.atMs ?? timeOf(log) }
}

const withLogs = (blocks: ReadonlySet<number>, logs: readonly RawLog[]): ReadonlySet<number> =>
  new Set([...blocks, ...logs.map(({ blockNumber }) => Number(blockNumber))])

type LogFilter = Readonly<{
  fromBlock: Hex
  toBlock: Hex
  address?: readonly Address[]
  topics: readonly (readonly Hex[])[]
}>

/**
 * Returns two filters for the logs of a range. There are too many v3 pools and curves to list. So the second
 * filter requests their logs by topic alone, and `decodeLogs` ignores the logs of other contracts.
 */
function logFilters({ fromBlock, toBlock, contracts }: RangeRequest): readonly LogFilter[] {
  const range = { fromBlock: toHex(fromBlock), toBlock: toHex(toBlock) }
  const { v4Initialize, v4ModifyLiquidity, v4Swap, v3PoolCreated, positionTransfer } = logTopics
  const { v3Initialize, v3Swap, v3Mint, v3Burn } = logTopics
  const { poolManager, v3Factory, positionManager } = contracts
  const launchpads = launchpadsOf(contracts)
  const factories = launchpads.map(({ factory }) => factory)
  const factoryTopics = launchpads.flatMap((launchpad) => launchpad.factoryTopics)
  const curveTopics = launchpads.flatMap((launchpad) => launchpad.curveTopics)
  return [
    {
      ...range,
      address: [poolManager, v3Factory, positionManager, ...factories],
      topics: [[v4Initialize, v4ModifyLiquidity, v4Swap, v3PoolCreated, positionTransfer, ...factoryTopics]],
    },
    { ...range, topics: [[v3Initialize, v3Swap, v3Mint, v3Burn, ...curveTopics]] },
  ]
}

async function readLogs(node: Node, filter: LogFilter, signal: AbortSignal): Promise<RawLog[]> {
  const logs = await node.request<unknown>({ method: 'eth_getLogs', params: [filter] }, signal)
  if (!Array.isArray(logs) || !logs.every(isWhole))
    throw inconsistent('the node did not answer eth_getLogs with a list of logs')
  return logs
}

/** One range of blocks from the node: its logs in chain order, checked against the headers of its blocks. */

import type { Hex } from '../../../schemas/units.ts'
import { logTopics } from '../decode/log-topics.ts'
import type { RawLog } from '../decode/log-words.ts'
import { launchpadsOf } from '../launchpads/configured.ts'
import { type ChainHeader, readHeaders, toHex } from '../node/headers.ts'
import type { Node } from '../node/node.ts'
import type { ChainAContracts } from '../presets.ts'
import {
  areTimesSound,
  byPosition,
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
  /** Epoch ms of a log's block: from the block's header where it was read, else from the log itself. */
  blockAtMsOf: (log: RawLog) => number | null
}>

export type RangeRequest = Readonly<{
  fromBlock: number
  toBlock: number
  contracts: ChainAContracts
  /** From this block on, branches may be replaced: all headers are read, and each must be the child of the one before. */
  linkFrom: number
}>

/** The first block that may still be replaced. */
export const linkFrom = (
  { reorgBlocksMax }: Readonly<{ reorgBlocksMax: number }>,
  head: Readonly<{ number: number }>,
): number => head.number - reorgBlocksMax

/**
 * Fails with `node_inconsistent` where logs and headers tell of different branches, or the node (one of several, maybe)
 * does not have the blocks yet; and as `Node.request` does.
 */
export async function fetchRange(node: Node, request: RangeRequest, signal: AbortSignal): Promise<RawRange> {
  const answers = await Promise.all(logFilters(request).map((filter) => readLogs(node, filter, signal)))
  const logs = answers.flat().sort(byPosition)
  checkPlaces(logs, request)
  const { fromBlock, toBlock } = request
  const wanted = new Set([fromBlock, toBlock])
  for (const log of logs) if (timeOf(log) === null) wanted.add(Number(log.blockNumber))
  for (let block = Math.max(fromBlock, request.linkFrom); block < toBlock; block++) wanted.add(block)
  // After the logs, so that a block replaced between the two reads is seen.
  let headers = await readHeaders(node, [...wanted], signal)
  if (!areTimesSound(logs, headers, request)) headers = await readHeaders(node, [...withLogs(wanted, logs)], signal)
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
  address?: readonly Hex[]
  topics: readonly (readonly Hex[])[]
}>

/** The pools of v3 and the curves of launchpads are too many to name, so their logs are asked for by topic alone and sorted out here. */
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
    throw inconsistent('the node answered eth_getLogs with something that is no list of logs')
  return logs
}

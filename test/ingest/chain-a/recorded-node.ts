/** A node that serves the recorded market. The test moves the head of this node. */
import type { ChainAContracts } from '../../../ingest/chain-a/presets.ts'
import type { Hex } from '../../../schemas/units.ts'
import { readMarketFixture } from '../../support/oracle/market-fixture.ts'
import type { RawLog } from '../../support/oracle/recording.ts'

export const { recording, startAtMs } = readMarketFixture()
export const contracts: ChainAContracts = {
  ...{ chainId: 0x7a69, ethUsdFeed: null, ponsFactory: null },
  poolManager: recording.contracts.poolManager.toLowerCase() as Hex,
  positionManager: recording.contracts.positionManager.toLowerCase() as Hex,
  v3Factory: recording.contracts.v3Factory.toLowerCase() as Hex,
  weth: recording.contracts.weth.toLowerCase() as Hex,
}

const hex = (value: number): Hex => `0x${value.toString(16)}`
const hashOf = (block: number): Hex => `0x${block.toString(16).padStart(64, '0')}`
export const blockOf = ({ blockNumber }: RawLog): number => Number(blockNumber)
export const idOf = ({ blockNumber, logIndex }: RawLog): string => `${blockNumber}:${logIndex}`

/** The recorded logs, in the form in which `eth_getLogs` returns them. */
export const logs = recording.logs.map((log, _, all) => {
  const inBlock = all.filter(({ blockNumber }) => blockNumber === log.blockNumber)
  const txIndex = [...new Set(inBlock.map(({ transactionHash }) => transactionHash))].indexOf(log.transactionHash)
  return { ...log, blockHash: hashOf(blockOf(log)), transactionIndex: hex(txIndex) }
})
export const secondOf = createSeconds()

function createSeconds(): (block: number) => number {
  const seconds = new Map(logs.map((log) => [blockOf(log), Number(log.blockTimestamp)]))
  const first = Math.min(...seconds.values())
  return (block) => {
    for (let at = block; at >= 0; at--) {
      const second = seconds.get(at)
      if (second !== undefined) return second
    }
    return first
  }
}

const headerOf = (block: number, second: number) => ({
  ...{ number: hex(block), hash: hashOf(block), parentHash: hashOf(block - 1) },
  timestamp: hex(second),
})

type Filter = Readonly<{ fromBlock: Hex; toBlock: Hex; address?: readonly Hex[]; topics: readonly (readonly Hex[])[] }>

const fits = (log: RawLog, { fromBlock, toBlock, address, topics: [first] }: Filter): boolean =>
  blockOf(log) >= Number(fromBlock) &&
  blockOf(log) <= Number(toBlock) &&
  (address?.includes(log.address.toLowerCase() as Hex) ?? true) &&
  (first?.includes(log.topics[0] as Hex) ?? true)

/** The faults of the node. */
export type RecordedNode = Readonly<{
  head: number
  /** By default, the node returns all logs. */
  isGiven?: (log: RawLog) => boolean
  /** Default: the recorded times. */
  secondOf?: (block: number) => number
}>

export function answerOf(node: RecordedNode, method: string, [param]: readonly unknown[]): unknown {
  const { head, isGiven = () => true } = node
  const timeOf = node.secondOf ?? secondOf
  if (method === 'eth_chainId') return hex(contracts.chainId)
  if (method === 'eth_getTransactionByHash') return { hash: param, from: recording.senders[param as string] }
  if (method === 'eth_getLogs')
    return logs
      .filter((log) => fits(log, param as Filter) && isGiven(log))
      .map((log) => ({ ...log, blockTimestamp: hex(timeOf(blockOf(log))) }))
  const block = param === 'latest' ? head : Number(param)
  return block > head ? null : headerOf(block, timeOf(block))
}

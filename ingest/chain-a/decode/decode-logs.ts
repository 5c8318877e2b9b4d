/**
 * Decodes raw EVM logs to facts. This is a pure function. It ignores logs of contracts other than followed
 * pools and curves that trade against ETH. Malformed logs are returned as rejections.
 */
import type { ChainAAddress, PoolAddress } from '../../../schemas/chain-a/addresses.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { Address, BlockHash, EpochMs, TxHash } from '../../../schemas/units.ts'
import type { Launchpad } from '../launchpads/launchpad.ts'
import type { ChainAContracts } from '../presets.ts'
import type { KnownAddresses, TokenFact } from '../types.ts'
import { type CurveLogContext, decodeCurveLog } from './decode-curve-log.ts'
import { decodePoolBirth } from './decode-pool-birth.ts'
import { decodePoolLog } from './decode-pool-log.ts'
import type { DecodedLog } from './decoded-log.ts'
import { logTopics } from './log-topics.ts'
import type { RawLog } from './log-words.ts'
import { changedPools, poolOfTransfer, readTransfer, transferFact } from './position-transfers.ts'
import { createRangeAddresses, type RangeAddresses } from './range-addresses.ts'
import type { SoughtCurve } from './sought-curve.ts'

export type DecodeContext = Readonly<{
  contracts: Pick<ChainAContracts, 'poolManager' | 'positionManager' | 'v3Factory' | 'weth'>
  book: KnownAddresses
  curves: CurveContext
  /** The first block of the range, if the range will be published. Unset if the facts are only compared with published facts. */
  publishFrom?: number
  /** Returns the time of a log's block. Many nodes do not put the time into the log. */
  blockAtMsOf: (log: RawLog) => number | null
}>

/**
 * The launchpads whose curves are decoded, and what lookups at the node found out about addresses. An unknown
 * address that emits logs like a curve is looked up.
 */
type CurveContext = Pick<CurveLogContext, 'found' | 'isRefused'> & Readonly<{ launchpads: readonly Launchpad[] }>

type Rejection = Readonly<{ log: RawLog; reason: string }>

export type DecodedLogs = Readonly<{
  facts: readonly TokenFact[]
  newAddresses: readonly ChainAAddress[]
  staleAddresses: readonly string[]
  rejections: readonly Rejection[]
  /**
   * The curves to look up at the node, by address. `blockNumber` is the block of the first log that needs the
   * lookup.
   */
  sought: ReadonlyMap<Address, SoughtCurve>
}>

/**
 * Decodes logs, which must be in chain order. An address counts only after the log that adds it to the address book. The facts keep the
 * order of the logs.
 */
export function decodeLogs(logs: readonly RawLog[], context: DecodeContext): DecodedLogs {
  const facts: TokenFact[] = []
  const rejections: Rejection[] = []
  const sought = new Map<Address, SoughtCurve>()
  const book = createRangeAddresses(context.book, context.publishFrom)
  const inRange = { ...context, book, changed: changedPools(logs, context.contracts) }
  for (const log of logs) {
    const decoded = decodeLog(log, inRange)
    if (decoded.kind === 'rejected') rejections.push({ log, reason: decoded.reason })
    if ('sought' in decoded && !sought.has(decoded.sought.curve)) sought.set(decoded.sought.curve, decoded.sought)
    if (decoded.kind !== 'fact') continue
    const { token, found, fact } = decoded
    if (found) facts.push({ key: token, fact: found })
    facts.push({ key: token, fact })
    if (decoded.address) book.learn(decoded.address)
  }
  return { facts, rejections, sought, newAddresses: book.newAddresses(), staleAddresses: book.staleAddresses() }
}

type InRange = Omit<DecodeContext, 'book'> &
  Readonly<{ book: RangeAddresses; changed: ReturnType<typeof changedPools> }>

function decodeLog(log: RawLog, context: InRange): DecodedLog {
  const { contracts, book } = context
  const from = log.address.toLowerCase()
  switch (log.topics[0]) {
    case logTopics.v4Initialize:
      if (from !== contracts.poolManager) return ignored
      return atPlace(log, context, (place) => decodePoolBirth(log, { place, weth: contracts.weth }))
    case logTopics.v3PoolCreated:
      if (from !== contracts.v3Factory) return ignored
      return atPlace(log, context, (place) => decodePoolBirth(log, { place, weth: contracts.weth }))
    case logTopics.v4Swap:
    case logTopics.v4ModifyLiquidity:
      if (from !== contracts.poolManager) return ignored
      return ofPool(log, context, book.poolOf(log.topics[1]?.toLowerCase() ?? ''))
    case logTopics.positionTransfer:
      return from === contracts.positionManager ? decodeTransfer(log, context) : ignored
    case logTopics.v3Initialize:
    case logTopics.v3Swap:
    case logTopics.v3Mint:
    case logTopics.v3Burn: {
      // Other exchanges emit the same topics, so the pool must be one that the factory created.
      const pool = book.poolOf(from)
      return ofPool(log, context, pool?.dex === 'v3' ? pool : undefined)
    }
    default:
      return decodeLaunchpadLog(log, context)
  }
}

const ignored: DecodedLog = { kind: 'ignored' }

function decodeLaunchpadLog(log: RawLog, context: InRange): DecodedLog {
  const { launchpads, ...known } = context.curves
  const [topic] = log.topics
  const from = log.address.toLowerCase()
  const launchpad = launchpads.find(
    ({ factory, factoryTopics, curveTopics }) =>
      topic && (curveTopics.includes(topic) || (from === factory && factoryTopics.includes(topic))),
  )
  if (!launchpad) return ignored
  return atPlace(log, context, (place) => decodeCurveLog(log, { ...known, launchpad, place, book: context.book }))
}

function ofPool(log: RawLog, context: InRange, pool: PoolAddress | undefined): DecodedLog {
  if (!pool) return ignored
  const { positionManager } = context.contracts
  return atPlace(log, context, (place) =>
    context.book.isAlive(pool, place.blockAtMs) ? decodePoolLog(log, { place, pool, positionManager }) : ignored,
  )
}

function decodeTransfer(log: RawLog, context: InRange): DecodedLog {
  const transfer = readTransfer(log)
  if (!transfer) return { kind: 'rejected', reason: 'malformed transfer of a position NFT' }
  const pool = poolOfTransfer(log, transfer, context)
  if (!pool) return ignored
  return atPlace(log, context, (place) =>
    context.book.isAlive(pool, place.blockAtMs) ? transferFact(transfer, { place, ...pool }) : ignored,
  )
}

type Times = Pick<DecodeContext, 'blockAtMsOf'>

function atPlace(log: RawLog, context: Times, decode: (place: ChainPlace) => DecodedLog): DecodedLog {
  const place = placeOf(log, context.blockAtMsOf(log))
  return place ? decode(place) : { kind: 'rejected', reason: 'no complete place on the chain' }
}

const hash = /^0x[0-9a-f]{64}$/i

function placeOf(log: RawLog, blockAtMs: EpochMs | null): ChainPlace | null {
  const blockNumber = Number(log.blockNumber)
  const txIndex = Number(log.transactionIndex)
  const logIndex = Number(log.logIndex)
  if (blockAtMs === null || !hash.test(log.blockHash) || !hash.test(log.transactionHash)) return null
  if (![blockNumber, txIndex, logIndex, blockAtMs].every(Number.isSafeInteger)) return null
  return {
    blockNumber,
    blockAtMs,
    txIndex,
    logIndex,
    blockHash: log.blockHash.toLowerCase() as BlockHash,
    txHash: log.transactionHash.toLowerCase() as TxHash,
  }
}

/** Raw logs to facts. Pure: what is not of a tracked ETH-quoted pool is ignored, what is malformed is a value. */
import type { ChainAAddress, PoolAddress } from '../../../schemas/chain-a/addresses.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { KnownAddresses, TokenFact } from '../../source.ts'
import type { SoughtCurve } from '../follow/curve-reader.ts'
import type { Launchpad } from '../launchpads/launchpad.ts'
import { isPoolAlive } from '../lives.ts'
import type { ChainAContracts } from '../presets.ts'
import { type CurveLogContext, decodeCurveLog } from './decode-curve-log.ts'
import { decodePoolBirth } from './decode-pool-birth.ts'
import { decodePoolLog } from './decode-pool-log.ts'
import type { DecodedLog, LogPosition } from './decoded-log.ts'
import { logTopics } from './log-topics.ts'
import type { RawLog } from './log-words.ts'
import { changedPools, poolOfTransfer, readTransfer, transferFact } from './position-transfers.ts'
import { createRangeBook, type RangeBook } from './range-book.ts'

export type DecodeContext = Readonly<{
  contracts: Pick<ChainAContracts, 'poolManager' | 'positionManager' | 'v3Factory' | 'weth'>
  book: KnownAddresses
  curves: CurveContext
  /** The first block of a range that is to be told; left out where it only counts which facts there are. */
  tellingFrom?: number
  /** The block's time, for nodes whose logs do not carry it. */
  blockAtMsOf: (log: RawLog) => number | null
}>

/** Which logs are of launchpads, and what is known of addresses that log like curves. */
type CurveContext = Pick<CurveLogContext, 'found' | 'isRefused'> & Readonly<{ launchpads: readonly Launchpad[] }>

type Rejection = Readonly<{ log: RawLog; reason: string }>

export type DecodedLogs = Readonly<{
  facts: readonly TokenFact[]
  newAddresses: readonly ChainAAddress[]
  staleAddresses: readonly string[]
  rejections: readonly Rejection[]
  /** By address; each at its first log that asks for it. */
  sought: ReadonlyMap<Hex, SoughtCurve>
}>

/** Facts in the order of the logs, which must be that of the chain: an address is known from its own first log on. */
export function decodeLogs(logs: readonly RawLog[], context: DecodeContext): DecodedLogs {
  const facts: TokenFact[] = []
  const rejections: Rejection[] = []
  const sought = new Map<Hex, SoughtCurve>()
  const book = createRangeBook(context.book, context.tellingFrom)
  const inRange = { ...context, book, changed: changedPools(logs, context.contracts) }
  for (const log of logs) {
    const decoded = decodeLog(log, inRange)
    if (decoded.kind === 'rejected') rejections.push({ log, reason: decoded.reason })
    if ('sought' in decoded && !sought.has(decoded.sought.curve)) sought.set(decoded.sought.curve, decoded.sought)
    if (decoded.kind !== 'fact') continue
    const { token, found, fact } = decoded
    if (found) facts.push({ token, fact: found })
    facts.push({ token, fact })
    if (decoded.address) book.learn(decoded.address)
  }
  return { facts, rejections, sought, newAddresses: book.newAddresses(), staleAddresses: book.staleAddresses() }
}

type InRange = Omit<DecodeContext, 'book'> & Readonly<{ book: RangeBook; changed: ReturnType<typeof changedPools> }>

function decodeLog(log: RawLog, context: InRange): DecodedLog {
  const { contracts, book } = context
  const from = log.address.toLowerCase()
  switch (log.topics[0]) {
    case logTopics.v4Initialize:
      if (from !== contracts.poolManager) return ignored
      return withPosition(log, context, (position) => decodePoolBirth(log, { position, weth: contracts.weth }))
    case logTopics.v3PoolCreated:
      if (from !== contracts.v3Factory) return ignored
      return withPosition(log, context, (position) => decodePoolBirth(log, { position, weth: contracts.weth }))
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
      // Other exchanges emit the same topics: only an address that the factory made counts.
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
  return withPosition(log, context, (position) =>
    decodeCurveLog(log, { ...known, launchpad, position, book: context.book }),
  )
}

function ofPool(log: RawLog, context: InRange, pool: PoolAddress | undefined): DecodedLog {
  if (!pool) return ignored
  const { positionManager } = context.contracts
  return withPosition(log, context, (position) =>
    isPoolAlive(pool.createdAtMs, position.blockAtMs)
      ? decodePoolLog(log, { position, pool, positionManager })
      : ignored,
  )
}

function decodeTransfer(log: RawLog, context: InRange): DecodedLog {
  const transfer = readTransfer(log)
  if (!transfer) return { kind: 'rejected', reason: 'malformed transfer of a position NFT' }
  const pool = poolOfTransfer(log, transfer, context)
  if (!pool) return ignored
  return withPosition(log, context, (position) =>
    isPoolAlive(pool.createdAtMs, position.blockAtMs) ? transferFact(transfer, { position, ...pool }) : ignored,
  )
}

type Times = Pick<DecodeContext, 'blockAtMsOf'>

function withPosition(log: RawLog, context: Times, decode: (position: LogPosition) => DecodedLog): DecodedLog {
  const position = positionOf(log, context.blockAtMsOf(log))
  return position ? decode(position) : { kind: 'rejected', reason: 'no complete position on the chain' }
}

const hash = /^0x[0-9a-f]{64}$/i

function positionOf(log: RawLog, blockAtMs: number | null): LogPosition | null {
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
    blockHash: log.blockHash.toLowerCase() as Hex,
    txHash: log.transactionHash.toLowerCase() as Hex,
  }
}

/** Raw logs to facts. Pure: what is not of a tracked ETH-quoted pool is ignored, what is malformed is a value. */
import type { PoolAddress } from '../../schemas/addresses.ts'
import { isPoolAlive } from '../pool-life.ts'
import type { TokenFact } from '../source.ts'
import { decodePoolBirth } from './decode-pool-birth.ts'
import { decodePoolLog } from './decode-pool-log.ts'
import type { DecodedLog, LogPosition } from './decoded-log.ts'
import { logTopics } from './log-topics.ts'
import type { RawLog } from './log-words.ts'
import type { ChainAContracts, Hex } from './presets.ts'

export type DecodeContext = Readonly<{
  contracts: Pick<ChainAContracts, 'poolManager' | 'v3Factory' | 'weth'>
  /** Pools by id (v4) or address (v3), lower case. */
  book: ReadonlyMap<string, PoolAddress>
  /** The block's time, for nodes whose logs do not carry it. */
  blockAtMsOf: (log: RawLog) => number | null
}>

export type Rejection = Readonly<{ log: RawLog; reason: string }>

/** Facts in the order of the logs, which must be that of the chain: a pool is known from its own first log on. */
export function decodeLogs(
  logs: readonly RawLog[],
  context: DecodeContext,
): Readonly<{ facts: readonly TokenFact[]; newPools: readonly PoolAddress[]; rejections: readonly Rejection[] }> {
  const facts: TokenFact[] = []
  const rejections: Rejection[] = []
  const born = new Map<string, PoolAddress>()
  const poolOf = (pool: string) => born.get(pool) ?? context.book.get(pool)
  for (const log of logs) {
    const decoded = decodeLog(log, { ...context, poolOf })
    if (decoded.kind === 'rejected') rejections.push({ log, reason: decoded.reason })
    if (decoded.kind !== 'fact') continue
    facts.push({ token: decoded.token, fact: decoded.fact })
    if (decoded.newPool) born.set(decoded.newPool.pool, decoded.newPool)
  }
  return { facts, newPools: [...born.values()], rejections }
}

function decodeLog(
  log: RawLog,
  context: DecodeContext & Readonly<{ poolOf: (pool: string) => PoolAddress | undefined }>,
): DecodedLog {
  const { contracts, poolOf } = context
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
      return ofPool(log, context, poolOf(log.topics[1]?.toLowerCase() ?? ''))
    case logTopics.v3Initialize:
    case logTopics.v3Swap:
    case logTopics.v3Mint:
    case logTopics.v3Burn: {
      // Other exchanges emit the same topics: only an address that the factory made counts.
      const pool = poolOf(from)
      return ofPool(log, context, pool?.dex === 'v3' ? pool : undefined)
    }
    default:
      return ignored
  }
}

const ignored: DecodedLog = { kind: 'ignored' }

function ofPool(log: RawLog, context: DecodeContext, pool: PoolAddress | undefined): DecodedLog {
  if (!pool) return ignored
  return withPosition(log, context, (position) =>
    isPoolAlive(pool.createdAtMs, position.blockAtMs) ? decodePoolLog(log, { position, pool }) : ignored,
  )
}

function withPosition(log: RawLog, context: DecodeContext, decode: (position: LogPosition) => DecodedLog): DecodedLog {
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

import type { FactRange } from '../source.ts'
import { decodeLogs } from './decode-logs.ts'
import type { RawRange } from './fetch-range.ts'
import type { Follower } from './follower.ts'
import type { RawLog } from './log-words.ts'

/** One range of facts out of raw ranges that follow each other. */
export function factRangeOf({ contracts, known, logger }: Follower, raws: readonly RawRange[]): FactRange {
  const times = new Map<RawLog, number | null>()
  for (const raw of raws) for (const log of raw.logs) times.set(log, raw.blockAtMsOf(log))
  const blockAtMsOf = (log: RawLog) => times.get(log) ?? null
  const { facts, newPools, rejections } = decodeLogs([...times.keys()], { contracts, book: known.book, blockAtMsOf })
  for (const { log, reason } of rejections)
    logger.error({ reason, txHash: log.transactionHash, logIndex: log.logIndex }, 'a log was left out')
  const first = raws[0] as RawRange
  const { number, hash, atMs } = (raws.at(-1) as RawRange).last
  return { fromBlock: first.first.number, head: { number, hash, atMs }, facts, newPools }
}

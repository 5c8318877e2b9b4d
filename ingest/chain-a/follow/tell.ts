import type { Hex } from '../../../schemas/units.ts'
import type { FactRange } from '../../source.ts'
import { type DecodedLogs, decodeLogs } from '../decode/decode-logs.ts'
import type { RawLog } from '../decode/log-words.ts'
import { withSenders, withTerms } from './complete-facts.ts'
import type { FoundCurve } from './curve-reader.ts'
import type { RawRange } from './fetch-range.ts'
import type { Follower } from './follower.ts'

/** One range of facts out of raw ranges that follow each other, with what only the node's answers can tell. */
export async function tellRange(follower: Follower, raws: readonly RawRange[]): Promise<FactRange> {
  const fromBlock = (raws[0] as RawRange).first.number
  const decoded = await decodeWithFound(follower, raws, fromBlock)
  for (const { log, reason } of decoded.rejections)
    follower.logger.error({ reason, txHash: log.transactionHash, logIndex: log.logIndex }, 'a log was left out')
  const { facts, newAddresses } = await withTerms(follower, decoded)
  const { number, hash, atMs } = (raws.at(-1) as RawRange).last
  return {
    ...{ fromBlock, head: { number, hash, atMs }, newAddresses, staleAddresses: decoded.staleAddresses },
    facts: await withSenders(follower, facts),
  }
}

/** A second time where the node knew a curve that was looked for: what it says is told, and of a stranger all that follows. */
async function decodeWithFound(
  follower: Follower,
  raws: readonly RawRange[],
  tellingFrom: number,
): Promise<DecodedLogs> {
  const decoded = decodeRange(follower, raws, { tellingFrom })
  if (decoded.sought.size === 0) return decoded
  const found = await follower.curves.find([...decoded.sought.values()], follower.signal)
  return found.size === 0 ? decoded : decodeRange(follower, raws, { tellingFrom, found })
}

type Telling = Readonly<{ tellingFrom?: number; found?: ReadonlyMap<Hex, FoundCurve> }>

/** What the logs alone say: which facts there are, and most of each. */
export function decodeRange(
  { contracts, launchpads, curves, known }: Follower,
  raws: readonly RawRange[],
  { found = new Map(), ...telling }: Telling = {},
): DecodedLogs {
  const times = new Map<RawLog, number | null>()
  for (const raw of raws) for (const log of raw.logs) times.set(log, raw.blockAtMsOf(log))
  return decodeLogs([...times.keys()], {
    ...{ contracts, book: known.book, ...telling },
    curves: { launchpads, found, isRefused: curves.isRefused },
    blockAtMsOf: (log) => times.get(log) ?? null,
  })
}

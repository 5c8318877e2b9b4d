import type { Address } from '../../../schemas/units.ts'
import { type DecodedLogs, decodeLogs } from '../decode/decode-logs.ts'
import type { RawLog } from '../decode/log-words.ts'
import type { FoundCurve } from '../decode/sought-curve.ts'
import type { ChainARange } from '../types.ts'
import { withSenders, withTerms } from './complete-facts.ts'
import type { FollowDependencies } from './dependencies.ts'
import type { RawRange } from './fetch-range.ts'

/**
 * Makes one range of facts from consecutive ranges of EVM logs. Reads from the node the fields that the logs
 * lack.
 */
export async function toFactRange(dependencies: FollowDependencies, raws: readonly RawRange[]): Promise<ChainARange> {
  const fromBlock = (raws[0] as RawRange).first.number
  const decoded = await decodeWithFound(dependencies, raws, fromBlock)
  for (const { log, reason } of decoded.rejections)
    dependencies.logger.error(
      { reason, txHash: log.transactionHash, logIndex: log.logIndex },
      'an event cannot be decoded and is left out of the log',
    )
  const { facts, newAddresses } = await withTerms(dependencies, decoded)
  const { number, hash, atMs } = (raws.at(-1) as RawRange).last
  return {
    ...{ fromBlock, head: { number, hash, atMs }, newAddresses, staleAddresses: decoded.staleAddresses },
    facts: await withSenders(dependencies, facts),
  }
}

/**
 * Decodes the logs, and looks up the curves that they need. If a lookup has a result, decodes the logs again.
 * The new result also has the `CurveFound` facts, and the facts of the found curves. A second decoding is
 * needed only for curves that are older than the log or were last looked up at least a day ago. It takes less
 * than 1 % of the time of reading a range (`npm run bench -- faulty`).
 */
async function decodeWithFound(
  dependencies: FollowDependencies,
  raws: readonly RawRange[],
  publishFrom: number,
): Promise<DecodedLogs> {
  const decoded = decodeRange(dependencies, raws, { publishFrom })
  if (decoded.sought.size === 0) return decoded
  const found = await dependencies.curves.find([...decoded.sought.values()], dependencies.signal)
  return found.size === 0 ? decoded : decodeRange(dependencies, raws, { publishFrom, found })
}

type DecodeOptions = Readonly<{ publishFrom?: number; found?: ReadonlyMap<Address, FoundCurve> }>

/** Decodes the facts from the logs alone, without requests to the node. */
export function decodeRange(
  { contracts, launchpads, curves, known }: FollowDependencies,
  raws: readonly RawRange[],
  { found = new Map(), ...options }: DecodeOptions = {},
): DecodedLogs {
  const times = new Map<RawLog, number | null>()
  for (const raw of raws) for (const log of raw.logs) times.set(log, raw.blockAtMsOf(log))
  return decodeLogs([...times.keys()], {
    ...{ contracts, book: known.book, ...options },
    curves: { launchpads, found, isRefused: curves.isRefused },
    blockAtMsOf: (log) => times.get(log) ?? null,
  })
}

import { buyerMemoryMs } from '../../../schemas/buyer-memory.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { ReadBursts } from '../../buyers-in-memory.ts'
import type { StageCut } from '../../cuts.ts'
import { compareText } from '../../rows-at-cut.ts'
import type { CrewRow } from './chain-a-queries.ts'
import { since } from './pools.ts'

type Crews = Readonly<{ walletsTracked: number; crews: readonly CrewRow[] }>

/**
 * Counts the wallets that bought in the windows of several bursts of the last 30 days, most bursts first.
 * Buyers are known only for the tiers whose trades have senders. Two bursts of one pool count as two.
 */
export function selectCrews(
  readBursts: ReadBursts,
  cut: StageCut,
  { minBursts, limit }: Readonly<{ minBursts: number; limit: number }>,
): Promise<Crews> {
  const range = since(cut, buyerMemoryMs)
  return readBursts(cut, range.from, (bursts) => {
    let walletsTracked = 0
    const crews: CrewRow[] = []
    for (const [wallet, { bought }] of bursts) {
      const seen = seenIn(bought, range)
      if (seen.bursts > 0) walletsTracked++
      if (seen.bursts >= Math.floor(minBursts)) crews.push({ wallet, ...seen })
    }
    return { walletsTracked, crews: crews.sort(mostBurstsFirst).slice(0, Math.floor(limit)) }
  })
}

type Burst = Readonly<{ atMs: EpochMs }>

/** Counts the bursts in the range. If there are none, `lastSeenAtMs` is 0. */
function seenIn(
  bursts: readonly Burst[],
  { from, to }: ReturnType<typeof since>,
): Pick<CrewRow, 'bursts' | 'lastSeenAtMs'> {
  let count = 0
  let lastSeenAtMs = 0
  for (const { atMs } of bursts) {
    if (atMs < from || atMs > to) continue
    count++
    if (atMs > lastSeenAtMs) lastSeenAtMs = atMs
  }
  return { bursts: count, lastSeenAtMs }
}

const mostBurstsFirst = (left: CrewRow, right: CrewRow): number =>
  right.bursts - left.bursts || right.lastSeenAtMs - left.lastSeenAtMs || compareText(left.wallet, right.wallet)

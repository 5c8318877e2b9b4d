import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Tier } from '../../../schemas/chain-a/derived.ts'
import { poolLifeMs } from '../../../schemas/chain-a/pool-life.ts'
import { tiersWithSenders, tiersWithShownBuyers } from '../../../schemas/chain-a/tier-traits.ts'
import { atCut } from '../../at-cut.ts'
import { createBuyersInMemory, type ReadBursts } from '../../buyers-in-memory.ts'
import type { StageCut } from '../../cuts.ts'
import { countRepeatBuyers, type RepeatBuyers, repeatBuyersFrom } from '../../repeat-buyers.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import { bursts } from '../tables/bursts.ts'

const among = (tiers: readonly Tier[]) => ({ sql: `IN (${tiers.map((tier) => `'${tier}'`).join(', ')})` })

const askedTiers = among(tiersWithSenders)

type Buyers = Readonly<{
  /**
   * Counts the repeat buyers of bursts, for the tiers whose buyers the API shows. In the counted bursts, `name` is the
   * pool.
   */
  repeatBuyers: RepeatBuyers
  /** Reads the bursts of all tiers whose buyers are known. */
  readBursts: ReadBursts
}>

export function createBuyers(database: Database): Buyers {
  const { countRepeats, readBursts } = createBuyersInMemory({
    ...{ database, buyers: burstBuyers, bursts, asked: { tier: askedTiers }, followed: 'toString(pool_created_at_ms)' },
    stillFollowed: async (open, cut) => open.filter(({ followed }) => Number(followed) + poolLifeMs >= cut.blockAtMs),
  })
  const selected = (cut: StageCut, range: Readonly<{ from: number; to: number }>) =>
    countRepeatBuyers(database, cut, {
      ...{ range, key: ['pool', 'tier', 'at_ms'], named: 'pool' },
      countedBuyers: atCut(burstBuyers, cut.atMs, { at_ms: range, tier: among(tiersWithShownBuyers) }),
      buyersIn: (memory) => atCut(burstBuyers, cut.atMs, { at_ms: memory }),
      burstsIn: (memory) => atCut(bursts, cut.atMs, { at_ms: memory, tier: askedTiers }),
      isFollowed: `pool_created_at_ms + ${poolLifeMs} >= ${cut.blockAtMs}`,
    })
  return { repeatBuyers: repeatBuyersFrom(countRepeats, selected), readBursts }
}

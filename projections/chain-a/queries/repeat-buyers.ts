import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Tier } from '../../../schemas/chain-a/derived.ts'
import { poolLifeMs } from '../../../schemas/chain-a/pool-life.ts'
import { tiersWithSenders, tiersWithShownBuyers } from '../../../schemas/chain-a/tier-traits.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { countRepeatBuyers } from '../../repeat-buyers.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import { bursts } from '../tables/bursts.ts'

const among = (tiers: readonly Tier[]) => ({ sql: `IN (${tiers.map((tier) => `'${tier}'`).join(', ')})` })

/**
 * Counts the repeat buyers of the bursts with signals in the range, for tiers whose buyers are shown. The `name` of a burst is its pool.
 */
export const repeatBuyers = (database: Database, cut: StageCut, range: Readonly<{ from: number; to: number }>) =>
  countRepeatBuyers(database, cut, {
    ...{ range, key: ['pool', 'tier', 'at_ms'], named: 'pool' },
    countedBuyers: atCut(burstBuyers, cut.atMs, { at_ms: range, tier: among(tiersWithShownBuyers) }),
    buyersIn: (memory) => atCut(burstBuyers, cut.atMs, { at_ms: memory }),
    burstsIn: (memory) => atCut(bursts, cut.atMs, { at_ms: memory, tier: among(tiersWithSenders) }),
    isFollowed: `pool_created_at_ms + ${poolLifeMs} >= ${cut.blockAtMs}`,
  })

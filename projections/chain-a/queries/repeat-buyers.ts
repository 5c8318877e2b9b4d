import type { Database } from '../../../infra/clickhouse/database.ts'
import { poolLifeMs } from '../../../schemas/chain-a/pool-life.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { countRepeatBuyers } from '../../repeat-buyers.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import { bursts } from '../tables/bursts.ts'

/** Counts for the main bursts with their signal in the range; `name` is the pool. */
export const repeatBuyers = (database: Database, cut: StageCut, range: Readonly<{ from: number; to: number }>) =>
  countRepeatBuyers(database, cut, {
    ...{ range, key: ['pool', 'tier', 'at_ms'], named: 'pool' },
    asked: atCut(burstBuyers, cut.atMs, { at_ms: range, tier: { sql: "= 'main'" } }),
    buyersIn: (memory) => atCut(burstBuyers, cut.atMs, { at_ms: memory }),
    // Buyers of lite bursts are not asked for.
    burstsIn: (memory) => atCut(bursts, cut.atMs, { at_ms: memory, tier: { sql: "!= 'lite'" } }),
    isFollowed: `pool_created_at_ms + ${poolLifeMs} >= ${cut.blockAtMs}`,
  })

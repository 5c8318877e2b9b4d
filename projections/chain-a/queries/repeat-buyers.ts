import type { Database } from '../../../infra/clickhouse/database.ts'
import { poolLifeMs } from '../../../schemas/chain-a/pool-life.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { countRepeatBuyers } from '../../repeat-buyers.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import { bursts } from '../tables/bursts.ts'

/** Counts the repeat buyers of the main bursts with signals in the range. The `name` of a burst is its pool. */
export const repeatBuyers = (database: Database, cut: StageCut, range: Readonly<{ from: number; to: number }>) =>
  countRepeatBuyers(database, cut, {
    ...{ range, key: ['pool', 'tier', 'at_ms'], named: 'pool' },
    asked: atCut(burstBuyers, cut.atMs, { at_ms: range, tier: { sql: "= 'main'" } }),
    buyersIn: (memory) => atCut(burstBuyers, cut.atMs, { at_ms: memory }),
    // The service does not look up the buyers of lite bursts.
    burstsIn: (memory) => atCut(bursts, cut.atMs, { at_ms: memory, tier: { sql: "!= 'lite'" } }),
    isFollowed: `pool_created_at_ms + ${poolLifeMs} >= ${cut.blockAtMs}`,
  })

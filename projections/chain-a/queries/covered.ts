import type { Database } from '../../../infra/clickhouse/database.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { atCut } from '../../at-cut.ts'
import { callTablesOf } from '../../calls/tables.ts'
import { type Covered, coverageAt, coverageBackMs, watchedOf } from '../../coverage.ts'
import type { StageCut } from '../../cuts.ts'
import { countGapsByHour } from '../../trade-gaps/trade-gaps.ts'
import { bursts } from '../tables/bursts.ts'
import { chainATradeGaps } from '../tables/chain-a-trade-gaps.ts'
import { pools } from '../tables/pools.ts'
import { since } from './pools.ts'

/** Selects, for each hour, how completely the service recorded the data of chain A. */
export async function selectChainACovered(database: Database, cut: StageCut): Promise<Covered> {
  const range = since(cut, coverageBackMs)
  const watched = await watchedOf(database, [
    { name: 'poolsOpened', source: atCut(pools, cut.atMs, { created_at_ms: range }), column: 'created_at_ms' },
    { name: 'bursts', source: atCut(bursts, cut.atMs, { at_ms: range }), column: 'at_ms' },
    {
      name: 'calls',
      source: atCut(callTablesOf(chainAStage.name).Call, cut.atMs, { called_at_ms: range }),
      column: 'called_at_ms',
    },
  ])
  const coverage = await coverageAt(database, cut, chainAStage.derivedTopic.name)
  return {
    ...coverage,
    watched,
    tradeGaps: await countGapsByHour({ database, table: chainATradeGaps }, cut, coverageBackMs),
    chatGaps: null,
  }
}

import type { Database } from '../../../infra/clickhouse/database.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { atCut } from '../../at-cut.ts'
import { callTablesOf } from '../../calls/tables.ts'
import { type Covered, coverageAt, coverageBackMs, watchedOf } from '../../coverage.ts'
import type { StageCut } from '../../cuts.ts'
import { countGapsByHour } from '../../trade-gaps/trade-gaps.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBGraduations } from '../tables/chain-b-graduations.ts'
import { chainBTradeGaps } from '../tables/chain-b-trade-gaps.ts'
import { since } from './since.ts'

/** Selects, for each hour, how completely the service recorded the data of chain B. */
export async function selectChainBCovered(database: Database, cut: StageCut): Promise<Covered> {
  const range = since(cut, coverageBackMs)
  const watched = await watchedOf(database, [
    { name: 'bursts', source: atCut(chainBBursts, cut.atMs, { at_ms: range }), column: 'at_ms' },
    {
      ...{ name: 'graduations', column: 'grad_at_ms' },
      source: atCut(chainBGraduations, cut.atMs, { grad_at_ms: range }),
    },
    {
      name: 'calls',
      source: atCut(callTablesOf(chainBStage.name).Call, cut.atMs, { called_at_ms: range }),
      column: 'called_at_ms',
    },
  ])
  const coverage = await coverageAt(database, cut, chainBStage.derivedTopic.name)
  return {
    ...coverage,
    watched,
    tradeGaps: await countGapsByHour({ database, table: chainBTradeGaps }, cut, coverageBackMs),
    chatGaps: null,
  }
}

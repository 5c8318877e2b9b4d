import type { Database } from '../../../infra/clickhouse/database.ts'
import { graduatedLifeMs } from '../../../schemas/chain-b/mint-life.ts'
import { dayMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { countRepeatBuyers } from '../../repeat-buyers.ts'
import { chainBAnatomies } from '../tables/chain-b-anatomies.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBGraduations } from '../tables/chain-b-graduations.ts'

/** Counts the repeat buyers of the bursts with signals in the range. The `name` of a burst is its mint. */
export const repeatBuyers = (database: Database, cut: StageCut, range: Readonly<{ from: number; to: number }>) =>
  countRepeatBuyers(database, cut, {
    ...{ range, key: ['mint', 'at_ms'], named: 'mint' },
    countedBuyers: atCut(chainBAnatomies, cut.atMs, { at_ms: range }),
    buyersIn: (memory) => atCut(chainBAnatomies, cut.atMs, { at_ms: memory }),
    burstsIn: (memory) => atCut(chainBBursts, cut.atMs, { at_ms: memory }),
    isFollowed: `mint NOT IN (SELECT mint FROM ${atCut(chainBGraduations, cut.atMs, { grad_at_ms: forgottenAt(cut) })})`,
  })

/**
 * The range of graduation times of the mints whose states the stage has deleted at the cut. Only bursts of the last day can have an open
 * lookup, so older graduations do not matter.
 */
const forgottenAt = ({ blockAtMs }: StageCut) => ({ from: blockAtMs - 2 * dayMs, to: blockAtMs - graduatedLifeMs - 1 })

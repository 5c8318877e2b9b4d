import type { Database } from '../../../infra/clickhouse/database.ts'
import { graduatedLifeMs } from '../../../schemas/chain-b/mint-life.ts'
import { dayMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import { createBuyersInMemory, type OpenBurst } from '../../buyers-in-memory.ts'
import type { StageCut } from '../../cuts.ts'
import { countRepeatBuyers, type RepeatBuyers, repeatBuyersFrom } from '../../repeat-buyers.ts'
import { selectRowsAt } from '../../rows-at-cut.ts'
import { chainBAnatomies } from '../tables/chain-b-anatomies.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBGraduations } from '../tables/chain-b-graduations.ts'

/** Returns a function that counts the repeat buyers of bursts. In the counted bursts, `name` is the mint. */
export function createRepeatBuyers(database: Database): RepeatBuyers {
  const { countRepeats } = createBuyersInMemory({
    ...{ database, buyers: chainBAnatomies, bursts: chainBBursts, asked: {}, followed: 'mint' },
    stillFollowed: (open, cut) => withoutForgotten(database, open, cut),
  })
  const selected = (cut: StageCut, range: Readonly<{ from: number; to: number }>) =>
    countRepeatBuyers(database, cut, {
      ...{ range, key: ['mint', 'at_ms'], named: 'mint' },
      countedBuyers: atCut(chainBAnatomies, cut.atMs, { at_ms: range }),
      buyersIn: (memory) => atCut(chainBAnatomies, cut.atMs, { at_ms: memory }),
      burstsIn: (memory) => atCut(chainBBursts, cut.atMs, { at_ms: memory }),
      isFollowed: `mint NOT IN (SELECT mint FROM ${atCut(chainBGraduations, cut.atMs, { grad_at_ms: forgottenAt(cut) })})`,
    })
  return repeatBuyersFrom(countRepeats, selected)
}

async function withoutForgotten(
  database: Database,
  open: readonly OpenBurst[],
  cut: StageCut,
): Promise<readonly OpenBurst[]> {
  if (open.length === 0) return open
  const { rows } = await selectRowsAt(database, chainBGraduations, {
    atMs: cut.atMs,
    conditions: { grad_at_ms: forgottenAt(cut) },
  })
  const forgotten = new Set(rows.map(({ mint }) => mint))
  return open.filter(({ followed }) => !forgotten.has(followed))
}

/**
 * Returns a range of graduation times. The stage has already deleted the state of mints that graduated in
 * this range. Older graduations do not matter, because only bursts of the last day can have an open lookup.
 */
const forgottenAt = ({ blockAtMs }: StageCut) => ({ from: blockAtMs - 2 * dayMs, to: blockAtMs - graduatedLifeMs - 1 })

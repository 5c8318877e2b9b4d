/** The data source of the answers about chain A, and the condition that the service knows an ETH price. */
import type { Cut, StageCut } from '../../projections/cuts.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { coinPriceNeed, type RequiredSource, stageCutOf } from '../route.ts'

export const chainASource: Omit<RequiredSource, 'maxAgeMs'> = {
  stage: chainAStage,
  newest: 'the newest complete block of chain A',
}

export const ethPriceNeed = coinPriceNeed(
  chainAStage,
  'the service has not read an ETH price yet. It sells nothing of chain A without an ETH price. Try again in some seconds',
)

export const chainACut = (cut: Cut): StageCut => stageCutOf(cut, chainAStage)

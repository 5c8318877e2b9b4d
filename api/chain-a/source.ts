/** The source that answers about chain A depend on, and the condition that the ETH price is known. */
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

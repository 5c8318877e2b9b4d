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
  'no ETH price has been read yet, and nothing of chain A is sold without an ETH price; try again shortly',
)

export const chainACut = (cut: Cut): StageCut => stageCutOf(cut, chainAStage)

/** The data source of the answers about chain B, and the condition that the service knows a SOL price. */
import type { Cut, StageCut } from '../../projections/cuts.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { coinPriceNeed, type RequiredSource, stageCutOf } from '../route.ts'

export const chainBSource: Omit<RequiredSource, 'maxAgeMs'> = {
  stage: chainBStage,
  newest: 'the newest complete slot of chain B',
}

export const solPriceNeed = coinPriceNeed(
  chainBStage,
  'the service has not read a SOL price yet. It sells no bursts of chain B without a SOL price. Try again in some seconds',
)

export const chainBCut = (cut: Cut): StageCut => stageCutOf(cut, chainBStage)

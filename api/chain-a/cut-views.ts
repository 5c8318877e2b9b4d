/** The questions about chain A together with the cuts that they are asked at. */
import type { ChainAViews } from '../../projections/chain-a/queries/chain-a-views.ts'
import type { Cut, Cuts, StageCut } from '../../projections/cuts.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'

export type CutViews = ChainAViews &
  Readonly<{
    newestCut(): Promise<StageCut | null>
    cutAt(atMs: number): Promise<StageCut | null>
  }>

export const withCuts = (views: ChainAViews, cuts: Cuts): CutViews => ({
  ...views,
  newestCut: async () => chainACut(await cuts.newest([chainAStage])),
  cutAt: async (atMs) => chainACut(await cuts.at(atMs, [chainAStage])),
})

const chainACut = (cut: Cut | null): StageCut | null => cut?.stages[chainAStage.name] ?? null

import { curves } from '../../../processors/chain-a/curves/processor.ts'
import { markets as chainAMarkets } from '../../../processors/chain-a/markets/processor.ts'
import { pools } from '../../../processors/chain-a/pools/processor.ts'
import { markets as chainBMarkets } from '../../../processors/chain-b/markets/processor.ts'
import { mints } from '../../../processors/chain-b/mints/processor.ts'
import { type ChainATypes, chainAStage } from '../../../schemas/chain-a/stage.ts'
import { type ChainBTypes, chainBStage } from '../../../schemas/chain-b/stage.ts'
import { testToken } from '../../support/builders/build-facts.ts'
import { testMint } from '../../support/chain-b/build-facts.ts'
import { linesOfChainA } from '../../support/oracle/calls/chain-a.ts'
import { completes, linesOfChainB } from '../../support/oracle/calls/chain-b.ts'
import { livesOfCurves } from './lives-of-curves.ts'
import { livesOfMints } from './lives-of-mints.ts'
import { livesOfPools } from './lives-of-pools.ts'
import { type Chain, expectSame } from './play-life.ts'

const chainA: Chain<ChainATypes> = {
  stage: chainAStage,
  before: [pools, curves],
  markets: chainAMarkets,
  token: testToken,
  linesOf: linesOfChainA,
  completedBy: ({ type, data }) => (type === 'CurveCompleted' || type === 'CurveGraduated' ? data.curve : null),
}

const chainB: Chain<ChainBTypes> = {
  stage: chainBStage,
  before: [mints],
  markets: chainBMarkets,
  token: testMint,
  linesOf: linesOfChainB,
  completedBy: (fact, lines) => (completes(fact) ? (lines[0]?.market ?? null) : null),
}

describe('the markets of a token of chain A', () => {
  for (const [name, life] of Object.entries({ ...livesOfPools, ...livesOfCurves }))
    it(`are those of a slow recount in the life ${name}`, () => expectSame(chainA, life))
})

describe('the markets of a mint of chain B', () => {
  for (const [name, life] of Object.entries(livesOfMints))
    it(`are those of a slow recount in the life ${name}`, () => expectSame(chainB, life))
})

/** A test server of the HTTP API with chain A and chain B. Each test sets the rows that the server shows. */
import { createChainB } from '../../../api/chain-b/chain.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { calledB } from '../../support/calls/fixed-queries.ts'
import {
  chainBCut,
  createFixedChainBQueries,
  fixedMint,
  fixedRows,
  fixedWallet,
} from '../../support/chain-b/fixed-queries.ts'
import { fixedCut } from '../../support/fixed-queries.ts'
import { pathOf } from '../../support/payments/paid-routes.ts'
import { bodyOf, edgeOfTests } from '../edge.ts'

const { rows, queries } = createFixedChainBQueries()
export const chainB = {
  ...createChainB({
    queries,
    presentation: {
      chainName: 'chainB',
      ruleIdSecret: 'a secret of the test',
      callerIdSecret: 'another secret of the test',
    },
  }),
  called: calledB,
}

export const pathOfEachRoute: readonly string[] = chainB.routes.map((route) =>
  pathOf(route, { addr: fixedWallet, mint: fixedMint }),
)

/** Undoes the changes of earlier tests. This is needed because all test servers of a process share `rows`. */
export const resetChainBRows = (): void => void Object.assign(rows, fixedRows)

/**
 * Starts one server for the enclosing `describe`. Resets the rows and the data times (cuts) before each test.
 */
export function chainBEdgeOfTests() {
  const edge = edgeOfTests({ otherChains: [chainB] })
  beforeEach(() => {
    resetChainBRows()
    edge.state.otherCuts = { [chainBStage.name]: chainBCut }
  })
  let cutCount = 0
  return {
    edge,
    rows,
    setCut(cut: StageCut | null) {
      edge.state.otherCuts = cut === null ? {} : { [chainBStage.name]: cut }
    },
    /** Each purchase uses a newer data time (cut), because the service caches answers by cut. */
    async sell<Body>(path: string): Promise<Body> {
      cutCount += 1
      const atMs = fixedCut.atMs + cutCount
      edge.state.cut = { ...fixedCut, atMs }
      edge.state.otherCuts = { [chainBStage.name]: { ...chainBCut, atMs } }
      edge.nowMs = atMs
      return (await bodyOf(edge.buy(path))) as unknown as Body
    },
  }
}

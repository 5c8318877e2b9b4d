/**
 * A test server of the HTTP API with both chains and the chats. Each test sets the rows that the server
 * shows.
 */
import { calls } from '../../../api/calls/product.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import {
  chatsCut,
  chatsOver,
  createFixedCallsQueries,
  fixedGradedMint,
  fixedRows,
  fixedToken,
} from '../../support/calls/fixed-queries.ts'
import { chainBCut } from '../../support/chain-b/fixed-queries.ts'
import { fixedCut } from '../../support/fixed-queries.ts'
import { apiChains, pathOf } from '../../support/payments/paid-routes.ts'
import { chainB, resetChainBRows } from '../chain-b/edge.ts'
import { bodyOf, edgeOfTests } from '../edge.ts'

const fixed = createFixedCallsQueries()
const { rows } = fixed
const chats = chatsOver(fixed)

export const pathOfEachRoute: readonly string[] = calls
  .routesOf(apiChains)
  .map((route) => pathOf(route, { mint: fixedGradedMint, addr: fixedToken }))

/**
 * Starts one server for the enclosing `describe`. Resets the rows and the data times (cuts) before each test.
 */
export function callsEdgeOfTests() {
  const edge = edgeOfTests({ otherChains: [chainB, chats] })
  const cutsOf = (chats: StageCut) => ({
    [chainBStage.name]: { ...chainBCut, atMs: chats.atMs },
    [chatsStage.name]: chats,
  })
  beforeEach(() => {
    Object.assign(rows, fixedRows)
    resetChainBRows()
    edge.state.otherCuts = cutsOf(chatsCut)
  })
  let cutCount = 0
  return {
    edge,
    rows,
    setChats(cut: StageCut) {
      edge.state.otherCuts = cutsOf(cut)
    },
    /** Each purchase uses a newer data time (cut), because the service caches answers by cut. */
    async sell<Body>(path: string): Promise<Body> {
      cutCount += 1
      const atMs = fixedCut.atMs + cutCount
      edge.state.cut = { ...fixedCut, atMs }
      edge.state.otherCuts = cutsOf({ ...chatsCut, atMs })
      edge.nowMs = atMs
      return (await bodyOf(edge.buy(path))) as unknown as Body
    },
  }
}

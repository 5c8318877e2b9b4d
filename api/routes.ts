/** The chains that are sold, and all paid routes: the only list of either. A chain is added here. */
import type { Database } from '../infra/clickhouse/database.ts'
import { createChainAViews } from '../projections/chain-a/queries/chain-a.ts'
import { createChainBViews } from '../projections/chain-b/queries/chain-b.ts'
import type { ApiChain } from './chain.ts'
import { createChainA } from './chain-a/chain.ts'
import type { Presentation as ChainAPresentation } from './chain-a/world.ts'
import { createChainB } from './chain-b/chain.ts'
import type { Presentation as ChainBPresentation } from './chain-b/world.ts'
import type { Route } from './route.ts'
import { createSnapshotRoute } from './snapshot.ts'

type ChainsOptions = Readonly<{ database: Database; chainA: ChainAPresentation; chainB: ChainBPresentation }>

export const createChains = ({ database, chainA, chainB }: ChainsOptions): readonly ApiChain[] => [
  createChainA({ views: createChainAViews({ database }), presentation: chainA }),
  createChainB({ views: createChainBViews({ database }), presentation: chainB }),
]

/** The routes of the chains, in the order of the list on `/`, and those that cover several chains. */
export function routesOf(chains: readonly ApiChain[]): readonly Route[] {
  const snapshot = createSnapshotRoute(chains.flatMap(({ snapshot }) => snapshot ?? []))
  return [...chains.flatMap(({ routes }) => routes), ...(snapshot === null ? [] : [snapshot])]
}

/** The chains that are sold, and all paid routes: the only list of either. A chain is added here. */
import type { Database } from '../infra/clickhouse/database.ts'
import { createChainAViews } from '../projections/chain-a/queries/chain-a.ts'
import type { ApiChain } from './chain.ts'
import { createChainA } from './chain-a/chain.ts'
import type { Presentation } from './chain-a/world.ts'
import type { Route } from './route.ts'
import { createSnapshotRoute } from './snapshot.ts'

type ChainsOptions = Readonly<{ database: Database; chainA: Presentation }>

export const createChains = ({ database, chainA }: ChainsOptions): readonly ApiChain[] => [
  createChainA({ views: createChainAViews({ database }), presentation: chainA }),
]

/** The routes of the chains, in the order of the list on `/`, and those that cover several chains. */
export function routesOf(chains: readonly ApiChain[]): readonly Route[] {
  const snapshot = createSnapshotRoute(chains.flatMap(({ snapshot }) => snapshot ?? []))
  return [...chains.flatMap(({ routes }) => routes), ...(snapshot === null ? [] : [snapshot])]
}

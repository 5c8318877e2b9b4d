/** The dependencies of chain A's routes. */
import type { ChainAQueries } from '../../projections/chain-a/queries/chain-a-queries.ts'

/** The public names of the chain and the launchpad, and the secrets that make the ids of rules and callers opaque. */
export type Presentation = Readonly<{
  chainName: string
  launchpadKey: string
  ruleIdSecret: string
  callerIdSecret: string
}>

export type ChainADependencies = Readonly<{ queries: ChainAQueries; presentation: Presentation }>

/** The dependencies of chain B's routes. */
import type { ChainBQueries } from '../../projections/chain-b/queries/chain-b-queries.ts'

/** The public name of the chain, and the secrets that make the ids of rules and callers opaque. */
export type Presentation = Readonly<{ chainName: string; ruleIdSecret: string; callerIdSecret: string }>

export type ChainBDependencies = Readonly<{ queries: ChainBQueries; presentation: Presentation }>

/** The dependencies of chain A's routes. */
import type { ChainAViews } from '../../projections/chain-a/queries/chain-a-views.ts'

/** The public names of the chain and the launchpad, and the keys that make the ids of rules and callers opaque. */
export type Presentation = Readonly<{
  chainName: string
  launchpadKey: string
  ruleIdSecret: string
  callerIdSecret: string
}>

export type ChainAWorld = Readonly<{ views: ChainAViews; presentation: Presentation }>

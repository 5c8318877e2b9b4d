/** What the routes of chain A answer from. */
import type { ChainAViews } from '../../projections/chain-a/queries/chain-a-views.ts'

/** The names that the outside sees, and the keys that make the ids of rules and of callers opaque. */
export type Presentation = Readonly<{
  chainName: string
  launchpadKey: string
  ruleIdSecret: string
  callerIdSecret: string
}>

export type ChainAWorld = Readonly<{ views: ChainAViews; presentation: Presentation }>

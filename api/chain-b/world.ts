/** What the routes of chain B answer from. */
import type { ChainBViews } from '../../projections/chain-b/queries/chain-b-views.ts'

/** The name that the outside sees, and the keys that make the ids of rules and of callers opaque. */
export type Presentation = Readonly<{ chainName: string; ruleIdSecret: string; callerIdSecret: string }>

export type ChainBWorld = Readonly<{ views: ChainBViews; presentation: Presentation }>

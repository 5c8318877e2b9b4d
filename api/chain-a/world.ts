/** What the routes of chain A answer from. */
import type { ChainAViews } from '../../projections/chain-a/queries/chain-a-views.ts'

/** The names that the outside sees, and the key that makes rule ids opaque. */
export type Presentation = Readonly<{ chainName: string; launchpadKey: string; ruleIdSecret: string }>

export type ChainAWorld = Readonly<{ views: ChainAViews; presentation: Presentation }>

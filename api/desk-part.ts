/** What a chain brings to the answers about the paper desk. */
import type { DeskViews } from '../projections/desk/queries/desk.ts'
import type { Desk } from '../schemas/desk/rules.ts'
import type { Dependency } from './route.ts'

export type DeskPart = Readonly<{
  /** As answers name the chain. */
  chainName: string
  /** In the ids of trades, as in those of bursts. */
  idLetter: string
  source: Omit<Dependency, 'maxAgeMs'>
  desk: Desk
  views: DeskViews
  /** Over example rows. */
  exampleViews: DeskViews
}>

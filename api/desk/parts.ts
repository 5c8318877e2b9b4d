/** What a chain brings to the answers about the paper desk. */
import type { DeskQueries } from '../../projections/desk/queries/desk.ts'
import type { Desk } from '../../schemas/desk/rules.ts'
import type { RequiredSource } from '../route.ts'

export type DeskPart = Readonly<{
  /** As answers name the chain. */
  chainName: string
  /** In the ids of trades, as in those of bursts. */
  idLetter: string
  source: Omit<RequiredSource, 'maxAgeMs'>
  desk: Desk
  queries: DeskQueries
  /** Over example rows. */
  exampleQueries: DeskQueries
}>

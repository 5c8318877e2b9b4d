/** The data of one chain for the answers about the paper desk (simulated trading). */
import type { DeskQueries } from '../../projections/desk/queries/desk.ts'
import type { Desk } from '../../schemas/desk/rules.ts'
import type { RequiredSource } from '../route.ts'

export type DeskPart = Readonly<{
  /** The public name of the chain, as in answers. */
  chainName: string
  /** The letter of the chain in the ids of its trades and bursts. */
  idLetter: string
  source: Omit<RequiredSource, 'maxAgeMs'>
  desk: Desk
  queries: DeskQueries
  exampleQueries: DeskQueries
}>

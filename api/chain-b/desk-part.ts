import { chainBDesk } from '../../schemas/chain-b/desk.ts'
import type { DeskPart } from '../desk/parts.ts'
import type { ChainBDependencies } from './dependencies.ts'
import { exampleQueries } from './example-queries.ts'
import { chainBSource } from './source.ts'

export const createDeskPart = ({ queries, presentation }: ChainBDependencies): DeskPart => ({
  chainName: presentation.chainName,
  idLetter: 'b',
  source: chainBSource,
  desk: chainBDesk,
  queries: queries.desk,
  exampleQueries: exampleQueries.desk,
})

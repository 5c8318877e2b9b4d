import { chainADesk } from '../../schemas/chain-a/desk.ts'
import type { DeskPart } from '../desk/parts.ts'
import type { ChainADependencies } from './dependencies.ts'
import { exampleQueries } from './example-queries.ts'
import { chainASource } from './source.ts'

export const createDeskPart = ({ queries, presentation }: ChainADependencies): DeskPart => ({
  chainName: presentation.chainName,
  idLetter: 'a',
  source: chainASource,
  desk: chainADesk,
  queries: queries.desk,
  exampleQueries: exampleQueries.desk,
})

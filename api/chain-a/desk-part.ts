import { chainADesk } from '../../schemas/chain-a/desk.ts'
import type { DeskPart } from '../desk-part.ts'
import { exampleViews } from './example-views.ts'
import { chainASource } from './source.ts'
import type { ChainAWorld } from './world.ts'

export const createDeskPart = ({ views, presentation }: ChainAWorld): DeskPart => ({
  chainName: presentation.chainName,
  idLetter: 'a',
  source: chainASource,
  desk: chainADesk,
  views: views.desk,
  exampleViews: exampleViews.desk,
})

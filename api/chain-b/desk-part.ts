import { chainBDesk } from '../../schemas/chain-b/desk.ts'
import type { DeskPart } from '../desk-part.ts'
import { exampleViews } from './example-views.ts'
import { chainBSource } from './source.ts'
import type { ChainBWorld } from './world.ts'

export const createDeskPart = ({ views, presentation }: ChainBWorld): DeskPart => ({
  chainName: presentation.chainName,
  idLetter: 'b',
  source: chainBSource,
  desk: chainBDesk,
  views: views.desk,
  exampleViews: exampleViews.desk,
})

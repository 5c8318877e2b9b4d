/** The tables of the desk whose corrections are listed. */
import type { CorrectedTable } from '../../corrections.ts'
import type { DeskTables } from '../tables.ts'

export const correctedDesk = ({ opens, trades, twins, shadows }: DeskTables): readonly CorrectedTable[] => [
  { recordType: 'DeskOpened', table: opens },
  { recordType: 'DeskTrade', table: trades },
  { recordType: 'DeskTwin', table: twins },
  { recordType: 'DeskShadow', table: shadows },
]

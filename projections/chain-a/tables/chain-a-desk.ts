import { deskTablesOf } from '../../desk/tables.ts'

export const chainADesk = deskTablesOf('chain_a_')

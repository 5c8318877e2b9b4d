import { deskTablesOf } from '../../desk/tables.ts'

export const chainBDesk = deskTablesOf('chain_b_')

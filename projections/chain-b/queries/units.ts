/**
 * Converts exact integers, which ClickHouse returns as text, to the numbers of an API answer. Rounding
 * happens only here.
 */
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'

export const solOfLamports = (lamports: string): number => Number(BigInt(lamports)) / lamportsPerSol

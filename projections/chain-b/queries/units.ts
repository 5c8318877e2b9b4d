/** Text of exact integers, as ClickHouse gives them, to the numbers of an answer. The only place that rounds. */
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'

export const solOfLamports = (lamports: string): number => Number(BigInt(lamports)) / lamportsPerSol

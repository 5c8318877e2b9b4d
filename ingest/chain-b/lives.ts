import { curveLifeMs, graduatedLifeMs } from '../../schemas/chain-b/mint-life.ts'

/** After its life a curve is a stranger, and is found again. Judged by block time, so that the cut into ranges changes nothing. */
export const isCurveAlive = (seenAtMs: number, blockAtMs: number): boolean => blockAtMs - seenAtMs < curveLifeMs

/** A pool opens after its curve was complete, so an entry is kept somewhat longer than its trades are read. */
export const isPoolAlive = (migratedAtMs: number, blockAtMs: number): boolean =>
  blockAtMs - migratedAtMs <= graduatedLifeMs

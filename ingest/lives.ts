import { curveLifeMs } from '../schemas/chain-a/curve-life.ts'
import { poolLifeMs } from '../schemas/chain-a/pool-life.ts'

/** Later logs of a pool are not read. Judged at a block's own time, so that it does not depend on how the past was cut into ranges. */
export const isPoolAlive = (createdAtMs: number, blockAtMs: number): boolean => blockAtMs - createdAtMs <= poolLifeMs

/**
 * A later trade is a stranger's. `seenAtMs` may be a day before the last trade: then the curve is found anew though the stage
 * still knows it, but never is a trade told of a curve that the stage has forgotten.
 */
export const isCurveAlive = (seenAtMs: number, blockAtMs: number): boolean => blockAtMs - seenAtMs < curveLifeMs

const dayMs = 86_400_000

/** Whether the book should be told that a curve is still traded. */
export const isSeenLongAgo = (seenAtMs: number, blockAtMs: number): boolean => blockAtMs - seenAtMs >= dayMs

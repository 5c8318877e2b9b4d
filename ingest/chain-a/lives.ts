import { curveLifeMs } from '../../schemas/chain-a/curve-life.ts'
import { poolLifeMs } from '../../schemas/chain-a/pool-life.ts'

/** Later logs of a pool are not read. Judged at a block's own time, so that it does not depend on how the past was cut into ranges. */
export const isPoolAlive = (createdAtMs: number, blockAtMs: number): boolean => blockAtMs - createdAtMs <= poolLifeMs

const dayMs = 86_400_000
const findEveryMs = dayMs
const findEveryMsMax = 3 * dayMs

/**
 * A later trade is a stranger's. `seenAtMs` may be some days before the last trade: then the curve is found anew though the
 * stage still knows it, but never is a trade told of a curve that the stage has forgotten.
 */
export const isCurveAlive = (seenAtMs: number, blockAtMs: number): boolean => blockAtMs - seenAtMs < curveLifeMs

/**
 * Whether it is time to find a traded curve again, and to note in the book that it is still seen. Far sooner than facts are
 * forgotten: where the node cannot say what is in the curve, the next days will do. A find tells no fees and a sell shows
 * none that buyers pay, so a buy is waited for.
 */
export const isFindDue = (seenAtMs: number, { blockAtMs, isBuy }: Readonly<{ blockAtMs: number; isBuy: boolean }>) =>
  blockAtMs - seenAtMs >= (isBuy ? findEveryMs : findEveryMsMax)

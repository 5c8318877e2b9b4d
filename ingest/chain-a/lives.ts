import { curveLifeMs } from '../../schemas/chain-a/curve-life.ts'
import { poolLifeMs } from '../../schemas/chain-a/pool-life.ts'

/** Logs of a pool past its life are ignored. Judged by block time, so that the cut into ranges changes nothing. */
export const isPoolAlive = (createdAtMs: number, blockAtMs: number): boolean => blockAtMs - createdAtMs <= poolLifeMs

const dayMs = 86_400_000
const findEveryMs = dayMs
const findEveryMsMax = 3 * dayMs

/**
 * After its life a curve is a stranger. `seenAtMs` may be some days before the last trade: then a curve is found again
 * that the stage still knows. But no trade is ever published for a curve that the stage has forgotten.
 */
export const isCurveAlive = (seenAtMs: number, blockAtMs: number): boolean => blockAtMs - seenAtMs < curveLifeMs

/**
 * Whether to find a traded curve again and to renew `seenAtMs` in the book. This is due long before facts expire, so
 * that there are more days to try if the node cannot give the reserve. It waits up to three days for a buy, because
 * neither a find nor a sell shows the fees that buyers pay, and a reader may begin there.
 */
export const isFindDue = (seenAtMs: number, { blockAtMs, isBuy }: Readonly<{ blockAtMs: number; isBuy: boolean }>) =>
  blockAtMs - seenAtMs >= (isBuy ? findEveryMs : findEveryMsMax)

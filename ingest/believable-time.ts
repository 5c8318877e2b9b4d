/** Everything counts by the times of blocks, and a wrong one would stay in the log for good: it is refused before it is written. */
import { OperationError } from '../infra/errors.ts'
import type { Block } from '../schemas/stage.ts'

/** Clocks that are kept differ by seconds. */
export const aheadMsMax = 10 * 60_000

type Limits = Readonly<{
  nowMs: number
  /** The time of the block before it. 0: it is not known. */
  afterMs: number
  /** By how much it may be before that. */
  fallMsMax?: number
}>

/** Fails with `node_inconsistent`: the range is read again, and as long as no URL of the node tells another time it is waited. */
export function believeTime(
  { number, atMs }: Pick<Block, 'number' | 'atMs'>,
  { nowMs, afterMs, fallMsMax = 0 }: Limits,
): void {
  if (atMs > nowMs + aheadMsMax)
    throw new OperationError(
      'node_inconsistent',
      `block ${number} is of ${textOf(atMs)}, and it is ${textOf(nowMs)} by the clock of this machine: ` +
        'the node is wrong, or this clock is. Nothing of the block is written until they agree within 10 minutes',
    )
  if (atMs < afterMs - fallMsMax)
    throw new OperationError(
      'node_inconsistent',
      `block ${number} is of ${textOf(atMs)}, and the block before it of ${textOf(afterMs)}: one of them is wrong. ` +
        'If the log has the wrong one, a new DATA_DIR starts over',
    )
}

/** Whatever a node may send: only some numbers are instants. */
const textOf = (atMs: number): string =>
  Math.abs(atMs) <= 8.64e15 ? new Date(atMs).toISOString() : `${atMs} ms since 1970`

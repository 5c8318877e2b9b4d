/** Every rule counts by the times of blocks, and a wrong time would stay in the log for good. So it is refused before it is written. */
import { OperationError } from '../infra/errors.ts'
import type { Block } from '../schemas/stage.ts'

/** Synchronised clocks differ by seconds. This allows for a machine whose clock is off by minutes. */
export const clockErrorMsMax = 10 * 60_000

type Limits = Readonly<{
  nowMs: number
  /** The time of its parent. 0: it is not known. */
  afterMs: number
  /** By how much it may be before its parent. Default 0. */
  fallMsMax?: number
}>

/** Fails with `node_inconsistent`, so the source waits and reads the range again until the node tells a time that can be. */
export function believeTime(
  { number, atMs }: Pick<Block, 'number' | 'atMs'>,
  { nowMs, afterMs, fallMsMax = 0 }: Limits,
): void {
  if (atMs > nowMs + clockErrorMsMax)
    throw new OperationError(
      'node_inconsistent',
      `block ${number} is of ${textOf(atMs)}, and it is ${textOf(nowMs)} by the clock of this machine: ` +
        'the node is wrong, or this clock is. Nothing of the block is written until they agree within ' +
        `${clockErrorMsMax / 60_000} minutes`,
    )
  if (atMs < afterMs - fallMsMax)
    throw new OperationError(
      'node_inconsistent',
      `block ${number} is of ${textOf(atMs)}, and the block before it of ${textOf(afterMs)}: one of them is wrong. ` +
        'If the log has the wrong one, a new DATA_DIR starts over',
    )
}

/** A node may send any number, and only some are instants. */
const textOf = (atMs: number): string =>
  Math.abs(atMs) <= 8.64e15 ? new Date(atMs).toISOString() : `${atMs} ms since 1970`

/** Refuses wrong block times before they are written. All rules use block times, and the log never changes. */
import { OperationError } from '../infra/errors.ts'
import type { Block } from '../schemas/stage.ts'
import { type BlockHash, type DurationMs, type EpochMs, minuteMs } from '../schemas/units.ts'

/**
 * The maximum by which a block time may be ahead of this machine's clock, in ms. Synchronised clocks differ
 * by seconds. The limit is higher, because the clock of a machine may be wrong by minutes.
 */
export const clockErrorMsMax = 10 * minuteMs

type Limits = Readonly<{
  nowMs: EpochMs
  /** The time of the parent block, or 0 if it is unknown. */
  afterMs: EpochMs
  /** The maximum by which a block may be earlier than its parent, in ms. Default 0. */
  fallMsMax?: DurationMs
}>

/** Fails with `node_inconsistent` if the time is impossible. The source then waits and reads the range again. */
export function believeTime(block: Pick<Block, 'number' | 'atMs'>, { nowMs, afterMs, fallMsMax = 0 }: Limits): void {
  const { number, atMs } = block
  if (isAheadOfClock(block, nowMs))
    throw new OperationError('node_inconsistent', aheadText(block, { nowMs, whose: 'The node or this clock is wrong' }))
  if (atMs < afterMs - fallMsMax)
    throw new OperationError(
      'node_inconsistent',
      `block ${number} has the time ${instantText(atMs)}, which is before ${instantText(afterMs)}, the time of its parent`,
    )
}

export const isAheadOfClock = ({ atMs }: Pick<Block, 'atMs'>, nowMs: EpochMs): boolean => atMs > nowMs + clockErrorMsMax

type Blame = Readonly<{
  nowMs: EpochMs
  /** A sentence for the text of the error that says which clock is wrong. */
  whose: string
}>

export const aheadText = ({ number, atMs }: Pick<Block, 'number' | 'atMs'>, { nowMs, whose }: Blame): string =>
  `block ${number} has the time ${instantText(atMs)}, but the clock of this machine says ${instantText(nowMs)}. ${whose}. ` +
  `Ingest waits with this block until both times agree within ${clockErrorMsMax / minuteMs} minutes`

/**
 * Whether the node still has this block of the log. The hashes must be equal. Older versions wrote blocks
 * without a check of their times. So if the block time in the log is in the future, the times must be equal
 * too. A block with another time is replaced, like a block of another branch.
 */
export const isSameBlock = (inLog: NamedBlock, atNode: NamedBlock | null, nowMs: EpochMs): boolean =>
  atNode?.hash === inLog.hash && (!isAheadOfClock(inLog, nowMs) || atNode.atMs === inLog.atMs)

type NamedBlock = Readonly<{ hash: BlockHash; atMs: EpochMs }>

/** The instant as text. A number outside the range of `Date` is shown as milliseconds, because a node may send any number. */
export const instantText = (atMs: EpochMs): string =>
  Math.abs(atMs) <= 8.64e15 ? new Date(atMs).toISOString() : `${atMs} ms since 1970`

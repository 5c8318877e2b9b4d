/**
 * Refuses wrong block times before they are written: every rule counts by block time, and the log would keep a wrong
 * one.
 */
import { OperationError } from '../infra/errors.ts'
import type { Block } from '../schemas/stage.ts'
import { type BlockHash, type DurationMs, type EpochMs, minuteMs } from '../schemas/units.ts'

/** Synchronised clocks differ by seconds. This allows for a machine whose clock is off by minutes. */
export const clockErrorMsMax = 10 * minuteMs

type Limits = Readonly<{
  nowMs: EpochMs
  /** Time of the parent block. 0 if it is unknown. */
  afterMs: EpochMs
  /** How far a block may lie before its parent. Default 0. */
  fallMsMax?: DurationMs
}>

/** Fails with `node_inconsistent` if the time is impossible. The source then waits and reads the range again. */
export function believeTime(block: Pick<Block, 'number' | 'atMs'>, { nowMs, afterMs, fallMsMax = 0 }: Limits): void {
  const { number, atMs } = block
  if (isAheadOfClock(block, nowMs))
    throw new OperationError('node_inconsistent', aheadText(block, { nowMs, whose: 'the node or this clock is wrong' }))
  if (atMs < afterMs - fallMsMax)
    throw new OperationError(
      'node_inconsistent',
      `block ${number} has the time ${instantText(atMs)}, but the block before it has ${instantText(afterMs)}: one of them is wrong`,
    )
}

export const isAheadOfClock = ({ atMs }: Pick<Block, 'atMs'>, nowMs: EpochMs): boolean => atMs > nowMs + clockErrorMsMax

type Blame = Readonly<{
  nowMs: EpochMs
  /** A phrase that says which side is wrong. */
  whose: string
}>

export const aheadText = ({ number, atMs }: Pick<Block, 'number' | 'atMs'>, { nowMs, whose }: Blame): string =>
  `block ${number} has the time ${instantText(atMs)}, but the clock of this machine says ${instantText(nowMs)}: ${whose}. ` +
  `The block is not written until they agree within ${clockErrorMsMax / minuteMs} minutes`

/**
 * Whether the node still has a block of the log. Older versions wrote blocks without checking their times. If the log
 * has a block with an impossible time, the node must give the same time too. Otherwise the block is replaced like one
 * of another branch.
 */
export const isSameBlock = (inLog: NamedBlock, atNode: NamedBlock | null, nowMs: EpochMs): boolean =>
  atNode?.hash === inLog.hash && (!isAheadOfClock(inLog, nowMs) || atNode.atMs === inLog.atMs)

type NamedBlock = Readonly<{ hash: BlockHash; atMs: EpochMs }>

/** A node may send any number, but not every number is a valid instant. */
export const instantText = (atMs: EpochMs): string =>
  Math.abs(atMs) <= 8.64e15 ? new Date(atMs).toISOString() : `${atMs} ms since 1970`

/**
 * Controls how many blocks are requested at once. Nodes limit a range by blocks, logs or bytes, and report the limit in
 * different ways.
 */

import type { DurationMs } from '../../../schemas/units.ts'

export type RangeControl = Readonly<{
  /** The size of the next range, in blocks. */
  span: number
  spanMax: number
  /** The number of full ranges that were answered since the size changed. */
  passCount: number
  /** Whether a range was refused. Then the node's limit is near, so the size grows slowly. */
  wasRefused: boolean
  /** The number of failures in a row after which the size stayed the same. */
  waitCount: number
  /** The number of refusals of a one-block range in a row. Any other answer or failure sets the count to 0. */
  refusalCount: number
}>

const spanStart = 1000
/**
 * The size of the range does not grow after an answer with more logs, because an answer is held, decoded and written as
 * a whole.
 */
const logCountMax = 20_000
const passesBeforeGrowth = 3
const waitMsFirst = 500
const waitMsMax = 30_000
const contradictionsBeforeHalving = 2

export const startRangeControl = (spanMax: number): RangeControl => ({
  span: Math.min(spanStart, spanMax),
  spanMax,
  passCount: 0,
  wasRefused: false,
  waitCount: 0,
  refusalCount: 0,
})

export const afterSuccess = (control: RangeControl): RangeControl => ({ ...control, waitCount: 0, refusalCount: 0 })

/**
 * A full range was answered. After three such answers the size doubles. Once a range has been refused, it grows by an
 * eighth.
 */
export function afterPass(control: RangeControl, logCount: number): RangeControl {
  const passed = { ...afterSuccess(control), passCount: control.passCount + 1 }
  if (logCount > logCountMax || passed.passCount < passesBeforeGrowth) return passed
  const grown = control.wasRefused ? control.span + Math.ceil(control.span / 8) : control.span * 2
  return { ...passed, span: Math.min(grown, control.spanMax), passCount: 0 }
}

/** The number of blocks in the failed range. Null if the failure came before a range was requested. */
export type AskedBlocks = number | null

/** The node refused a range. Returns null if the range had one block, which cannot be halved. */
export function afterRefusal(control: RangeControl, asked: AskedBlocks): RangeControl | null {
  const span = halfOf(asked)
  return span === null ? null : { ...afterSuccess(control), span, passCount: 0, wasRefused: true }
}

type Waited = Readonly<{ control: RangeControl; waitMs: DurationMs }>

/**
 * A request of the range failed in all its tries. Some nodes do not report that a range is too large: they time out,
 * drop the connection or answer that a rate limit was exceeded. So the range is halved after any failure. When it cannot be
 * halved, the waits grow.
 */
export function afterWait(control: RangeControl, asked: AskedBlocks): Waited {
  const span = halfOf(asked)
  if (span !== null) return { waitMs: waitMsFirst, control: { ...afterSuccess(control), span, passCount: 0 } }
  const waitCount = control.waitCount + 1
  return { waitMs: waitMsOf(waitCount), control: { ...control, waitCount, refusalCount: 0, passCount: 0 } }
}

const waitMsOf = (count: number): DurationMs => Math.min(waitMsMax, waitMsFirst * 2 ** (count - 1))

/**
 * The maximum number of refusals of one block. Nodes behind a load balancer also refuse blocks that they do not have
 * yet, so a single block is requested several times, over a minute and a half.
 */
const singleRefusalsMax = 8

/**
 * A range of one block was refused. Returns null if the node refused the block in all tries; then the refusal is final.
 */
export function afterSingleRefusal(control: RangeControl): Waited | null {
  const refusalCount = control.refusalCount + 1
  if (refusalCount > singleRefusalsMax) return null
  return { waitMs: waitMsOf(refusalCount), control: { ...control, refusalCount, passCount: 0 } }
}

/** The answers of a range contradict each other. After the second time in a row, the range is halved. */
export function afterContradiction(control: RangeControl, asked: AskedBlocks): RangeControl {
  const waitCount = control.waitCount + 1
  const span = halfOf(asked)
  if (waitCount < contradictionsBeforeHalving || span === null)
    return { ...control, waitCount, refusalCount: 0, passCount: 0 }
  return { ...afterSuccess(control), span, passCount: 0 }
}

const halfOf = (asked: AskedBlocks): number | null => (asked === null || asked <= 1 ? null : Math.floor(asked / 2))

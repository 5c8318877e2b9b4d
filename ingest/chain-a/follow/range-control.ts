/**
 * Controls the number of blocks in one request. Nodes limit a range by blocks, logs or bytes, and report the
 * limit in different ways.
 */

import type { DurationMs } from '../../../schemas/units.ts'

export type RangeControl = Readonly<{
  /** The size of the next range, in blocks. */
  span: number
  spanMax: number
  /** The number of ranges of the full size `span` that were answered after the last change of the size. */
  passCount: number
  /**
   * Whether the node has ever refused a range. The node's limit is then near the size, so the size grows
   * slowly.
   */
  wasRefused: boolean
  /** The number of failures in a row that left the size unchanged. */
  waitCount: number
  /** The number of refused one-block ranges in a row. Any other result sets this number to 0. */
  refusalCount: number
}>

const spanStart = 1000
/**
 * The number of logs in an answer above which the size of ranges does not grow. An answer is stored in
 * memory, decoded and written as a whole.
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
 * Call this when a range of the full size was answered. After three such answers the size doubles, or grows by an
 * eighth if a range was ever refused.
 */
export function afterPass(control: RangeControl, logCount: number): RangeControl {
  const passed = { ...afterSuccess(control), passCount: control.passCount + 1 }
  if (logCount > logCountMax || passed.passCount < passesBeforeGrowth) return passed
  const grown = control.wasRefused ? control.span + Math.ceil(control.span / 8) : control.span * 2
  return { ...passed, span: Math.min(grown, control.spanMax), passCount: 0 }
}

/** The number of blocks in the failed range. Null if no range was requested before the failure. */
export type AskedBlocks = number | null

/**
 * Call this when the node refused a range. Halves the size. Returns null if the range had one block, which cannot be
 * halved.
 */
export function afterRefusal(control: RangeControl, asked: AskedBlocks): RangeControl | null {
  const span = halfOf(asked)
  return span === null ? null : { ...afterSuccess(control), span, passCount: 0, wasRefused: true }
}

type Waited = Readonly<{ control: RangeControl; waitMs: DurationMs }>

/**
 * Call this when a request of the range failed in all its tries. Halves the size, because some nodes do not report that a range is too
 * large. They time out, drop the connection or report a rate limit. If the size cannot be halved, the waits grow.
 */
export function afterWait(control: RangeControl, asked: AskedBlocks): Waited {
  const span = halfOf(asked)
  if (span !== null) return { waitMs: waitMsFirst, control: { ...afterSuccess(control), span, passCount: 0 } }
  const waitCount = control.waitCount + 1
  return { waitMs: waitMsOf(waitCount), control: { ...control, waitCount, refusalCount: 0, passCount: 0 } }
}

const waitMsOf = (count: number): DurationMs => Math.min(waitMsMax, waitMsFirst * 2 ** (count - 1))

/**
 * The maximum number of refusals of one block. A node behind a load balancer may lack a new block and refuse the request. So ingest
 * requests a single block several times, over a minute and a half.
 */
const singleRefusalsMax = 8

/**
 * Call this when a range of one block was refused. Returns null as soon as the node has refused the block in
 * all tries. The refusal is then final.
 */
export function afterSingleRefusal(control: RangeControl): Waited | null {
  const refusalCount = control.refusalCount + 1
  if (refusalCount > singleRefusalsMax) return null
  return { waitMs: waitMsOf(refusalCount), control: { ...control, refusalCount, passCount: 0 } }
}

/**
 * Call this when the answers of a range contradict each other. Halves the size if this happens two times in a
 * row.
 */
export function afterContradiction(control: RangeControl, asked: AskedBlocks): RangeControl {
  const waitCount = control.waitCount + 1
  const span = halfOf(asked)
  if (waitCount < contradictionsBeforeHalving || span === null)
    return { ...control, waitCount, refusalCount: 0, passCount: 0 }
  return { ...afterSuccess(control), span, passCount: 0 }
}

const halfOf = (asked: AskedBlocks): number | null => (asked === null || asked <= 1 ? null : Math.floor(asked / 2))

/**
 * How many blocks to request at once. Nodes limit a range by blocks, logs or bytes, and each reports it differently.
 */

import type { DurationMs } from '../../../schemas/units.ts'

export type RangeControl = Readonly<{
  /** Size of the next range, in blocks. */
  span: number
  spanMax: number
  /** Ranges answered since the last change. */
  passCount: number
  /** After a refusal the limit is near, so the range grows slowly. */
  wasRefused: boolean
  /** Failures in a row without a change. */
  waitCount: number
  /** Refusals of a single block in a row. Any other answer or failure in between resets the count. */
  refusalCount: number
}>

const spanStart = 1000
/** A larger answer stops the growth of the range, because an answer is held, decoded and written as a whole. */
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

/** A full range was answered. Doubles after three passes; after the first refusal it grows by an eighth instead. */
export function afterPass(control: RangeControl, logCount: number): RangeControl {
  const passed = { ...afterSuccess(control), passCount: control.passCount + 1 }
  if (logCount > logCountMax || passed.passCount < passesBeforeGrowth) return passed
  const grown = control.wasRefused ? control.span + Math.ceil(control.span / 8) : control.span * 2
  return { ...passed, span: Math.min(grown, control.spanMax), passCount: 0 }
}

/** Blocks in the failed range. Null if the failure came before a range was requested. */
export type AskedBlocks = number | null

/** Null if a range of one block was refused, which cannot be halved. */
export function afterRefusal(control: RangeControl, asked: AskedBlocks): RangeControl | null {
  const span = halfOf(asked)
  return span === null ? null : { ...afterSuccess(control), span, passCount: 0, wasRefused: true }
}

type Waited = Readonly<{ control: RangeControl; waitMs: DurationMs }>

/**
 * A request of the range failed in all its tries. Some nodes never report that a range is too large: they time out,
 * drop the connection or count it against a limit. So the range is halved, whatever the reason was. Once it cannot be
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
 * Nodes behind a load balancer also refuse blocks that they do not have yet, so a single block is requested several times, over a
 * minute and a half.
 */
const singleRefusalsMax = 8

/** Null if the node refused the block in all tries, so that the refusal is final. */
export function afterSingleRefusal(control: RangeControl): Waited | null {
  const refusalCount = control.refusalCount + 1
  if (refusalCount > singleRefusalsMax) return null
  return { waitMs: waitMsOf(refusalCount), control: { ...control, refusalCount, passCount: 0 } }
}

/** The answers of a range contradict each other. The second time in a row, the range is halved. */
export function afterContradiction(control: RangeControl, asked: AskedBlocks): RangeControl {
  const waitCount = control.waitCount + 1
  const span = halfOf(asked)
  if (waitCount < contradictionsBeforeHalving || span === null)
    return { ...control, waitCount, refusalCount: 0, passCount: 0 }
  return { ...afterSuccess(control), span, passCount: 0 }
}

const halfOf = (asked: AskedBlocks): number | null => (asked === null || asked <= 1 ? null : Math.floor(asked / 2))

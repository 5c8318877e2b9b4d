/**
 * How many blocks to request at once. Nodes limit a range by blocks, logs or bytes, and each reports it differently.
 */

export type RangeControl = Readonly<{
  /** Size of the next range, in blocks. */
  span: number
  spanMax: number
  /** Answered ranges since the last change. */
  passCount: number
  /** After a refusal the limit is near, so the range grows slowly. */
  wasRefused: boolean
  /** Failures in a row without a change. */
  waitCount: number
}>

const spanStart = 1000
/** After a larger answer the range no longer grows: an answer is held, decoded and written as a whole. */
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
})

/** A full range was answered. Doubles after three passes; after the first refusal it grows by an eighth instead. */
export function afterPass(control: RangeControl, logCount: number): RangeControl {
  const passed = { ...control, waitCount: 0, passCount: control.passCount + 1 }
  if (logCount > logCountMax || passed.passCount < passesBeforeGrowth) return passed
  const grown = control.wasRefused ? control.span + Math.ceil(control.span / 8) : control.span * 2
  return { ...passed, span: Math.min(grown, control.spanMax), passCount: 0 }
}

/** Blocks in the range that failed; null if the failure came before a range was asked for. */
export type AskedBlocks = number | null

/** Null: a range of one block was refused and cannot be halved. */
export function afterRefusal(control: RangeControl, asked: AskedBlocks): RangeControl | null {
  const span = halfOf(asked)
  return span === null ? null : { ...control, span, passCount: 0, wasRefused: true, waitCount: 0 }
}

type Waited = Readonly<{ control: RangeControl; waitMs: number }>

/**
 * A request of the range failed in all its tries. Some nodes never say that a range is too large, and time out, drop
 * the connection or count it against a limit, so the range is halved whatever the reason was. Once nothing is left to
 * halve, the waits grow.
 */
export function afterWait(control: RangeControl, asked: AskedBlocks): Waited {
  const span = halfOf(asked)
  if (span !== null) return { waitMs: waitMsFirst, control: { ...control, span, passCount: 0, waitCount: 0 } }
  const waitCount = control.waitCount + 1
  const waitMs = Math.min(waitMsMax, waitMsFirst * 2 ** (waitCount - 1))
  return { waitMs, control: { ...control, waitCount, passCount: 0 } }
}

/** The answers of a range contradict each other: the second time in a row, fewer are asked for. */
export function afterContradiction(control: RangeControl, asked: AskedBlocks): RangeControl {
  const waitCount = control.waitCount + 1
  const span = halfOf(asked)
  if (waitCount < contradictionsBeforeHalving || span === null) return { ...control, waitCount, passCount: 0 }
  return { ...control, span, passCount: 0, waitCount: 0 }
}

const halfOf = (asked: AskedBlocks): number | null => (asked === null || asked <= 1 ? null : Math.floor(asked / 2))

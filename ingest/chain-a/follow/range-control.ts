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
  /** Waits in a row for the same range. */
  waitCount: number
}>

const spanStart = 1000
/** After a larger answer the range no longer grows: an answer is held, decoded and written as a whole. */
const logCountMax = 20_000
const passesBeforeGrowth = 3
const waitsBeforeHalving = 3
const waitMsMax = 30_000

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

/** Null: a range of one block was refused and cannot be halved. */
export function afterRefusal(control: RangeControl): RangeControl | null {
  if (control.span === 1) return null
  return { ...control, span: Math.floor(control.span / 2), passCount: 0, wasRefused: true, waitCount: 0 }
}

/**
 * The node was busy or too slow: wait, then request the same range again. Some nodes never say that a range is too
 * large, so a range that times out three times is halved.
 */
export function afterWait(
  control: RangeControl,
  isTimeout: boolean,
): Readonly<{ control: RangeControl; waitMs: number }> {
  const waitCount = control.waitCount + 1
  const waitMs = Math.min(waitMsMax, 500 * 2 ** (waitCount - 1))
  const waited = { ...control, waitCount, passCount: 0 }
  const isTooSlow = isTimeout && waitCount >= waitsBeforeHalving && control.span > 1
  return { waitMs, control: isTooSlow ? { ...waited, span: Math.floor(control.span / 2), waitCount: 0 } : waited }
}

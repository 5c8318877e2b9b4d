/** How many blocks to ask for at once: nodes limit a range by blocks, logs or bytes, and say so each in its own way. */

export type RangeControl = Readonly<{
  /** Blocks in the next range. */
  span: number
  spanMax: number
  /** Ranges passed since the last change. */
  passCount: number
  /** Once a range was refused, growth is slow: the limit is near. */
  wasRefused: boolean
  /** Waits in a row for the same range. */
  waitCount: number
}>

const spanStart = 1000
/** An answer this large is not made larger: it has to be held, decoded and written as a whole. */
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

/** A full range was answered. Doubles after clean passes until the first refusal, from then on grows by an eighth. */
export function afterPass(control: RangeControl, logCount: number): RangeControl {
  const passed = { ...control, waitCount: 0, passCount: control.passCount + 1 }
  if (logCount > logCountMax || passed.passCount < passesBeforeGrowth) return passed
  const grown = control.wasRefused ? control.span + Math.ceil(control.span / 8) : control.span * 2
  return { ...passed, span: Math.min(grown, control.spanMax), passCount: 0 }
}

/** Null: a range of one block was refused, and there is nothing left to halve. */
export function afterRefusal(control: RangeControl): RangeControl | null {
  if (control.span === 1) return null
  return { ...control, span: Math.floor(control.span / 2), passCount: 0, wasRefused: true, waitCount: 0 }
}

/**
 * The node was busy or too slow: wait, then ask the same again. A range that times out again and again is halved after
 * all: some nodes never say that a range is too large.
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

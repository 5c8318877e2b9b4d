/**
 * Computes the times at which twins of a token open. A twin is a comparison position without a signal. The
 * times come from a hash of the token and the time, so nobody can choose them.
 */

import type { DurationMs, EpochMs } from '../../schemas/units.ts'

/**
 * Returns the 32-bit FNV-1a hash of an ASCII text. To hash two texts in a row, pass the hash of the first as
 * `from`.
 */
export function fnv1a(text: string, from = 0x811c9dc5): number {
  let hash = from
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/**
 * Returns the first time after `afterMs` at which a twin of the token opens. There is one such time in each
 * period of `twinSlotMs`.
 */
export function nextTwinAtMs(token: string, afterMs: EpochMs, twinSlotMs: DurationMs): EpochMs {
  const secondsInSlot = twinSlotMs / 1000
  const ofToken = fnv1a(':', fnv1a(token))
  for (let slot = Math.floor(afterMs / twinSlotMs); ; slot++) {
    const second = fnv1a(`${slot}`, ofToken) % secondsInSlot
    const atMs = slot * twinSlotMs + second * 1000
    if (atMs > afterMs) return atMs
  }
}

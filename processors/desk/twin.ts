/** Entry times of a token’s twins. They come from a hash of the token and the time, so they cannot be chosen. */

import type { DurationMs, EpochMs } from '../../schemas/units.ts'

/** FNV-1a, 32 bits, over UTF-16 code units; keys are ASCII. `from`: the hash of the preceding text. */
export function fnv1a(text: string, from = 0x811c9dc5): number {
  let hash = from
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/** The token's next entry time later than the instant. There is one in each slot. */
export function nextTwinAtMs(token: string, afterMs: EpochMs, twinSlotMs: DurationMs): EpochMs {
  const secondsInSlot = twinSlotMs / 1000
  const ofToken = fnv1a(':', fnv1a(token))
  for (let slot = Math.floor(afterMs / twinSlotMs); ; slot++) {
    const second = fnv1a(`${slot}`, ofToken) % secondsInSlot
    const atMs = slot * twinSlotMs + second * 1000
    if (atMs > afterMs) return atMs
  }
}

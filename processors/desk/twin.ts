/** When a token’s twins open: at seconds that its name and the clock choose, so that nobody can. */

/** FNV-1a, 32 bits, over UTF-16 code units; keys are ASCII. `from`: the hash of what stands before the text. */
export function fnv1a(text: string, from = 0x811c9dc5): number {
  let hash = from
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/** The next such second later than the instant. */
export function nextTwinAtMs(token: string, afterMs: number, twinSlotMs: number): number {
  const secondsInSlot = twinSlotMs / 1000
  const ofToken = fnv1a(':', fnv1a(token))
  for (let slot = Math.floor(afterMs / twinSlotMs); ; slot++) {
    const second = fnv1a(`${slot}`, ofToken) % secondsInSlot
    const atMs = slot * twinSlotMs + second * 1000
    if (atMs > afterMs) return atMs
  }
}

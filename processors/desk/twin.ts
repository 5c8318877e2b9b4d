/** When a token’s twins open: at seconds that its name and the clock choose, so that nobody can. */
import { deskRules } from '../../schemas/desk/rules.ts'

const { twinSlotMs } = deskRules
const secondsInSlot = twinSlotMs / 1000

/** FNV-1a, 32 bits, over UTF-16 code units; keys are ASCII. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/** The next such second later than the instant. */
export function nextTwinAtMs(token: string, afterMs: number): number {
  for (let slot = Math.floor(afterMs / twinSlotMs); ; slot++) {
    const second = fnv1a(`${token}:${slot}`) % secondsInSlot
    const atMs = slot * twinSlotMs + second * 1000
    if (atMs > afterMs) return atMs
  }
}

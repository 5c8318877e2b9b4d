/** When a token’s twins open: at seconds that its name and the clock choose, so that nobody can. */
import { deskRules } from '../../schemas/desk/rules.ts'

const { twinSlotMs, twinEvery } = deskRules
const secondsInSlot = twinSlotMs / 1000

/** FNV-1a, 32 bits, over UTF-16 code units; keys are ASCII. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/** Later than the instant: the next second of a slot in which the token is considered. */
export function nextTwinAtMs(token: string, afterMs: number): number {
  for (let slot = Math.floor(afterMs / twinSlotMs); ; slot++) {
    const hash = fnv1a(`${token}:${slot}`)
    const second = hash % secondsInSlot
    const atMs = slot * twinSlotMs + second * 1000
    if (atMs > afterMs && Math.floor(hash / secondsInSlot) % twinEvery === 0) return atMs
  }
}

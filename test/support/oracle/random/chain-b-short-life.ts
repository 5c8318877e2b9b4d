/**
 * Scripts a mint that is bought just before it is old enough for a burst. Later buys take nearly all tokens
 * that are left.
 */
import type { Draw } from '../../../replay/market/draw.ts'
import { buildKey } from '../../chain-b/build-facts.ts'
import { ScriptedCurve, type ScriptedFact, slotsPerSec } from '../../chain-b/scripted-curve.ts'

export function shortLife(draw: Draw, index: number): readonly ScriptedFact[] {
  const addresses = { curve: buildKey(0x1000 + index), pool: buildKey(0x2000 + index) }
  const terms = { ...addresses, quoteMint: null, isMayhem: false, virtualQuoteRaw: 30_000_000_000n }
  const curve = new ScriptedCurve(terms, buildKey(0x3000 + index))
  const launchSlot = 10 + draw(1500)
  const slotAt = (second: number): number => launchSlot + Math.round(second * slotsPerSec)
  const wallet = () => buildKey(0x9000 + draw(40))
  curve.launch(launchSlot)
  for (let second = 265; second < 290; second += 5) curve.buy(slotAt(second + draw(5)), 2.5, wallet())
  // There are no buys in the last seconds of the window, so these sales do not cause a burst.
  for (const second of [303, 308]) curve.sell(slotAt(second + draw(3)), 0.1, wallet())
  // After this buy, fewer tokens are left than the stake of a copy would buy.
  curve.buy(slotAt(1200), 84.85 + draw(10) / 100 - curve.sol, wallet())
  if (draw(3) > 0) curve.buy(slotAt(1260 + draw(600)), 1, wallet())
  if (curve.isComplete) curve.migrate(slotAt(2000 + draw(2) * 2500))
  return curve.facts
}

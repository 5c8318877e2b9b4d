/**
 * Builds the facts of one curve of the test data. The curve is launched or found, then traded for two hours.
 * Most curves complete and graduate to a pool.
 */

import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveGraduated,
  buildCurveLaunched,
  buildCurveTraded,
} from '../../support/builders/build-curves.ts'
import { buildAddress, weiOf } from '../../support/builders/build-facts.ts'
import type { Draw } from './draw.ts'
import type { MarketEvent } from './market-event.ts'

export function curveOf(draw: Draw, index: number): MarketEvent[] {
  const curve = buildAddress(0xcf00 + index)
  const openedSecond = 1 + draw(400)
  const isFound = draw(3) === 0
  const open = isFound ? buildCurveFound : buildCurveLaunched
  const events: MarketEvent[] = [{ atSecond: openedSecond, make: (blockAtMs) => open({ curve, blockAtMs }) }]
  let at = openedSecond
  for (const filledSecond = openedSecond + 7200; at < filledSecond; at += draw(200)) {
    const ethWei = weiOf(draw(3) === 0 ? -0.02 : 0.01 + draw(5) / 100)
    const [feeWei, taxWei] = [weiOf(0.0001 * (1 + draw(3))), weiOf(0.0001 * draw(2))]
    events.push({
      atSecond: at,
      make: (blockAtMs) => buildCurveTraded({ curve, blockAtMs, ethWei, feeWei, taxWei }),
    })
  }
  if (index === 0 || draw(3) > 0) {
    events.push({ atSecond: at, make: (blockAtMs) => buildCurveCompleted({ curve, blockAtMs }) })
    const graduatedSecond = at + draw(2) * draw(90)
    events.push({ atSecond: graduatedSecond, make: (blockAtMs) => buildCurveGraduated({ curve, blockAtMs }) })
  }
  return events
}

/** Paths for tests, in seconds of test time. */
import { closeLine, lineOf, noPath, openLine, type Path } from '../../processors/calls/path.ts'
import { addPoint, noPoints, secondOf } from '../../processors/calls/points.ts'
import type { Hex } from '../../schemas/units.ts'
import { second } from './build-facts.ts'

type Sample = Readonly<{ atSec: number; px?: number; depth?: number; market?: Hex }>

export const onePool: Hex = '0xaa'
export const otherPool: Hex = '0xbb'

/** Each sample may have a price, a depth or both. A market opens with its first price. */
export function buildPath(samples: readonly Sample[]): Path {
  const path = noPath()
  for (const { atSec, px, depth, market = onePool } of samples) {
    const fields = { market, source: 'pool', px: 1, depth: 0, fill: null, supplyRaw: null } as const
    const known = lineOf(path, market)
    const line = known?.closedAtMs === null ? known : openLine(path, { ...fields, openedAtMs: second(atSec) })
    if (px !== undefined) addPoint(line.prices, second(atSec), px)
    line.depths ??= depth === undefined ? null : noPoints()
    if (line.depths !== null && depth !== undefined) addPoint(line.depths, second(atSec), depth)
    path.newestAtMs = secondOf(second(atSec))
  }
  return path
}

export function closeAt(path: Path, atSec: number, { market = onePool, next = null as Hex | null } = {}): Path {
  const line = lineOf(path, market)
  if (line !== undefined) closeLine(line, second(atSec), next)
  return path
}

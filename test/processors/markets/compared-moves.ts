/**
 * A move is a price, a change of liquidity or the end of a market. This file compares the moves that the
 * processor reported with those of an independent recount.
 */
import type { Move } from '../../../processors/markets/move.ts'
import * as recount from '../../support/oracle/calls/lines.ts'

type Moves = Readonly<{
  /** The last of each second. */
  prices: readonly (readonly [atMs: number, px: number])[]
  /** The changes of liquidity, without those that changed nothing. */
  changes: readonly Readonly<{ atMs: number; ratio: number; left: number }>[]
  ends: readonly Readonly<{ atMs: number; type: 'graduated' | 'closed'; next?: string | null }>[]
}>

const isChange = ({ ratio }: Readonly<{ ratio: number }>): boolean => Math.abs(ratio - 1) > 1e-9

export function saidMoves(moves: readonly Move[], market: string): Moves {
  const own = moves.filter((move) => move.market === market)
  const told = <Type extends Move['type']>(type: Type) =>
    own.filter((move): move is Extract<Move, { type: Type }> => move.type === type)
  return {
    prices: [...new Map(told('price').map(({ atMs, px }) => [recount.secondOf(atMs), px]))],
    changes: told('liquidity')
      .filter(isChange)
      .map(({ atMs, ratio, left }) => ({ atMs, ratio, left })),
    ends: own.flatMap((move): Moves['ends'] => {
      if (move.type === 'graduated') return [{ type: move.type, atMs: move.atMs }]
      return move.type === 'closed' ? [{ type: move.type, atMs: move.atMs, next: move.next }] : []
    }),
  }
}

export function countedMoves(
  markets: recount.Markets,
  line: recount.Line,
  { completedAtMs, nowMs }: Readonly<{ completedAtMs: number | null; nowMs: number }>,
): Moves {
  const isFollowed = ({ atMs }: Readonly<{ atMs: number }>) => recount.isFollowedAt(markets, line.market, atMs)
  const ends = (markets.openIn.get(line) ?? []).map(({ toMs: atMs }) => ({ atMs, next: null }))
  const closed = line.ends === null ? ends : [...ends.slice(0, -1), line.ends]
  const completed = completedAtMs === null ? [] : [{ type: 'graduated', atMs: completedAtMs } as const]
  return {
    prices: line.prices.filter(isFollowed).map(({ atMs, px }) => [recount.secondOf(atMs), px]),
    changes: changesOf(line.changes.filter(isFollowed)),
    // A curve is complete before it is closed, so the completion comes first.
    ends: [...completed, ...closed.map((end) => ({ type: 'closed' as const, ...end }))]
      .filter(({ atMs }) => atMs < nowMs)
      .sort((one, other) => one.atMs - other.atMs),
  }
}

function changesOf(changes: readonly recount.Change[]): Moves['changes'] {
  let left = 1
  return changes
    .map(({ atMs, ratio, isEmptied }) => {
      left = isEmptied ? 0 : (left === 0 ? 1 : left) * ratio
      return { atMs, ratio: isEmptied ? 0 : ratio, left }
    })
    .filter(isChange)
}

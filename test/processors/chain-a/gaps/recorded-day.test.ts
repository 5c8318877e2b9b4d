/**
 * Tests a recorded day of three v3 pools. In the complete day, the stage finds no gap. If single swaps are
 * removed, it finds a gap after most of them.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { linkOf, rootOf, type WatchedPool } from '../../../../processors/chain-a/gaps/continuity.ts'
import { changeLiquidity, followSwap, watchPool } from '../../../../processors/chain-a/gaps/gap.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { buildLiquidityChanged, buildPoolCreated, buildSwap, type Fact } from '../../../support/builders/build-facts.ts'

const folder = new URL('../../../fixtures/v3-day-2024-01-05/', import.meta.url)
const linesOf = (text: string): readonly (readonly string[])[] =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))

type Event = Fact<'Swap'> | Fact<'LiquidityChanged'>

function readDay(file: string, ethIsCurrency0: boolean): readonly Event[] {
  const swaps = linesOf(gunzipSync(readFileSync(new URL(`${file}.csv.gz`, folder))).toString()).map((cells): Event => {
    const integer = (index: number) => BigInt(cells[index] as string)
    const [zero, one] = [integer(4), integer(5)]
    return buildSwap({
      ...{ ethWei: ethIsCurrency0 ? zero : one, tokenRaw: ethIsCurrency0 ? -one : -zero },
      ...{ sqrtPriceX96: integer(6), liquidity: integer(7), tick: Number(cells[8]), txHash: cells[10] as Hex },
      ...{ blockNumber: Number(cells[0]), blockAtMs: Number(cells[1]) * 1000, logIndex: Number(cells[3]) },
    })
  })
  const changes = linesOf(readFileSync(new URL('liquidity.csv', folder), 'utf8'))
    .filter(([name]) => name === file)
    .map(
      ([, block, logIndex, lower, upper, liquidity]): Event =>
        buildLiquidityChanged({
          ...{ tickLower: Number(lower), tickUpper: Number(upper), liquidityDelta: BigInt(liquidity as string) },
          ...{ blockNumber: Number(block), logIndex: Number(logIndex) },
        }),
    )
  return [...swaps, ...changes].sort(
    ({ data: one }, { data: other }) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex,
  )
}

type Tally = { judged: number; unjudged: number; gaps: number; found: number; dropped: number }

/**
 * Counts gaps, which are swaps that do not continue the state of the pool. Swaps with `isMissing` are left
 * out. `found` counts gaps right after a swap that was left out.
 */
function tallyOf(events: readonly Event[], ethIsCurrency0: boolean, isMissing: (index: number) => boolean): Tally {
  const pool: WatchedPool = watchPool(buildPoolCreated({ ethIsCurrency0, sqrtPriceX96: null, dex: 'v3' }).data)
  const tally: Tally = { judged: 0, unjudged: 0, gaps: 0, found: 0, dropped: 0 }
  let isBehindMissing = false
  const take = ({ data }: Fact<'Swap'>) => {
    const { kind } = linkOf(pool, { ...data, root: rootOf(data.sqrtPriceX96) })
    tally[kind === 'unjudged' ? 'unjudged' : 'judged']++
    if (followSwap(pool, data) === null) return
    tally.gaps++
    if (isBehindMissing) tally.found++
  }
  for (const [index, event] of events.entries()) {
    if (event.type === 'LiquidityChanged') {
      changeLiquidity(pool, event.data)
      continue
    }
    if (isMissing(index)) tally.dropped++
    else take(event)
    isBehindMissing = isMissing(index)
  }
  return tally
}

const days = [
  { file: 'usdc-weth-500', ethIsCurrency0: false, swaps: 6046, unjudged: 568 },
  { file: 'usdc-weth-3000', ethIsCurrency0: false, swaps: 267, unjudged: 23 },
  { file: 'weth-osqth-3000', ethIsCurrency0: true, swaps: 41, unjudged: 28 },
] as const

describe('gaps in a real day of v3 swaps', () => {
  for (const { file, ethIsCurrency0, swaps, unjudged } of days)
    it(`${file}: ${swaps} swaps have none, and all but ${unjudged} of them are judged`, () => {
      const tally = tallyOf(readDay(file, ethIsCurrency0), ethIsCurrency0, () => false)
      expect(tally).to.deep.equal({ judged: swaps - unjudged, unjudged, gaps: 0, found: 0, dropped: 0 })
    })

  it('shows four of five swaps that are missing, wherever they are, and tells of no other', () => {
    const [{ file, ethIsCurrency0 }] = days
    const events = readDay(file, ethIsCurrency0)
    const totals = { gaps: 0, found: 0, dropped: 0 }
    // Each swap is left out in exactly one of fifty runs.
    for (let turn = 0; turn < 50; turn++) {
      const { gaps, found, dropped } = tallyOf(events, ethIsCurrency0, (index) => index % 50 === turn)
      totals.gaps += gaps
      totals.found += found
      totals.dropped += dropped
    }
    expect(totals.gaps).to.equal(totals.found)
    expect(totals.dropped).to.equal(6046)
    expect(totals.found / totals.dropped).to.be.within(0.8, 0.9)
  })
})

/** Builds swaps from a drawing. */
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { buildSwap, second } from '../../../support/builders/build-facts.ts'

const columnSec = 5

/**
 * Builds swaps from a drawing. One column is 5 s and one block. A hexadecimal digit is that many buys of
 * `buyEth`, so `c` is 12 buys. `s` is a sell of `sellEth`, and `.` is nothing. So `1...........b` is one buy,
 * and eleven more exactly 60 s later.
 */
export function drawSwaps(
  fromSec: number,
  drawing: string,
  { buyEth = 0.1, sellEth = 0.1 }: Readonly<{ buyEth?: number; sellEth?: number }> = {},
): ChainAFact[] {
  return [...drawing].flatMap((mark, column) => {
    const blockAtMs = second(fromSec + column * columnSec)
    if (mark === 's') return [buildSwap({ blockAtMs, eth: -sellEth })]
    const buyCount = mark === '.' ? 0 : Number.parseInt(mark, 16)
    return Array.from({ length: buyCount }, () => buildSwap({ blockAtMs, eth: buyEth }))
  })
}

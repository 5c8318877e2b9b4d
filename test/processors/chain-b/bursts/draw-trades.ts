/** Trades from a drawing of time. */
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { buildCurveTraded } from '../../../support/chain-b/build-facts.ts'

const columnSec = 5

/** One column is 5 s and one slot: a digit is a buy of that many SOL, `s` a sell of 1 SOL, `.` nothing. */
export const drawTrades = (fromSec: number, drawing: string): ChainBFact[] =>
  [...drawing].flatMap((mark, column) => {
    if (mark === '.') return []
    const blockAtMs = second(fromSec + column * columnSec)
    return [buildCurveTraded({ blockAtMs, sol: mark === 's' ? -1 : Number(mark) })]
  })

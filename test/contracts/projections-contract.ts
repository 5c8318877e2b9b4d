/** The tests of the projections. They run on the embedded ClickHouse and on a ClickHouse over HTTP. */
import { cutAnswers } from './projections-at-cuts.ts'
import { burstAnswers } from './projections-of-bursts.ts'
import { callGapAnswers } from './projections-of-call-gaps.ts'
import { callerAnswers } from './projections-of-callers.ts'
import { callAnswers } from './projections-of-calls.ts'
import { callsEditions } from './projections-of-editions.ts'
import { gapAnswers } from './projections-of-gaps.ts'
import { poolAnswers } from './projections-of-pools.ts'
import { tokenPriceAnswers } from './projections-of-token-prices.ts'
import { tokenAnswers } from './projections-of-tokens.ts'
import { trackedAnswers } from './projections-of-tracked.ts'
import { verdictAnswers } from './projections-of-verdicts.ts'
import { waitingEditions } from './projections-of-waiting-editions.ts'
import { sink } from './projections-sink.ts'
import { tablesOfTests, type Where } from './projections-tables.ts'

export function describeProjections(adapter: string, open: () => Promise<Where>): void {
  describe(`projections (${adapter})`, () => {
    const tables = tablesOfTests(open)
    cutAnswers(tables)
    burstAnswers(tables)
    poolAnswers(tables)
    gapAnswers(tables)
    tokenAnswers(tables)
    tokenPriceAnswers(tables)
    trackedAnswers(tables)
    callAnswers(tables)
    callerAnswers(tables)
    callGapAnswers(tables)
    callsEditions(tables)
    waitingEditions(tables)
    verdictAnswers(tables)
    sink(tables)
  })
}

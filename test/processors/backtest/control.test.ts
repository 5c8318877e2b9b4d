import { expect } from 'chai'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { runBacktest } from '../../../processors/backtest-main.ts'
import { createChainB } from '../../../processors/stages.ts'
import { defaultRules, type Rules } from '../../../schemas/rules.ts'
import { lastSeqOf } from '../../replay/keyed-record.ts'
import { appendFacts, openStage, runUntil } from '../../replay/stage-log.ts'
import { reorgedCurveMarket } from '../../support/chain-b/market.ts'

const partition = 0
const range = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }

/** Backtests the standard rules over a log that was recorded with `rules`. */
async function backtestOf(rules: Rules) {
  const registry = createMemoryRegistry()
  const open = await openStage(createChainB(rules), registry)
  const records = reorgedCurveMarket(1, [])
  const log = createMemoryLog({ nowMs: () => 0 })
  await appendFacts({ ...open, log, partition }, records)
  await runUntil({ ...open, partition }, lastSeqOf(records), { log })
  const spans = [{ name: 'all', ...range }]
  const options = { open: { log, registry }, rules: defaultRules, range, spans, where: [] }
  const [result] = await runBacktest(options, ['chain-b'])
  const all = (result?.groups ?? []).flatMap((group) => group.spans)
  return { ...result?.control, atTheSameTime: all.reduce((sum, span) => sum + span.same, 0) }
}

describe('the control of a backtest', () => {
  it('finds all signals of a log with the same rules', async () => {
    const { recorded, again, same } = await backtestOf(defaultRules)
    expect(recorded).to.be.above(0)
    expect([again, same]).to.deep.equal([recorded, recorded])
  })

  it('does not count a signal that fires at the same time with other returns', async () => {
    const { chainB } = defaultRules
    const dear = { ...defaultRules, chainB: { ...chainB, outcomes: { ...chainB.outcomes, costRatio: 0.5 } } }
    const { recorded = 0, again, same, atTheSameTime } = await backtestOf(dear)
    expect([again, atTheSameTime]).to.deep.equal([recorded, recorded])
    expect(same).to.be.above(0).and.to.be.below(recorded)
  })
})

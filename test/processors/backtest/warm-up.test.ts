import { expect } from 'chai'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { backtestStage } from '../../../processors/backtest/backtest.ts'
import { runBacktest } from '../../../processors/backtest-main.ts'
import { signalsOf } from '../../../processors/chain-b/signals.ts'
import { chainB } from '../../../processors/stages.ts'
import { defaultRules } from '../../../schemas/rules.ts'
import { isTick } from '../../../schemas/stage.ts'
import { lastSeqOf } from '../../replay/keyed-record.ts'
import { appendFacts, openStage, runUntil } from '../../replay/stage-log.ts'
import { reorgedCurveMarket } from '../../support/chain-b/market.ts'

const partition = 0

/** A log of chain B, and a range that begins at one of its later ticks, as if another chain had begun then. */
async function logWithPast(seed: number) {
  const registry = createMemoryRegistry()
  const open = await openStage(chainB, registry)
  const records = reorgedCurveMarket(seed, [])
  const log = createMemoryLog({ nowMs: () => 0 })
  await appendFacts({ ...open, log, partition }, records)
  await runUntil({ ...open, partition }, lastSeqOf(records), { log })
  const ticks = records.flatMap(({ record }) => (isTick(record) ? [record.data] : []))
  const fromMs = ticks[Math.floor(ticks.length / 3)]?.knownAtMs ?? 0
  return { open: { log, registry }, range: { fromMs, toMs: Number.MAX_SAFE_INTEGER } }
}

const all = [{ name: 'all', fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }]

describe('the facts before the range of a backtest', () => {
  it('are read as far back as a partition has them, so each recorded signal is found again', async () => {
    const found = { withPast: 0, withoutPast: 0 }
    for (const seed of [1, 2, 3, 4]) {
      const { open, range } = await logWithPast(seed)
      const options = { open, rules: defaultRules, range, spans: all, where: [] }
      const [result] = await runBacktest(options, ['chain-b'])
      const { recorded = 0, again = 0, same = 0 } = result?.control ?? {}
      expect([again, same], `seed ${seed}`).to.deep.equal([recorded, recorded])
      found.withPast += same

      const { outcomes, desk } = defaultRules.chainB
      const kinds = signalsOf({ outcomes: outcomes.costRatio, desk: desk.costRatio })
      const standard = { runnable: chainB, kinds } as Parameters<typeof backtestStage>[0]['standard']
      const { knownWithinMs } = defaultRules.desk
      const late = { open, standard, other: standard, range, warmUpFromMs: range.fromMs, knownWithinMs, spans: all }
      found.withoutPast += (await backtestStage(late)).control.same
    }
    // Some signals depend on facts from before the range. Otherwise this test could not fail.
    expect(found.withoutPast).to.be.above(0).and.to.be.below(found.withPast)
  })
})

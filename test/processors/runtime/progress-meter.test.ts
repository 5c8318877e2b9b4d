import { expect } from 'chai'
import { ProgressMeter } from '../../../processors/runtime/progress-meter.ts'
import type { TaskProgress } from '../../../processors/runtime/task.ts'
import { buildTick } from '../../support/builders/build-facts.ts'

describe('the progress of a task', () => {
  const state = { isFolding: true, tokens: 3, timers: 2 }
  let reports: TaskProgress[]
  let now: number
  let meter: ProgressMeter
  beforeEach(() => {
    reports = []
    now = 5_000
    meter = new ProgressMeter({ nowMs: () => now, onProgress: (progress) => void reports.push(progress) }, 7)
  })

  it('says which tick of which partition it has reached, and what it holds', () => {
    const tick = buildTick({ seq: 9, knownAtMs: 40, blockAtMs: 30 })
    meter.report(tick, state)
    const reached = { partition: 7, seq: 9, knownAtMs: 40, blockAtMs: 30 }
    expect(reports).to.deep.equal([{ ...reached, factsPerSecond: 0, records: 0, ...state }])
  })

  it('counts facts over at least a second, then anew', () => {
    const rates = [
      [999, 10],
      [1_000, 20],
      [1_500, 50],
      [3_000, 30],
    ].map(([atMs = 0, records = 0]) => {
      now = 5_000 + atMs
      meter.count(records)
      meter.report(buildTick(), state)
      return reports.at(-1)?.factsPerSecond
    })
    expect(rates).to.deep.equal([0, 30, 30, 40])
    expect(reports.map(({ records }) => records)).to.deep.equal([10, 30, 80, 110])
  })
})

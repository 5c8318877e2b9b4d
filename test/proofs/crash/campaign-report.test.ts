import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { moments } from '../payments/kills/moments.ts'
import { campaignPoints } from './campaign.ts'
import { countKill, createReport, spared } from './campaign-report.ts'

describe('the report of a crash campaign', () => {
  it('names the points that were not hit often enough', () => {
    const report = createReport()
    for (const name of ['sink-planned', 'sink-planned', 'sink-planned', 'stage-restated', 'at random'])
      countKill(report, name)
    expect(spared(report, ['sink-planned', 'stage-restated', 'sink-after-done'], 3)).to.deep.equal([
      'stage-restated was hit 1 times, not 3',
      'sink-after-done was hit 0 times, not 3',
    ])
    expect(spared(report, ['sink-planned'], 3)).to.deep.equal([])
  })

  it('is about every point that the code has', () => {
    const source = readFileSync(new URL('../../../infra/crash-points.ts', import.meta.url), 'utf8')
    const declared = source.match(/(?<=^ {2}\| ')[a-z-]+/gm) ?? []
    // The proof of payments has its own list of crash points.
    const ofPayments = moments.flatMap((moment) => (moment.at === 'point' ? moment.point : []))
    expect([...campaignPoints, ...ofPayments].sort()).to.deep.equal([...declared].sort())
  })
})

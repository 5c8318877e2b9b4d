import { expect } from 'chai'
import { createLifeWatch, describeMoments, type LifePhase, type Moment } from './life.ts'

describe('the life of a killed process', () => {
  it('is followed by what the process says, in whatever pieces it comes', () => {
    let nowMs = 100
    const entered: LifePhase[] = []
    const life = createLifeWatch(
      () => nowMs,
      (phase) => entered.push(phase),
    )
    expect(life.moment()).to.deep.equal({ phase: 'start', ageMs: 0, spanShare: 0 })
    const hearings: readonly (readonly [atMs: number, text: string, moment: Moment])[] = [
      [700, 'ope', { phase: 'start', ageMs: 600, spanShare: 0 }],
      [800, 'ned\n', { phase: 'catch-up', ageMs: 700, spanShare: 0 }],
      [850, 'running\nshare 0.25\nsha', { phase: 'steady', ageMs: 750, spanShare: 0.25 }],
      [990, 're 0.5\n', { phase: 'steady', ageMs: 890, spanShare: 0.5 }],
      [1000, 'stopping\n', { phase: 'shutdown', ageMs: 900, spanShare: 0.5 }],
      [1007, 'stopped\n', { phase: 'shutdown', ageMs: 907, spanShare: 0.5 }],
    ]
    for (const [atMs, text, moment] of hearings) {
      nowMs = atMs
      life.hear(text)
      expect(life.moment()).to.deep.equal(moment)
    }
    expect(entered).to.deep.equal(['catch-up', 'steady', 'shutdown'])
    expect(life.durationsMs()).to.deep.equal({ start: 700, 'catch-up': 50, steady: 150, shutdown: 7 })
  })

  it('is printed as histograms in which each kill stands once', () => {
    const lines = describeMoments([
      { phase: 'start', ageMs: 0, spanShare: 0 },
      { phase: 'steady', ageMs: 1999, spanShare: 0.0999 },
      { phase: 'steady', ageMs: 2000, spanShare: 0.1 },
      { phase: 'shutdown', ageMs: 60_000, spanShare: 1 },
    ])
    const filled = lines
      .filter((line) => /^ +[1-9]|^killed/.test(line))
      .map((line) => line.replace(/#+/, (bar) => `${bar.length}`))
    expect(filled).to.deep.equal([
      'killed in the phase',
      '    1  start      15',
      '    2  steady     30',
      '    1  shutdown   15',
      'killed at the age of',
      '    1  under 500 ms 15',
      '    1  under 2000 ms 15',
      '    1  under 4000 ms 15',
      '    1  8000 ms and more 15',
      'killed with so much of the span done',
      '    2  0 to 10 %  30',
      '    1  10 to 20 % 15',
      '    1  90 to 100 % 15',
    ])
  })
})

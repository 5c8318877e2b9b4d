import { expect } from 'chai'
import fc from 'fast-check'
import { createOpenCut } from '../../ingest/open-cut.ts'

describe('the cut that facts wait for', () => {
  it('is the first that is not before them, and a tick is due shortly after it', () => {
    for (const [knownAtMs, dueAtMs] of [
      [1_999, 2_050],
      [2_000, 2_050],
      [2_001, 4_050],
    ] as const) {
      const open = createOpenCut(2_000)
      expect(open.dueAtMs()).to.equal(null)
      open.appended({ knownAtMs, factCount: 1 })
      expect(open.dueAtMs()).to.equal(dueAtMs)
    }
  })

  it('needs a tick that is known after it, whatever that tick closes', () => {
    const open = createOpenCut(2_000)
    open.appended({ knownAtMs: 1_500, factCount: 3 })
    for (const knownAtMs of [1_600, 2_000]) {
      open.appended({ knownAtMs, factCount: 0 })
      expect(open.dueAtMs()).to.equal(2_050)
    }
    open.appended({ knownAtMs: 2_001, factCount: 0 })
    expect(open.dueAtMs()).to.equal(null)
  })

  it('is never one that another tick has closed, and none is left open', () => {
    const ticks = fc.array(fc.record({ stepMs: fc.nat(3_000), factCount: fc.nat(1) }), { minLength: 1 })
    fc.assert(
      fc.property(ticks, fc.constantFrom(100, 2_000), (given, gridMs) => {
        const open = createOpenCut(gridMs)
        let knownAtMs = 1_000_000
        const factsAtMs: number[] = []
        for (const { stepMs, factCount } of given) {
          knownAtMs += stepMs
          open.appended({ knownAtMs, factCount })
          if (factCount > 0) factsAtMs.push(knownAtMs)
        }
        const waiting = factsAtMs.map((atMs) => Math.ceil(atMs / gridMs) * gridMs).filter((cut) => cut >= knownAtMs)
        expect(open.dueAtMs()).to.equal(waiting.length > 0 ? (waiting[0] as number) + 50 : null)
      }),
    )
  })
})

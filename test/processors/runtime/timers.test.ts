import { expect } from 'chai'
import fc from 'fast-check'
import { createTimers, type Timer } from '../../../processors/runtime/timers.ts'

const timer = fc.record({
  dueAtMs: fc.nat(20),
  entry: fc.constantFrom(...['0xa', '0xb', '0xc'].map((token) => ({ token }))),
  processorIndex: fc.nat(3),
})

describe('timers', () => {
  it('come out by due time, then token, then processor, whatever the order they were asked in', () => {
    fc.assert(
      fc.property(fc.array(timer, { maxLength: 60 }), (asked) => {
        const timers = createTimers()
        for (const one of asked) timers.push(one)
        const taken = []
        for (let next = timers.popBefore(1000); next !== null; next = timers.popBefore(1000)) taken.push(next)
        const key = (one: Timer) => [one.dueAtMs + 100, one.entry.token, one.processorIndex].join()
        expect(taken.map(key)).to.deep.equal(asked.map(key).sort())
      }),
    )
  })

  it('come out in the same order while others are added, and after a clear', () => {
    fc.assert(
      fc.property(fc.array(fc.option(timer), { maxLength: 60 }), (steps) => {
        const timers = createTimers()
        timers.push({ dueAtMs: 5, entry: { token: '0xd' }, processorIndex: 0 })
        timers.clear()
        const waiting: string[] = []
        const key = (one: Timer) => [one.dueAtMs + 100, one.entry.token, one.processorIndex].join()
        for (const step of steps) {
          if (step) {
            timers.push(step)
            waiting.push(key(step))
            waiting.sort()
          } else {
            const next = timers.popBefore(1000)
            expect(next && key(next)).to.equal(waiting.shift() ?? null)
          }
          expect(timers.size()).to.equal(waiting.length)
        }
      }),
    )
  })

  it('are due strictly before the instant', () => {
    const timers = createTimers()
    timers.push({ dueAtMs: 10, entry: { token: '0xa' }, processorIndex: 0 })
    expect(timers.popBefore(10)).to.equal(null)
    expect(timers.popBefore(11)?.dueAtMs).to.equal(10)
    expect(timers.size()).to.equal(0)
  })

  it('are gone after a clear', () => {
    const timers = createTimers()
    for (const token of ['0xa', '0xb']) timers.push({ dueAtMs: 10, entry: { token }, processorIndex: 0 })
    timers.clear()
    expect(timers.size()).to.equal(0)
    expect(timers.popBefore(11)).to.equal(null)
  })
})

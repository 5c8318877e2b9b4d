import { expect } from 'chai'
import { tryChange } from './try-change.ts'

const tests = Array.from({ length: 40 }, (_, at) => `t${at}`)

/**
 * Runs `tryChange` with simulated tests. The tests in `failing` fail with the change. The tests in `broken`
 * also fail without the change.
 */
function scripted(failing: readonly string[], broken: readonly string[] = [], runsMax = 100) {
  const runs: (readonly string[])[] = []
  const verdict = tryChange(tests, {
    passWith: async (group) => {
      runs.push(group)
      return !group.some((test) => failing.includes(test))
    },
    passesWithout: async (test) => !broken.includes(test),
    isOver: () => runs.length >= runsMax,
  })
  return { runs, verdict }
}

describe('trying a change', () => {
  it('stops at the first test that fails with it and passes without it', async () => {
    const { runs, verdict } = scripted(['t2', 't3'])
    expect(await verdict).to.deep.equal({ killedBy: 't2', triedCount: 3, leftOut: [] })
    expect(runs).to.deep.equal([['t0'], ['t1'], ['t2']])
  })

  it('counts the failure of a test that used up the time, because a change may hang', async () => {
    const { verdict } = scripted(['t0'], [], 1)
    expect(await verdict).to.deep.equal({ killedBy: 't0', triedCount: 1, leftOut: [] })
  })

  it('runs later tests together, and each alone where one of them fails', async () => {
    const { runs, verdict } = scripted(['t6'])
    expect(await verdict).to.deep.equal({ killedBy: 't6', triedCount: 7, leftOut: [] })
    expect(runs.slice(4).map(([first, ...others]) => [first, others.length])).to.deep.equal([
      ['t4', 15],
      ['t4', 0],
      ['t5', 0],
      ['t6', 0],
    ])
  })

  it('leaves out a test that fails without it too, and goes on', async () => {
    const { verdict } = scripted(['t1', 't30'], ['t1'])
    expect(await verdict).to.deep.equal({ killedBy: 't30', triedCount: 31, leftOut: ['t1'] })
  })

  it('runs every test once if it survives', async () => {
    const { runs, verdict } = scripted([])
    expect(await verdict).to.deep.equal({ killedBy: null, triedCount: 40, leftOut: [] })
    expect(runs.flat()).to.deep.equal(tests)
  })

  it('starts no more tests when its time is over, and says how many were run', async () => {
    expect(await scripted(['t3'], [], 2).verdict).to.deep.equal({ killedBy: null, triedCount: 2, leftOut: [] })
    expect(await scripted(['t9'], [], 7).verdict).to.deep.equal({ killedBy: null, triedCount: 6, leftOut: [] })
  })
})

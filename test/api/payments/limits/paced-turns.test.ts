import { expect } from 'chai'
import { createPacedTurns } from '../../../../api/payments/limits/paced-turns.ts'
import { createSleepingClock } from './guard-world.ts'

const clientOf = (number: number) => ({ address: `address ${number}`, payer: `payer ${number}` })
const here = () => false

/**
 * Requests one turn for each of `count` addresses at the same time. Returns the delay of each turn in
 * milliseconds, or null for an address that got no turn.
 */
async function turnsOf(perSecond: number, count: number, before = (_: ReturnType<typeof makeTurns>) => {}) {
  const made = makeTurns(perSecond)
  before(made)
  const startMs = made.clock.atMs
  const taken = Array.from({ length: count }, async (_, index) =>
    (await made.turns.take(clientOf(index), here)) ? made.clock.atMs - startMs : null,
  )
  return await Promise.all(taken)
}

function makeTurns(perSecond: number) {
  const { clock, sleep, nowMs } = createSleepingClock()
  return { clock, turns: createPacedTurns({ sleep, nowMs, perSecond }) }
}

describe('paced turns', () => {
  it('come at once as far as they were saved: those of a quarter of a second', async () => {
    expect(await turnsOf(8, 4)).to.deep.equal([0, 0, 140, 260])
  })

  it('are saved up to that number, and at least one', async () => {
    const rest = ({ clock }: ReturnType<typeof makeTurns>) => {
      clock.atMs += 60_000
    }
    expect(await turnsOf(8, 3, rest)).to.deep.equal([0, 0, 140])
    expect(await turnsOf(2, 2, rest)).to.deep.equal([0, 500])
  })

  it('are not lost by a clock that is set back', async () => {
    const back = ({ clock }: ReturnType<typeof makeTurns>) => {
      clock.atMs -= 60_000
    }
    expect(await turnsOf(8, 2, back)).to.deep.equal([0, 0])
  })

  it('are given up after five seconds', async () => {
    const taken = await turnsOf(1, 8)
    expect(taken.slice(0, 5)).to.deep.equal([0, 1000, 2000, 3000, 4000])
    expect(taken.slice(6)).to.deep.equal([null, null])
  })

  it('do not come for a client that has gone', async () => {
    const { turns } = makeTurns(1)
    await turns.take(clientOf(1), here)
    expect(await turns.take(clientOf(2), () => true)).to.equal(false)
  })

  it('can be given back, but no more of them than may be saved', async () => {
    const { clock, turns } = makeTurns(8)
    const takeMany = async (count: number) =>
      (
        await Promise.all(
          Array.from({ length: count }, async (_, index) => {
            const startMs = clock.atMs
            await turns.take(clientOf(index), here)
            return clock.atMs - startMs
          }),
        )
      ).filter((waitedMs) => waitedMs === 0).length
    expect(await takeMany(2)).to.equal(2)
    turns.giveBack(clientOf(1))
    expect(await takeMany(2)).to.equal(1)
    clock.atMs += 60_000
    for (let left = 5; left > 0; left--) turns.giveBack(clientOf(1))
    expect(await takeMany(4)).to.equal(2)
  })
})

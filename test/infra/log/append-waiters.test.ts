import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { createAppendWaiters } from '../../../infra/log/append-waiters.ts'
import { expectFailure } from '../../contracts/log-contract.ts'

const topic = 'chain-a-facts'

/** A reader waits very often. So the end of a wait must not leave a listener or a waiter behind. */
describe('a wait for the next record', () => {
  const createWorld = () => {
    const log = { endOffset: 5, isDamaged: false }
    const stop = new AbortController()
    const waiters = createAppendWaiters(() => {
      if (log.isDamaged) throw new RangeError('damaged')
      return log.endOffset
    })
    const left = () => [getEventListeners(stop.signal, 'abort').length, waiters.hasWaiters()]
    const wait = () => waiters.wait({ topic, partition: 0, offset: 5 }, stop.signal)
    return { log, stop, waiters, wait, left }
  }
  type World = ReturnType<typeof createWorld>

  const endings: readonly [name: string, end: (world: World) => void, failure: 'fails' | 'resolves'][] = [
    [
      'the record arrives',
      ({ log, waiters }) => {
        log.endOffset++
        waiters.wake()
      },
      'resolves',
    ],
    ['the signal aborts', ({ stop }) => stop.abort(), 'resolves'],
    ['the log closes', ({ waiters }) => waiters.close(), 'fails'],
    [
      'the end of the partition cannot be read',
      ({ log, waiters }) => {
        log.isDamaged = true
        waiters.wake()
      },
      'fails',
    ],
  ]
  for (const [name, end, outcome] of endings)
    it(`${outcome} and leaves nothing behind when ${name}`, async () => {
      const world = createWorld()
      const waits = [world.wait(), world.wait()].map((wait) =>
        wait.then(
          () => 'resolves',
          () => 'fails',
        ),
      )
      expect(world.left()).to.deep.equal([1, true])
      end(world)
      expect(await Promise.all(waits)).to.deep.equal([outcome, outcome])
      expect(world.left()).to.deep.equal([0, false])
    })

  it('adds nothing if the record is there, or the signal has aborted', async () => {
    const { log, stop, wait, left } = createWorld()
    log.endOffset = 6
    await wait()
    log.endOffset = 5
    stop.abort()
    await wait()
    expect(left()).to.deep.equal([0, false])
  })

  it('goes on at an append that leaves its record missing', async () => {
    const { log, waiters, wait, left } = createWorld()
    const waiting = wait()
    waiters.wake()
    expect(left()).to.deep.equal([1, true])
    waiters.close()
    await expectFailure(waiting, 'log_closed')
    expect(log.endOffset).to.equal(5)
  })
})

import { expect } from 'chai'
import { inParallel } from '../../ingest/in-parallel.ts'
import { createVirtualTime } from '../support/virtual-time.ts'

const never = new AbortController().signal

describe('work in parallel', () => {
  it('gives the results in order, and one slow item does not hold up the others', async () => {
    const time = createVirtualTime(0)
    let [underWay, most] = [0, 0]
    const work = async (item: number) => {
      most = Math.max(most, ++underWay)
      await time.delay(item === 0 ? 1000 : 100, never)
      underWay--
      return item * 2
    }
    const items = Array.from({ length: 13 }, (_, index) => index)
    expect(await time.run(inParallel(items, 4, work))).to.deep.equal(items.map((item) => item * 2))
    expect([most, time.nowMs()]).to.deep.equal([4, 1000])
  })

  it('begins nothing after a failure, and fails when what was under way is done', async () => {
    const time = createVirtualTime(0)
    const done: number[] = []
    const work = async (item: number) => {
      await time.delay(item === 1 ? 100 : 300, never)
      if (item === 1) throw new RangeError('failed')
      done.push(item)
    }
    const failure = await time.run(inParallel([0, 1, 2, 3, 4], 3, work).catch((error: unknown) => error))
    expect(failure).to.be.instanceOf(RangeError)
    expect([done, time.nowMs()]).to.deep.equal([[0, 2], 300])
  })

  it('has no results of no items', async () => {
    expect(await inParallel([], 4, () => expect.fail('there is nothing to do'))).to.deep.equal([])
  })
})

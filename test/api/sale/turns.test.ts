import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { createTurns, type Turns } from '../../../api/sale/turns.ts'

describe('turns', () => {
  let began: string[]
  let open: (() => void)[]

  beforeEach(() => {
    began = []
    open = []
  })

  const take = (turns: Turns, address: string, isGone = () => false) =>
    turns.take({ address, isGone }, () => {
      began.push(address)
      return new Promise<string>((resolve) => open.push(() => resolve(address)))
    })
  /** Finishes all work until nothing is running or waiting. */
  const runAll = async () => {
    for (let idle = 0; idle < 3; idle++) {
      for (const done of open.splice(0)) {
        done()
        idle = 0
      }
      await setImmediate()
    }
  }

  it('are taken at most so many at once', async () => {
    const turns = createTurns({ atOnceMax: 2, waitingMax: 100 })
    const taken = ['a', 'b', 'c', 'd'].map((address) => take(turns, address))
    await setImmediate()
    expect(began).to.deep.equal(['a', 'b'])
    open.shift()?.()
    await setImmediate()
    expect(began).to.deep.equal(['a', 'b', 'c'])
    await runAll()
    expect(await Promise.all(taken)).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  it('go round the addresses: who asks much waits for himself', async () => {
    const turns = createTurns({ atOnceMax: 1, waitingMax: 100 })
    const flood = Array.from({ length: 40 }, () => take(turns, 'flood'))
    const others = ['x', 'y', 'x'].map((address) => take(turns, address))
    await runAll()
    await Promise.all([...flood, ...others])
    expect(began.slice(0, 7)).to.deep.equal(['flood', 'flood', 'x', 'y', 'flood', 'x', 'flood'])
    expect(began).to.have.length(43)
  })

  it('are refused where too many wait, to the address with the most', async () => {
    const turns = createTurns({ atOnceMax: 1, waitingMax: 5 })
    const flood = Array.from({ length: 9 }, () => take(turns, 'flood'))
    const other = take(turns, 'x')
    await runAll()
    expect(await other).to.equal('x')
    const given = (await Promise.all(flood)).filter((result) => result !== null)
    expect(given).to.have.length(5)
    const each = Array.from({ length: 9 }, (_, index) => take(turns, `only ${index}`))
    await runAll()
    expect((await Promise.all(each)).filter((result) => result === null)).to.have.length(3)
  })

  it('are taken from the address with the most, wherever it stands in the line', async () => {
    const turns = createTurns({ atOnceMax: 1, waitingMax: 5 })
    const taken = ['a', 'b', 'flood', 'flood', 'flood', 'flood', 'x'].map((address) => take(turns, address))
    await runAll()
    expect(await Promise.all(taken)).to.deep.equal(['a', 'b', 'flood', 'flood', 'flood', null, 'x'])
  })

  it('are not given to who has gone meanwhile', async () => {
    const turns = createTurns({ atOnceMax: 1, waitingMax: 5 })
    const first = take(turns, 'first')
    let isGone = false
    const gone = take(turns, 'gone', () => isGone)
    const last = take(turns, 'last')
    isGone = true
    await runAll()
    expect([await first, await gone, await last, began]).to.deep.equal(['first', null, 'last', ['first', 'last']])
  })

  it('go on after work that fails', async () => {
    const turns = createTurns({ atOnceMax: 1, waitingMax: 5 })
    const asker = { address: 'a', isGone: () => false }
    const failed = turns.take(asker, () => Promise.reject(new RangeError('no')))
    const next = turns.take(asker, async () => 1)
    expect((await failed.catch((error) => error)).message).to.equal('no')
    expect(await next).to.equal(1)
  })
})

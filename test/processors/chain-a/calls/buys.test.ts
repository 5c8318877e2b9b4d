import { expect } from 'chai'
import * as buysModule from '../../../../processors/chain-a/calls/buys.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { buyOf, comparePlainBuys, memoryMs } from '../../../support/hot-path/recent-buys.ts'

const { addBuy, buysBefore, hasBuys, noBuys, pruneBuys } = buysModule

describe('the recent buys of a token', () => {
  it('are those of a plain list within the memory, with exact amounts, hashes and traders', () => {
    expect(comparePlainBuys(buysModule), 'no run was long enough to drop old buys').to.be.above(10)
  })

  //  at      0     10     60     70
  //  buys    a      b      c      d        with a memory of 60, only c and d are left at 70
  it('are pruned when they are as old as the memory, and only then', () => {
    const buys = noBuys()
    const names = [0, 10, 60, 70].map((atSec, name) => {
      const { fact, buy } = buyOf({ gapSec: 0, isOfCurve: false, wei: 1n, name }, second(atSec))
      addBuy(buys, fact, memoryMs)
      return buy.txHash
    })
    const namesNow = () => buysBefore(buys, second(70), 10 * memoryMs).map(({ txHash }) => txHash)
    pruneBuys(buys, second(59), memoryMs)
    expect(namesNow()).to.deep.equal(names)
    pruneBuys(buys, second(60), memoryMs)
    expect(namesNow()).to.deep.equal(names.slice(1))
    pruneBuys(buys, second(70), memoryMs)
    expect(namesNow()).to.deep.equal(names.slice(2))
    expect(hasBuys(buys)).to.equal(true)
    pruneBuys(buys, second(130), memoryMs)
    expect(hasBuys(buys)).to.equal(false)
  })

  it('have no bytes of a buy of another token, even if a hash is too short', () => {
    const hashesAfter = (...txHashes: readonly `0x${string}`[]) =>
      txHashes.map((txHash) => {
        const buys = noBuys()
        const { fact } = buyOf({ gapSec: 0, isOfCurve: false, wei: 1n, name: 1 }, second(0))
        addBuy(buys, { ...fact, data: { ...fact.data, txHash } } as typeof fact, memoryMs)
        return buysBefore(buys, second(0), memoryMs)[0]?.txHash
      })
    const whole = `0x${'ab'.repeat(32)}` as const
    expect(hashesAfter(whole, '0x1234')).to.deep.equal([whole, `0x1234${'00'.repeat(30)}`])
  })

  it('do not grow beyond twice the memory', () => {
    const buys = noBuys()
    for (let atSec = 0; atSec < 5000; atSec++)
      addBuy(buys, buyOf({ gapSec: 1, isOfCurve: true, wei: 5n, name: 7 }, second(atSec)).fact, memoryMs)
    expect(buys.count).to.be.within(60, 122)
    expect(buys.rows.length).to.be.below(122 * 1.25 * 64)
  })
})

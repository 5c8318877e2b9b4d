import { expect } from 'chai'
import { isOperationError } from '../../infra/errors.ts'
import { aheadText, believeTime, clockErrorMsMax, instantText, isSameBlock } from '../../ingest/believable-time.ts'

const nowMs = 1_800_000_000_000
const refusalOf = (atMs: number, limits: Readonly<{ afterMs?: number; fallMsMax?: number }> = {}): string | null => {
  try {
    believeTime({ number: 7, atMs }, { nowMs, afterMs: 0, ...limits })
    return null
  } catch (error) {
    return isOperationError(error, 'node_inconsistent') ? error.message : expect.fail(String(error))
  }
}

describe('a block time', () => {
  it('is believed up to ten minutes ahead of the clock', () => {
    expect(clockErrorMsMax).to.equal(600_000)
    expect(refusalOf(nowMs + clockErrorMsMax)).to.equal(null)
    expect(refusalOf(nowMs + clockErrorMsMax + 1)).to.match(/^block 7 .*The node or this clock is wrong/)
  })

  it('is believed from the time of its parent on, less the allowed fall', () => {
    expect(refusalOf(nowMs, { afterMs: nowMs })).to.equal(null)
    expect(refusalOf(nowMs - 1, { afterMs: nowMs })).to.contain('the time of its parent')
    expect(refusalOf(nowMs - 50, { afterMs: nowMs, fallMsMax: 50 })).to.equal(null)
    expect(refusalOf(nowMs - 51, { afterMs: nowMs, fallMsMax: 50 })).to.contain('block 7')
  })

  it('is shown as an instant, or as a number if it is none', () => {
    expect(instantText(0)).to.equal('1970-01-01T00:00:00.000Z')
    expect([8.64e15, -8.64e15].map(instantText)).to.deep.equal([
      '+275760-09-13T00:00:00.000Z',
      '-271821-04-20T00:00:00.000Z',
    ])
    expect(instantText(8.64e15 + 1)).to.equal('8640000000000001 ms since 1970')
    expect(aheadText({ number: 1, atMs: 0 }, { nowMs, whose: 'Somebody is wrong' })).to.match(/10 minutes$/)
  })
})

describe('a block of the log at the node', () => {
  const block = (hash: string, atMs: number) => ({ hash: `0x${hash}`, atMs }) as const

  it('is the same by its hash', () => {
    expect(isSameBlock(block('a', nowMs), block('a', nowMs + 5), nowMs)).to.equal(true)
    expect(isSameBlock(block('a', nowMs), block('b', nowMs), nowMs)).to.equal(false)
    expect(isSameBlock(block('a', nowMs), null, nowMs)).to.equal(false)
  })

  it('is the same by hash and time if its time in the log is in the future', () => {
    const aheadMs = nowMs + clockErrorMsMax + 1
    expect(isSameBlock(block('a', aheadMs), block('a', aheadMs), nowMs)).to.equal(true)
    expect(isSameBlock(block('a', aheadMs), block('a', nowMs), nowMs)).to.equal(false)
  })
})

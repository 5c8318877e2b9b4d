import { expect } from 'chai'
import { documentsOf } from '../../api/documents/documents-of.ts'
import { createTally } from './tally.ts'

describe('the tally of a fuzzer', () => {
  const token = `0x${'a1'.repeat(20)}`
  const tallied = async (...asked: readonly (readonly [string, number, string?])[]) => {
    const tally = createTally((await documentsOf()).document)
    for (const [url, status, method = 'GET'] of asked) tally.note({ url, status, method })
    return tally
  }

  it('tells valid requests from others by the document', async () => {
    const tally = await tallied(
      ['/v1/rh/bursts/live', 200],
      ['/v1/rh/bursts/live?minutes=1.5&tier=all', 200],
      [`/v1/rh/token/${token}/rugcheck`, 404],
      [`/v1/rh/token/${token}/rugcheck`, 503],
      ['/v1/rh/bursts/live?minutes=241', 400],
      ['/v1/rh/bursts/live?minutes=1e1', 400],
      ['/v1/rh/bursts/live?tier=main&tier=lite', 400],
      ['/v1/rh/token/0xzz/rugcheck', 400],
      ['/v1/rh/token/%/rugcheck', 400],
      ['/v1/rh/bursts/live', 405, 'POST'],
    )
    expect(tally.count()).to.equal(10)
    expect(tally.valid()).to.deep.equal({ asked: 4, reached: 3 })
    expect(tally.faults()).to.deep.equal([])
    expect(tally.lines()).to.have.lengthOf(3)
  })

  it('finds failures and statuses that are not listed', async () => {
    const tally = await tallied(['/v1/snapshot', 500], ['/v1/snapshot', 418], ['/v1/rh/crews', 404])
    expect(tally.faults().map((fault) => fault.split(':')[0])).to.deep.equal([
      ...['GET /v1/snapshot 500', 'GET /v1/snapshot 418', 'GET /v1/rh/crews 404'],
    ])
  })
})

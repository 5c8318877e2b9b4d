import { expect } from 'chai'
import { createOwnLimit } from '../../../../api/payments/limits/own-limit.ts'
import type { Signer } from '../../../../api/payments/payment-network.ts'

describe('the limit of a payer who has bought', () => {
  let clock: { atMs: number }
  let limit: ReturnType<typeof createOwnLimit>
  let recovered: number

  beforeEach(() => {
    clock = { atMs: 1_000_000 }
    recovered = 0
    limit = createOwnLimit({ nowMs: () => clock.atMs, hasBought: (payer) => payer !== 'newcomer' })
  })

  const judge = (address: string, payer: string, signer: Signer = 'other') =>
    limit.judge({ address, payer }, async () => {
      recovered += 1
      return signer
    })
  const judgeOften = async (times: number, ...payment: Parameters<typeof judge>) => {
    for (let turn = 0; turn < times; turn++) await judge(...payment)
    return recovered
  }

  it('recovers ten signers a second that are not his, for his name from one address', async () => {
    expect(await judgeOften(12, 'shared', 'a')).to.equal(10)
    expect(await judge('shared', 'a', 'payer')).to.equal(null)
    expect(await judge('shared', 'b', 'payer')).to.equal('own')
    expect(await judge('elsewhere', 'a', 'payer')).to.equal('own')
    clock.atMs += 1_000
    expect(await judge('shared', 'a', 'payer')).to.equal('own')
  })

  it('recovers forty of all names', async () => {
    for (const payer of ['a', 'b', 'c', 'd', 'e']) await judgeOften(9, 'shared', payer)
    expect(recovered).to.equal(40)
    expect(await judge('elsewhere', 'f', 'payer')).to.equal(null)
  })

  it('recovers none of a newcomer', async () => {
    expect([await judge('shared', 'newcomer', 'payer'), recovered]).to.deep.equal([null, 0])
  })
})

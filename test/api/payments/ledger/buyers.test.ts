import { expect } from 'chai'
import { createBuyersFold } from '../../../../api/payments/ledger/buyers.ts'
import type { PaymentChanged } from '../../../../schemas/payments.ts'

describe('who has bought before', () => {
  const buyers = (max: number, changes: readonly (readonly [state: PaymentChanged['state'], payer: string])[]) => {
    const fold = createBuyersFold(max)
    for (const [state, payer] of changes) fold.apply({ state, payer } as PaymentChanged)
    return ['a', 'b', 'c'].filter(fold.has)
  }

  it('is who has settled a payment, in whatever letters', () => {
    // The record of the settlement can be lost, and that of the delivery is then the only one.
    for (const state of ['settled', 'delivered'] as const) expect(buyers(9, [[state, 'A']]), state).to.deep.equal(['a'])
    for (const state of ['settling', 'unknown', 'released'] as const)
      expect(buyers(9, [[state, 'A']]), state).to.deep.equal([])
  })

  it('is still there when a later payment was not settled', () => {
    expect(
      buyers(9, [
        ['settled', 'a'],
        ['released', 'a'],
      ]),
    ).to.deep.equal(['a'])
  })

  it('makes room for the latest', () => {
    const settled = (...payers: string[]) => payers.map((payer) => ['settled', payer] as const)
    expect(buyers(2, settled('a', 'b', 'c'))).to.deep.equal(['b', 'c'])
    expect(buyers(2, settled('a', 'b', 'a', 'c'))).to.deep.equal(['a', 'c'])
    expect(buyers(2, settled('a', 'b'))).to.deep.equal(['a', 'b'])
  })
})

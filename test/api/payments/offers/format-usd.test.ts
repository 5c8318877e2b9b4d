import { expect } from 'chai'
import { formatUsd } from '../../../../api/payments/offers/format-usd.ts'

describe('a price in USD', () => {
  it('has two decimals at least, and as many as it needs', () => {
    const prices = [5_000, 10_000, 500_000, 1_000_000, 1_234_500].map(formatUsd)
    expect(prices).to.deep.equal(['0.005', '0.01', '0.50', '1.00', '1.2345'])
  })
})

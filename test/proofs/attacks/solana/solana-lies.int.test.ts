/** `npm run attacks -- solana-lies` prints the result of each lie. */
import { expect } from 'chai'
import { tellSolanaLies } from './solana-lies.ts'

describe('lies of a Solana facilitator and of its node', () => {
  it('are noticed where something was sold on them, and nobody is charged twice', async () => {
    const told = await tellSolanaLies()
    expect(told.filter(({ isGood }) => !isGood)).to.deep.equal([])
    expect(told.filter(({ noticed }) => noticed > 0)).to.have.length(12)
  }).timeout(240_000)
})

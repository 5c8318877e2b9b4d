import type { Address, Blockhash, Signature } from '@solana/kit'
import { expect } from 'chai'
import { createSolanaHistory } from '../../../../infra/development/payments/solana-history.ts'

describe('the memory of the local Solana chain', () => {
  const landed = (index: number) => ({
    ...{ signature: `signature ${index}` as Signature, slot: index, failure: null, wire: '' },
    accounts: new Set([(index % 2 === 0 ? 'even' : 'odd') as Address]),
  })

  it('takes a blockhash for 150 slots, and no unknown one', () => {
    const history = createSolanaHistory()
    history.issue('a' as Blockhash, 1_000)
    expect([1_000, 1_150, 1_151].map((slot) => history.isValid('a', slot))).to.deep.equal([true, true, false])
    expect(history.isValid('b', 1_000)).to.equal(false)
  })

  it('lists the transactions of an account, the newest first, and knows their messages', () => {
    const history = createSolanaHistory()
    for (let index = 0; index < 4; index++) history.add(Buffer.of(index), landed(index))
    expect(history.of('even').map(({ slot }) => slot)).to.deep.equal([2, 0])
    expect(history.find('signature 3')?.slot).to.equal(3)
    expect([history.hasMessage(Buffer.of(3)), history.hasMessage(Buffer.of(4))]).to.deep.equal([true, false])
  })

  it('keeps the last ten thousand', () => {
    const history = createSolanaHistory()
    for (let index = 0; index < 10_002; index++) history.add(Buffer.from(String(index)), landed(index))
    expect([history.of('even'), history.of('odd')].map(({ length }) => length)).to.deep.equal([5_000, 5_000])
    expect(history.find('signature 1')).to.equal(undefined)
  })
})

import { expect } from 'chai'
import { namedChainOf } from '../../../api/calls/dependencies.ts'
import type { CalledChain } from '../../../api/calls/parts.ts'

describe('the public names of a chain whose tokens chats name', () => {
  const chains = [{ stage: { name: 'chain-x' }, wireName: 'mainnet', idLetter: 'm' }] as unknown as CalledChain[]

  it('are those of the configured chain', () => {
    expect(namedChainOf({ chains }, 'chain-x')).to.include({ wireName: 'mainnet', idLetter: 'm' })
  })

  it('are its stage name and the last letter of it if the chain is not configured', () => {
    expect(namedChainOf({ chains }, 'chain-y')).to.deep.equal({ wireName: 'chain-y', idLetter: 'y' })
  })
})

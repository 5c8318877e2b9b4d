import { expect } from 'chai'
import { hasPriceProvider } from '../../api/price-provider.ts'
import { readConfig } from '../../infra/config.ts'

describe('a provider of prices', () => {
  const node = { CHAIN_A_RPC_URL: 'https://node.example', HELIUS_API_KEY: 'a-key-of-a-test' }
  const provider = { PRICE_AGGREGATOR_URL: 'https://prices.example' }
  const cases: readonly (readonly [string, Record<string, string>, boolean, boolean])[] = [
    ['is there on a simulated market', {}, true, true],
    ['is there where one is configured', { ...node, ...provider }, true, true],
    ['is not there where none is configured', node, false, false],
    ['knows no local chain', { ...node, ...provider, CHAIN_A_PRESET: 'local' }, false, true],
  ]
  for (const [name, variables, ofA, ofB] of cases)
    it(name, () => {
      const config = readConfig(variables)
      expect([hasPriceProvider(config, 'chain-a'), hasPriceProvider(config, 'chain-b')]).to.deep.equal([ofA, ofB])
    })
})

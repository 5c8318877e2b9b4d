import { expect } from 'chai'
import { hasPriceProvider } from '../../api/price-provider.ts'
import { readConfig } from '../../infra/config.ts'

describe('a provider of prices', () => {
  const node = { CHAIN_A_RPC_URL: 'https://node.example', HELIUS_API_KEY: 'a-key-of-a-test' }
  const provider = { PRICE_AGGREGATOR_URL: 'https://prices.example' }
  const cases: readonly (readonly [string, Record<string, string>, boolean, boolean])[] = [
    ['is there on a simulated market', {}, false, true],
    ['is there on a simulated local chain', {}, true, true],
    ['is there where one is configured', { ...node, ...provider }, false, true],
    ['is not there where none is configured', node, false, false],
    ['knows no local chain', { ...node, ...provider }, true, false],
  ]
  for (const [name, variables, isLocal, expected] of cases)
    it(name, () => {
      expect(hasPriceProvider(readConfig(variables), { isLocal })).to.equal(expected)
    })
})

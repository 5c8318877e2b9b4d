import { expect } from 'chai'
import { pino } from 'pino'
import { openChainA } from '../../../ingest/chain-a/open-chain-a.ts'
import { type ChainAContracts, chainAContracts, lagBlocksOf } from '../../../ingest/chain-a/presets.ts'

const local = {
  chainId: 31337,
  poolManager: '0xAAaaAAaaAAaaAAaaAAaaAAaaAAaaAAaaAAaaAAaa',
  positionManager: `0x${'e'.repeat(40)}`,
  v3Factory: `0x${'b'.repeat(40)}`,
  weth: `0x${'c'.repeat(40)}`,
}

describe('the distance behind the head', () => {
  it('is that of the preset, unless it is configured', () => {
    const presets = ['robinhood', 'base', 'unichain', 'arbitrum', 'ethereum', 'local'] as const
    expect(presets.map((preset) => lagBlocksOf(preset))).to.deep.equal([3, 3, 3, 3, 1, 3])
    expect(presets.map((preset) => lagBlocksOf(preset, 0))).to.deep.equal([0, 0, 0, 0, 0, 0])
  })
})

describe('contracts of a chain', () => {
  it('are known for every preset, in lower case', () => {
    for (const preset of ['robinhood', 'base', 'unichain', 'arbitrum', 'ethereum'] as const)
      for (const [name, value] of Object.entries(chainAContracts(preset)))
        if (typeof value === 'string') expect(value, `${preset} ${name}`).to.match(/^0x[0-9a-f]{40}$/)
  })

  it('of a local chain come from the configuration', () => {
    expect(chainAContracts('local', JSON.stringify(local))).to.deep.equal({
      ...local,
      poolManager: `0x${'a'.repeat(40)}`,
      ethUsdFeed: null,
      ponsFactory: null,
    })
  })

  it('include an ETH/USD feed for some presets; the start of the others says what is missing', () => {
    const told: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void told.push(JSON.parse(line).msg) })
    const open = (contracts: ChainAContracts) =>
      openChainA({ urls: ['http://127.0.0.1:1'], contracts, lagBlocks: 3, logRangeMax: 10, logger }).readPrice
    for (const preset of ['robinhood', 'ethereum'] as const)
      expect(open(chainAContracts(preset)), preset).to.be.a('function')
    expect(told).to.deep.equal([])
    for (const preset of ['base', 'unichain', 'arbitrum'] as const) {
      expect(open(chainAContracts(preset)), preset).to.equal(null)
      expect(told.pop(), preset).to.match(
        /every paid route of chain A answers 503 warming_up\. TO DO: set ethUsdFeed in CHAIN_A_CONTRACTS/,
      )
      const feed = JSON.stringify({ ethUsdFeed: `0x${'d'.repeat(40)}` })
      expect(open(chainAContracts(preset, feed)), preset).to.be.a('function')
    }
    expect(told).to.deep.equal([])
  })

  it('of a preset can be replaced one by one', () => {
    const feed = `0x${'d'.repeat(40)}`
    const contracts = chainAContracts('base', JSON.stringify({ ethUsdFeed: feed }))
    expect(contracts).to.deep.equal({ ...chainAContracts('base'), ethUsdFeed: feed })
  })

  const wrong: readonly (readonly [string, string | undefined, RegExp])[] = [
    ['nothing for a local chain', undefined, /must be set, because CHAIN_A_PRESET is local/],
    ['no JSON', 'poolManager', /must be a JSON object/],
    ['a list', '[]', /must be a JSON object/],
    ['a missing contract', JSON.stringify({ ...local, weth: undefined }), /weth/],
    ['no position manager', JSON.stringify({ ...local, positionManager: null }), /positionManager/],
    ['a short address', JSON.stringify({ ...local, weth: '0xcc' }), /weth: must be 0x and 40 hex digits/],
    ['an unknown name', JSON.stringify({ ...local, wheth: local.weth }), /wheth/],
    ['a chain id in words', JSON.stringify({ ...local, chainId: 'one' }), /chainId/],
  ]
  for (const [name, json, message] of wrong)
    it(`are refused with a clear error: ${name}`, () => {
      expect(() => chainAContracts('local', json))
        .to.throw(message)
        .with.property('code', 'config_invalid')
    })
})

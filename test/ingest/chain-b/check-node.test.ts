import { expect } from 'chai'
import type { Check } from '../../../infra/check.ts'
import { readConfig } from '../../../infra/config.ts'
import { checkChainB } from '../../../ingest/chain-b/check-node.ts'
import { createFakeChain } from '../../support/chain-b/fake-helius/chain.ts'
import { createFaults } from '../../support/chain-b/fake-helius/faults.ts'
import { type FakeHelius, startFakeHelius } from '../../support/chain-b/fake-helius/server.ts'

const key = 'a-secret-helius-key'

describe('the doctor at the node of chain B', () => {
  let fake: FakeHelius | undefined
  afterEach(async () => {
    await fake?.stop()
    fake = undefined
  })

  const start = async (isHelius: boolean) => {
    const chain = await createFakeChain(1)
    chain.grow(5)
    const faults = createFaults(1)
    faults.calm()
    fake = await startFakeHelius({ chain, faults, isHelius })
    return fake
  }
  const checksOf = async (environment: Record<string, string>): Promise<readonly Check[]> =>
    await Promise.all(checkChainB(readConfig(environment)))

  it('says that chain B is simulated where none is configured', async () => {
    const [check, ...others] = await checksOf({})
    expect(others).to.deep.equal([])
    expect(check).to.include({ state: 'off' })
    expect(check?.says).to.contain('simulated')
  })

  it('sees a plain node that is behind its chain', async () => {
    const { url } = await start(false)
    const [check, ...others] = await checksOf({ CHAIN_B_RPC_URL: url })
    expect(others).to.deep.equal([])
    expect(check).to.include({ state: 'wrong' })
    expect(check?.says).to.match(/head \d+, \d+ s old, but the limit is 60 s$/)
    expect(check?.toDo).to.contain('has caught up')
  })

  it('sees that Helius takes the key, and subscribes', async () => {
    const { url, wsUrl } = await start(true)
    const checks = await checksOf({ HELIUS_API_KEY: key, CHAIN_B_RPC_URL: url, CHAIN_B_WS_URL: wsUrl })
    expect(checks.map(({ name }) => name)).to.deep.equal(['chain B node', 'chain B subscription'])
    expect(checks[1]).to.include({ state: 'ok' })
  })

  it('sees a node that is not Helius although there is a key', async () => {
    const { url, wsUrl } = await start(false)
    const [check] = await checksOf({ HELIUS_API_KEY: key, CHAIN_B_RPC_URL: url, CHAIN_B_WS_URL: wsUrl })
    expect(check).to.include({ state: 'wrong' })
    expect(check?.says).to.contain('getTransactionsForAddress')
  })

  it('names the variables of what does not answer, and shows no key', async () => {
    const checks = await checksOf({
      HELIUS_API_KEY: key,
      CHAIN_B_RPC_URL: 'http://127.0.0.1:9',
      CHAIN_B_WS_URL: 'ws://127.0.0.1:9',
    })
    expect(checks.map(({ state }) => state)).to.deep.equal(['wrong', 'wrong'])
    for (const { says, toDo } of checks) {
      expect(says).to.contain('127.0.0.1:9')
      expect(toDo).to.contain('HELIUS_API_KEY')
    }
    expect(JSON.stringify(checks)).to.not.contain(key)
  })
})

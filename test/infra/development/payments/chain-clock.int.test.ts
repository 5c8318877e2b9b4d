import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createPublicClient } from 'viem'
import { type ChainClock, createChainClock } from '../../../../infra/development/payments/chain-clock.ts'
import { type LocalChain, startLocalChain } from '../../../../infra/development/payments/local-chain.ts'
import { localChainId, localChainOf, localTransport } from '../../../../infra/development/payments/local-dollar.ts'

describe("the local chain's clock", () => {
  let chain: LocalChain
  let clock: ChainClock | undefined

  before(async () => {
    chain = await startLocalChain(localChainId)
  })
  afterEach(() => clock?.stop())
  after(() => chain?.stop())

  const head = () => {
    const { rpcUrl } = chain
    return createPublicClient({
      chain: localChainOf(rpcUrl),
      transport: localTransport(rpcUrl),
      cacheTime: 0,
    }).getBlock()
  }
  const headAgeMs = async () => Date.now() - Number((await head()).timestamp) * 1000

  it('mines nothing while nobody uses the chain', async () => {
    clock = createChainClock({ rpcUrl: chain.rpcUrl })
    const { number } = await head()
    await sleep(3_000)
    expect((await head()).number).to.equal(number)
  })

  it('mines one block for all who want a young head, and none when it is young', async () => {
    clock = createChainClock({ rpcUrl: chain.rpcUrl })
    while ((await headAgeMs()) <= 2_000) await sleep(100)
    const { number } = await head()
    const askedAtMs = Date.now()
    await Promise.all(Array.from({ length: 5 }, clock.catchUp))
    const young = await head()
    expect(young.number).to.equal(number + 1n)
    expect(Number(young.timestamp)).to.be.at.least(Math.floor(askedAtMs / 1000))
    clock.stop()
    // The limit is large, because on a busy machine the head may be more than 2 s old.
    clock = createChainClock({ rpcUrl: chain.rpcUrl, headAgeMsMax: 600_000 })
    await clock.catchUp()
    expect((await head()).number).to.equal(number + 1n)
  })

  it('lets time pass by itself while payments may be open, and no longer', async () => {
    const openMs = 3_000
    clock = createChainClock({ rpcUrl: chain.rpcUrl, headAgeMsMax: 0, tickMs: 200, openMs })
    await clock.catchUp()
    const { number } = await head()
    while ((await head()).number < number + 2n) await sleep(50)
    await sleep(openMs + 500)
    const last = await head()
    await sleep(1_500)
    expect((await head()).number).to.equal(last.number)
    await clock.catchUp()
    while ((await head()).number < last.number + 3n) await sleep(50)
  })
})

import { expect } from 'chai'
import type { Check } from '../../../infra/check.ts'
import { readConfig } from '../../../infra/config.ts'
import { checkChainA } from '../../../ingest/chain-a/check-node.ts'
import { type RpcAnswer, type RpcDouble, startRpcDouble } from './rpc-double.ts'

const headSec = 1_790_000_000
const feed = '0x78f3556b67e17df817d51ef5a990cdaf09e8d3a9'
const word = (value: number) => value.toString(16).padStart(64, '0')
/** Returns the answer of a price feed: ETH has cost 3210.5 USD since the time `second`. */
const roundAt = (second: number) => `0x${[1, 3210.5 * 1e8, second, second, 1].map(word).join('')}`

describe('the doctor at the nodes of chain A', () => {
  const realNow = Date.now
  let node: RpcDouble
  let answers: Record<string, RpcAnswer>
  let ageMs: number
  beforeEach(async () => {
    ageMs = 0
    Date.now = () => headSec * 1000 + ageMs
    answers = {
      eth_chainId: { result: '0x1237' },
      eth_getBlockByNumber: { result: { number: '0x10', timestamp: `0x${headSec.toString(16)}` } },
      eth_call: { result: roundAt(headSec - 90) },
    }
    node = await startRpcDouble((method) => answers[method] ?? { error: { code: -32601, message: 'no such method' } })
  })
  afterEach(async () => {
    Date.now = realNow
    await node.stop()
  })

  const checksOf = async (environment: Record<string, string> = { CHAIN_A_RPC_URL: node.url }) =>
    await Promise.all(checkChainA(readConfig(environment)))
  const only = async (name: string): Promise<Check | undefined> =>
    (await checksOf()).find((check) => check.name === name)

  it('says that chain A is simulated where none is configured', async () => {
    const [check, ...others] = await checksOf({})
    expect(others).to.deep.equal([])
    expect(check).to.include({ name: 'chain A node', state: 'off', toDo: null })
    expect(check?.says).to.contain('CHAIN_A_RPC_URL').and.contain('simulated')
  })

  it('sees that each node is on the chain and at its head, and that there is a price', async () => {
    ageMs = 1600
    const checks = await checksOf({ CHAIN_A_RPC_URL: `${node.url},${node.url}/other` })
    const where = new URL(node.url).host
    const said = { name: 'chain A node', state: 'ok', says: `${where}: chain 4663, head 16, 2 s old`, toDo: null }
    expect(checks).to.deep.equal([
      ...[said, said],
      { name: 'price feed', state: 'ok', says: 'ETH is 3210.50 USD, updated 2 min ago', toDo: null },
    ])
    expect(node.calls.filter((method) => method === 'eth_call')).to.have.lengthOf(1)
  })

  it('sees a head that is more than two minutes old', async () => {
    ageMs = 120_000
    expect(await only('chain A node')).to.include({ state: 'ok' })
    ageMs = 120_001
    const check = await only('chain A node')
    expect(check).to.include({ state: 'wrong' })
    expect(check?.says).to.match(/, 120 s old, but the limit is 120 s$/)
    expect(check?.toDo).to.contain('has caught up')
  })

  it('shows no negative age if this clock is behind', async () => {
    ageMs = -300_000
    expect((await only('chain A node'))?.says).to.contain(' 0 s old')
    expect((await only('price feed'))?.says).to.contain(' 0 min ago')
  })

  it('sees a node of another chain', async () => {
    answers.eth_chainId = { result: '0x1' }
    const check = await only('chain A node')
    expect(check).to.include({ state: 'wrong' })
    expect(check?.says).to.contain('chain 1,').and.contain('chain 4663')
    expect(check?.toDo).to.contain('CHAIN_A_PRESET')
  })

  it('names the variable of a node that does not answer, after one try', async () => {
    answers.eth_chainId = { fault: { status: 503 } }
    const check = await only('chain A node')
    expect(check).to.include({ state: 'wrong' })
    expect(check?.says).to.contain(new URL(node.url).host)
    expect(check?.toDo).to.contain('CHAIN_A_RPC_URL')
    expect(node.calls.filter((method) => method === 'eth_chainId')).to.have.lengthOf(1)
  })

  it('sees a feed that gives no price, and one that fails', async () => {
    for (const answer of [{ result: '0x' }, { error: { code: -32000, message: 'execution reverted' } }]) {
      answers.eth_call = answer
      const check = await only('price feed')
      expect(check).to.include({ state: 'wrong' })
      expect(check?.says).to.contain(feed)
      expect(check?.toDo).to.contain('ethUsdFeed')
    }
  })

  it('sees that the chain has no feed', async () => {
    const checks = await checksOf({ CHAIN_A_RPC_URL: node.url, CHAIN_A_PRESET: 'base' })
    expect(checks.at(-1)).to.include({ name: 'price feed', state: 'wrong' })
    expect(checks.at(-1)?.says).to.contain('no ETH/USD feed is configured')
    expect(checks[0]?.says).to.contain('chain 8453')
  })

  it('subscribes where the URL is of a socket, and to nothing else', async () => {
    const socketUrl = node.url.replace('http', 'ws')
    const checks = await checksOf({ CHAIN_A_RPC_URL: `${node.url},${socketUrl}` })
    const sockets = checks.filter(({ name }) => name === 'chain A socket')
    expect(sockets).to.have.lengthOf(1)
    expect(sockets[0]).to.include({ state: 'ok', says: `${new URL(node.url).host}: subscribed to new heads` })
  })

  it('sees a socket that cannot be opened', async () => {
    node.sockets.refuse(true)
    const checks = await checksOf({ CHAIN_A_RPC_URL: `${node.url},${node.url.replace('http', 'ws')}` })
    const check = checks.find(({ name }) => name === 'chain A socket')
    expect(check).to.include({ state: 'wrong' })
    expect(check?.toDo).to.contain('eth_subscribe')
  })
})

import { expect } from 'chai'
import { pino } from 'pino'
import { createRpcSource } from '../../../../ingest/chain-a/follow/rpc-source.ts'
import { createNode } from '../../../../ingest/chain-a/node/node.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import { delay } from '../../../../ingest/delay.ts'
import { knownOf } from '../../known-of.ts'
import { blockOf, type ChainDouble, hashOfBlock, type RpcDouble, startRpcDouble } from '../rpc-double.ts'

const contracts = chainAContracts('robinhood')
const logger = pino({ level: 'silent' })
/** A poll interval as long as the test, so that polling alone is too slow. */
const pollMs = 600_000

describe('following a chain whose node announces its blocks', () => {
  let chain: ChainDouble
  let double: RpcDouble
  let stop: AbortController
  let heads: number[]
  let looks: number

  beforeEach(async () => {
    chain = { head: 5000, branchOf: () => 1 }
    stop = new AbortController()
    heads = []
    looks = 0
    double = await startRpcDouble((method, params) => {
      if (method === 'eth_chainId') return { result: '0x1237' }
      if (method === 'eth_getLogs') return { result: [] }
      if (params[0] === 'latest') looks++
      return { result: blockOf(chain, params[0] as unknown as string) }
    })
  })
  afterEach(async () => {
    stop.abort()
    await double.stop()
  })

  const until = async (isSo: () => boolean) => {
    while (!isSo()) await delay(5, stop.signal)
  }

  /** Follows the chain from block 4990 until it is stopped. Resolves when ingest waits at the head. */
  async function follow(urls: readonly string[], pollEveryMs = pollMs) {
    const node = createNode({ urls, socket: { idleMs: 20, restMs: 1 } })
    const source = createRpcSource({
      ...{ node, heads: node.heads, contracts, logger, lagBlocks: 3, logRangeMax: 100, recheckBlocks: 0 },
      pollMs: pollEveryMs,
    })
    const cursor = { number: 4990, hash: hashOfBlock(chain, 4990), atMs: 1_700_004_990_000 }
    const following = (async () => {
      for await (const { head } of source.ranges(cursor, knownOf(), stop.signal)) heads.push(head.number)
    })()
    await Promise.all([double.sockets.subscribed(), until(() => heads.length > 0)])
    // The head is read three times, and the last of these reads finds nothing new.
    await until(() => looks === 3)
    await delay(30, stop.signal)
    return { following }
  }

  for (const [name, urlsOf] of [
    ['beside a URL for HTTP', () => [double.url, double.sockets.url]],
    ['before a URL for HTTP', () => [double.sockets.url, double.url]],
    ['alone', () => [double.sockets.url]],
  ] as const)
    it(`reads a block as soon as it is announced: the socket ${name}`, async () => {
      const { following } = await follow(urlsOf())
      for (const head of [5001, 5002]) {
        chain.head = head
        double.sockets.announce(head)
        await until(() => heads.at(-1) === head - 3)
      }
      expect(heads).to.deep.equal([4997, 4998, 4999])
      expect(double.batches.length > 0, 'asked over HTTP').to.equal(urlsOf().length === 2)
      stop.abort()
      await following
    })

  for (const [name, tell] of [
    ['too high', () => double.sockets.announce(9_999_999)],
    ['too low', () => double.sockets.announce(3)],
    ['no number', () => double.sockets.say('{"method":"eth_subscription","params":null}')],
  ] as const)
    it(`looks, and reads nothing, when an announced head is ${name}`, async () => {
      await follow([double.url, double.sockets.url])
      tell()
      await until(() => looks === 4)
      await delay(50, stop.signal)
      expect([heads, looks]).to.deep.equal([[4997], 4])
    })

  it('looks a few times at most when the node announces without end, and goes on without it', async () => {
    await follow([double.url, double.sockets.url], 100)
    const before = looks
    for (let number = 0; number < 20_000; number++) double.sockets.announce(number)
    await until(() => double.sockets.open() === 0)
    expect(looks - before).to.be.lessThan(12)
    chain.head = 5050
    await until(() => heads.at(-1) === 5047)
  })

  it('polls when the socket is lost and cannot be opened again', async () => {
    await follow([double.url, double.sockets.url], 20)
    double.sockets.refuse(true)
    double.sockets.drop()
    for (const head of [5003, 5008]) {
      chain.head = head
      await until(() => heads.at(-1) === head - 3)
    }
  })

  it('is not hurried while it waits for a node that fails', async () => {
    await follow([double.url, double.sockets.url])
    chain.head = Number.NaN
    double.sockets.announce(5001)
    await until(() => looks > 3)
    const before = looks
    await delay(30, stop.signal)
    double.sockets.announce(5002)
    // This delay is longer than the time between two reads of the head.
    await delay(300, stop.signal)
    expect(looks).to.equal(before)
  })
})

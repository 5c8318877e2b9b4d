import { expect } from 'chai'
import { createNode, type NodeOptions } from '../../../../ingest/chain-a/node/node.ts'
import { type RpcAnswer, type RpcDouble, startRpcDouble } from '../rpc-double.ts'

const never = new AbortController().signal
const noDelay = async () => undefined
const logs = { method: 'eth_getLogs', params: [] }
const header = (digit: string) => ({ method: 'eth_getBlockByNumber', params: [digit] })
const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)

describe('a node that is asked over a WebSocket', () => {
  let double: RpcDouble
  let answer: (method: string, params: readonly string[], call: number) => RpcAnswer | 'hang'

  beforeEach(async () => {
    let call = 0
    answer = (_method, [digit = '']) => ({ result: digit })
    double = await startRpcDouble((method, params) => answer(method, params, ++call))
  })
  afterEach(() => double.stop())

  const nodeAt = (urls: readonly string[], rest: Partial<NodeOptions> = {}) =>
    createNode({ urls, delay: noDelay, timeoutMs: 2000, socket: { idleMs: 20 }, ...rest })

  it('answers many questions over one connection, each with its own answer', async () => {
    const node = nodeAt([double.sockets.url])
    const digits = Array.from({ length: 50 }, (_, index) => String(index))
    expect(await Promise.all(digits.map((digit) => node.request(header(digit), never)))).to.deep.equal(digits)
    expect([double.sockets.opened(), double.batches]).to.deep.equal([1, []])
  })

  for (const order of ['before', 'behind'] as const)
    it(`is asked over HTTP only, when a URL for that stands ${order} the socket's`, async () => {
      const urls = [double.url, double.sockets.url]
      const node = nodeAt(order === 'behind' ? urls.reverse() : urls)
      expect(await node.request(header('7'), never)).to.equal('7')
      expect([double.sockets.opened(), double.batches.length]).to.deep.equal([0, 1])
    })

  it('announces heads over its sockets only, and none if it has no socket', async () => {
    expect(nodeAt([double.url]).heads).to.equal(null)
    const other = await startRpcDouble(() => 'hang')
    const stop = new AbortController()
    const listening = nodeAt([other.url, double.sockets.url]).heads?.listen(() => undefined, stop.signal)
    await double.sockets.subscribed()
    expect([other.sockets.opened(), double.sockets.opened()]).to.deep.equal([0, 1])
    stop.abort()
    await listening
    await other.stop()
  })

  it('is asked again, over a new connection, when the connection breaks in the middle', async () => {
    answer = (_method, [digit = ''], call) => {
      if (call > 1) return { result: digit }
      setImmediate(() => double.sockets.drop())
      return 'hang'
    }
    const waits: number[] = []
    const delay = async (ms: number) => {
      waits.push(ms)
      // This delay takes real time, because the client does not use the socket for a moment after a lost
      // connection.
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(await nodeAt([double.sockets.url], { delay }).request(header('7'), never)).to.equal('7')
    expect(double.sockets.opened()).to.equal(2)
    expect(waits.length).to.be.greaterThan(0)
  })

  it('fails as over HTTP: busy, refused, or no answer in time', async () => {
    const node = nodeAt([double.sockets.url], { triesMax: 1, timeoutMs: 60 })
    answer = () => ({ error: { code: -32_005, message: 'rate limit reached' } })
    expect(await failureOf(node.request(logs, never))).to.deep.include({ code: 'node_unreachable' })
    answer = () => ({ error: { code: -32_602, message: 'range is too wide' } })
    expect(await failureOf(node.request(logs, never))).to.deep.include({ code: 'node_refused' })
    answer = () => 'hang'
    const late = await failureOf(node.request(logs, never))
    expect(late).to.include({ code: 'node_unreachable', message: 'no answer to eth_getLogs in time' })
  })

  it('does not mistake what else is sent for an answer', async () => {
    answer = (method, [digit = '']) => (method === 'eth_getLogs' ? 'hang' : { result: digit })
    const node = nodeAt([double.sockets.url], { triesMax: 1, timeoutMs: 200 })
    const stop = new AbortController()
    const listening = node.heads?.listen(() => undefined, stop.signal)
    await double.sockets.subscribed()
    const asked = failureOf(node.request(logs, never))
    for (const text of ['', 'nonsense', 'null', '7', '[]', '{}', '{"id":null,"result":[]}', '{"id":"1","result":[]}'])
      double.sockets.say(text)
    expect(await asked).to.include({ code: 'node_unreachable' })
    expect(await node.request(header('7'), never)).to.equal('7')
    stop.abort()
    await listening
  })

  it('refuses an answer that is larger than it may be, as over HTTP', async () => {
    answer = () => ({ result: '0'.repeat(65 * 1_048_576) })
    const node = nodeAt([double.sockets.url], { timeoutMs: 20_000 })
    expect(await failureOf(node.request(logs, never))).to.include({ code: 'node_refused' })
  })

  it('is left alone for a while when it cannot be reached, and its key is not shown', async () => {
    double.sockets.refuse(true)
    const node = nodeAt([`${double.sockets.url}/v2/AbCdEf123456`], { triesMax: 3 })
    const error = await failureOf(node.request(header('1'), never))
    expect(error).to.include({ code: 'node_unreachable' })
    expect(String(error)).to.contain('closed a moment ago').and.not.contain('AbCdEf')
    expect(double.sockets.opened()).to.equal(0)
    const first = await failureOf(nodeAt([double.sockets.url], { triesMax: 1 }).request(header('1'), never))
    expect(String(first)).to.contain('401')
  })

  it('is asked at the next socket when the first one is away', async () => {
    const other = await startRpcDouble(() => ({ result: 'other' }))
    double.sockets.refuse(true)
    const node = nodeAt([double.sockets.url, other.sockets.url])
    expect(await node.request(header('1'), never)).to.equal('other')
    await other.stop()
  })

  it('gives up a connection on which nothing comes any more, though nobody closed it', async () => {
    const node = nodeAt([double.sockets.url], { timeoutMs: 500, triesMax: 1 })
    expect(await node.request(header('1'), never)).to.equal('1')
    double.sockets.deafen()
    expect(await failureOf(node.request(header('1'), never))).to.include({ code: 'node_unreachable' })
    while (double.sockets.open() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  })

  it('is let go of when nobody needs it, so that a program can end', async () => {
    expect(await nodeAt([double.sockets.url]).request(header('1'), never)).to.equal('1')
    while (double.sockets.open() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  })
})

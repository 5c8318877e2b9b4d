/**
 * Tests a node that fails some of its requests. Each request must be repeated independently, without more
 * load on the node.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createRpc, type RpcOptions } from '../../../../ingest/chain-b/node/rpc.ts'
import { type RpcAnswer, type RpcDouble, startRpcDouble } from '../../chain-a/rpc-double.ts'

const never = new AbortController().signal
const busy = (retryAfter: string): RpcAnswer => ({ fault: { status: 429, headers: { 'retry-after': retryAfter } } })

describe('a node of chain B that fails some of its requests', () => {
  let double: RpcDouble
  let answer: (call: number, params: readonly number[]) => RpcAnswer | 'hang' | 'drop'
  let nowMs = 0
  let waits: number[] = []

  beforeEach(async () => {
    let call = 0
    double = await startRpcDouble((_, params) => answer(++call, params))
    nowMs = 0
    waits = []
  })
  afterEach(() => double.stop())

  const delay = async (ms: number) => {
    waits.push(ms)
    await sleep(1)
    nowMs += ms
  }
  const rpc = (options: Partial<RpcOptions> = {}) =>
    createRpc({ url: double.url, delay, nowMs: () => nowMs, ...options })
  const ask = (node: ReturnType<typeof rpc>, question: number) => node.request('getBlock', [question], never)

  it('is asked a second time when a request hangs, long before its time limit', async function () {
    this.timeout(15_000)
    answer = (call) => (call === 1 ? 'hang' : { result: call })
    const timer = (_: number, signal: AbortSignal) => sleep(50, undefined, { signal }).catch(() => {})
    expect(await ask(rpc({ timer }), 1)).to.equal(2)
  })

  for (const [name, failure] of [
    ['busy', { fault: { status: 429 } }],
    ['without a node behind it', { fault: { status: 503 } }],
    ['dropping the connection', 'drop'],
  ] as const)
    it(`is asked again only for what failed, up to eight times: ${name}`, async () => {
      const failures = new Map<number, number>()
      answer = (_, [question = 0]) => {
        const count = failures.get(question) ?? 0
        if (question % 2 === 0 || count === 8) return { result: question }
        failures.set(question, count + 1)
        return failure
      }
      const node = rpc()
      expect(await Promise.all([1, 2, 3, 4].map((question) => ask(node, question)))).to.deep.equal([1, 2, 3, 4])
      expect(double.calls).to.have.length(2 * 9 + 2)
    })

  it('is left alone by all requests for as long as one was told to', async () => {
    const askedAtMs: number[] = []
    answer = (call) => {
      askedAtMs.push(nowMs)
      return call === 1 ? busy('7') : { result: call }
    }
    const node = rpc({
      delay: async (ms) => {
        waits.push(ms)
        await sleep(50)
        nowMs += ms
      },
    })
    const first = ask(node, 1)
    while (waits.length === 0) await sleep(1)
    const later = await ask(node, 2)
    expect([await first, later].sort()).to.deep.equal([2, 3])
    expect(askedAtMs[0]).to.equal(0)
    for (const atMs of askedAtMs.slice(1)) expect(atMs).to.be.at.least(7000)
  })

  it('is left alone by the clock of this machine where no other is given', async () => {
    const stop = new AbortController()
    answer = () => busy('7')
    const node = createRpc({
      url: double.url,
      delay: async (ms) => {
        waits.push(ms)
        if (waits.length === 2) stop.abort()
      },
    })
    await node.request('getBlock', [1], stop.signal).catch(() => {})
    expect(double.calls, 'the first wait ended early').to.have.length(1)
    expect(waits[1]).to.be.within(1, 7000)
  })

  it('is left alone until the date that it names', async () => {
    answer = (call) => (call === 1 ? busy(new Date(Date.now() + 20_000).toUTCString()) : { result: call })
    expect(await ask(rpc(), 1)).to.equal(2)
    expect(waits[0]).to.be.within(10_000, 20_000)
  })

  it('has no more than sixteen requests at once', async () => {
    let most = 0
    let underWay = 0
    const transport: RpcOptions['transport'] = async () => {
      most = Math.max(most, ++underWay)
      await sleep(2)
      underWay--
    }
    const node = rpc({ transport })
    await Promise.all(Array.from({ length: 50 }, (_, question) => ask(node, question)))
    expect(most).to.equal(16)
  })

  it('is not asked again by a request that is no longer wanted', async () => {
    const stop = new AbortController()
    answer = () => ({ fault: { status: 503 } })
    const node = rpc({ delay: async () => stop.abort('enough') })
    const failure = await node.request('getBlock', [1], stop.signal).catch((error: unknown) => error)
    expect(failure).to.equal('enough')
    expect(double.calls).to.have.length(1)
  })
})

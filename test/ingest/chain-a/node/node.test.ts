import { expect } from 'chai'
import { createNode, type Node } from '../../../../ingest/chain-a/node/node.ts'
import { createRpcSenderReader } from '../../../../ingest/chain-a/node/read-senders.ts'
import { createRedactor } from '../../../../ingest/redact.ts'
import { type RpcAnswer, type RpcDouble, startRpcDouble } from '../rpc-double.ts'

const never = new AbortController().signal
const noDelay = async () => undefined

describe('a node', () => {
  let double: RpcDouble
  let answer: (method: string, call: number, params: readonly string[]) => RpcAnswer | 'hang' | 'drop'

  beforeEach(async () => {
    let call = 0
    double = await startRpcDouble((method, params) => answer(method, ++call, params))
  })
  afterEach(() => double.stop())

  const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)
  const ask = (signal = never, timeoutMs = 2000) =>
    createNode({ urls: [double.url], timeoutMs, delay: noDelay }).request({ method: 'eth_test', params: [] }, signal)

  const internal = { code: -32_603, message: 'internal error' }
  const failures: readonly (readonly [string, RpcAnswer | 'hang' | 'drop', string, number])[] = [
    ['an answer that is an error', { error: { code: -32_000, message: 'nonsense' } }, 'node_refused', 1],
    ['a key that is not accepted', { fault: { status: 401 } }, 'node_refused', 1],
    [
      'an error with a status',
      { fault: { status: 500, body: { error: { code: 22, message: 'no' } } } },
      'node_refused',
      1,
    ],
    ['a call that reverts as an internal error', { error: { ...internal, message: 'reverted' } }, 'node_refused', 1],
    ['internal errors', { error: internal }, 'node_refused', 9],
    ['internal errors with a status', { fault: { status: 500, body: { error: internal } } }, 'node_refused', 9],
    ['too many questions', { fault: { status: 429 } }, 'node_unreachable', 9],
    ['a gateway without a node', { fault: { status: 502 } }, 'node_unreachable', 9],
    ['a server that fails', { fault: { status: 500 } }, 'node_unreachable', 9],
    ['a dropped connection', 'drop', 'node_unreachable', 9],
    ['silence', 'hang', 'node_unreachable', 3],
  ]
  for (const [name, given, code, tries] of failures)
    it(`fails with ${code} on ${name}, asked ${tries} times`, async () => {
      answer = () => given
      expect(await failureOf(ask(never, given === 'hang' ? 100 : 2000))).to.include({ code })
      expect(double.calls).to.have.length(tries)
    })

  describe('of which one URL tells a block time that cannot be yet', () => {
    const nowMs = () => 1_700_000_000_000
    const header = (aheadSec: number) => ({
      result: { number: '0x7', timestamp: `0x${(1_700_000_000 + aheadSec).toString(16)}` },
    })
    let other: RpcDouble
    let aheadSec: number
    beforeEach(async () => {
      aheadSec = 0
      other = await startRpcDouble(() => header(aheadSec))
      answer = () => header(601)
    })
    afterEach(() => other.stop())
    const readLatest = (urls: readonly string[]) =>
      createNode({ urls, delay: noDelay, nowMs }).request(
        { method: 'eth_getBlockByNumber', params: ['latest', false] },
        never,
      )

    it('asks the next one', async () => {
      expect(await readLatest([double.url, other.url])).to.deep.equal(header(0).result)
    })

    for (const [what, urlCount, says] of [
      ['the one', 1, 'The node or this clock is wrong'],
      ['all', 2, 'All 2 URLs of the node agree, so this clock is wrong'],
    ] as const)
      it(`fails with node_inconsistent, asked once, where ${what} does`, async () => {
        aheadSec = 700
        const failure = await failureOf(readLatest([double.url, other.url].slice(0, urlCount)))
        expect(failure).to.include({ code: 'node_inconsistent' })
        expect(String(failure)).to.include('the clock of this machine says 2023-11-14T22:13:20.000Z').and.include(says)
        expect([double.calls.length, other.calls.length]).to.deep.equal([1, urlCount - 1])
      })

    it('does not say that all do where one is away', async () => {
      answer = (_, call) => (call === 1 ? header(601) : { fault: { status: 503 } })
      aheadSec = 700
      const node = createNode({ urls: [double.url, other.url], delay: noDelay, nowMs, triesMax: 1 })
      const ask = () => node.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }, never)
      aheadSec = 0
      await ask()
      aheadSec = 700
      expect(String(await failureOf(ask()))).to.include('All 2 URLs')
      aheadSec = 0
      answer = () => header(0)
      await ask()
      answer = () => ({ fault: { status: 503 } })
      aheadSec = 700
      expect(String(await failureOf(ask()))).to.include('The node or this clock is wrong')
    })
  })

  it('asks for logs, and calls contracts, no more than three times while it is told of internal errors', async () => {
    answer = () => ({ error: internal })
    const node = createNode({ urls: [double.url], delay: noDelay })
    for (const method of ['eth_getLogs', 'eth_call'])
      expect(await failureOf(node.request({ method, params: [] }, never))).to.include({ code: 'node_refused' })
    expect(double.calls).to.have.length(6)
  })

  it('waits longer before each try, less up to a half by chance', async () => {
    answer = () => ({ fault: { status: 503 } })
    const waits: number[] = []
    const node = createNode({ urls: [double.url], delay: async (ms) => void waits.push(ms) })
    await failureOf(node.request({ method: 'eth_test', params: [] }, never))
    expect(waits).to.have.length(8)
    for (const [index, waitMs] of waits.entries()) expect(waitMs).to.be.within(50 * 2 ** index, 100 * 2 ** index)
  })

  it('stops waiting for the next try at once when asked to', async () => {
    answer = () => ({ fault: { status: 503 } })
    const stop = new AbortController()
    const asked = createNode({ urls: [double.url], delay: () => new Promise(() => stop.abort(new RangeError('stop'))) })
    expect(await failureOf(asked.request({ method: 'eth_test', params: [] }, stop.signal))).to.be.instanceOf(RangeError)
  })

  it('leaves a URL alone for as long as it asks to, and asks the next one meanwhile', async () => {
    const spare = await startRpcDouble(() => ({ result: 'spare' }))
    try {
      let nowMs = 1_000_000
      answer = (_method, call) =>
        call === 1 ? { fault: { status: 429, headers: { 'retry-after': '7' } } } : { result: 'first' }
      const node = createNode({ urls: [double.url, spare.url], delay: noDelay, nowMs: () => nowMs })
      const told: unknown[] = []
      for (const laterMs of [0, 6900, 200]) {
        nowMs += laterMs
        told.push(await node.request({ method: 'eth_test', params: [] }, never))
      }
      expect(told).to.deep.equal(['spare', 'spare', 'first'])
      expect(double.calls).to.have.length(2)
    } finally {
      await spare.stop()
    }
  })

  for (const [name, header, leastMs] of [
    ['seconds', () => '7', 7000],
    ['a date', () => new Date(Date.now() + 20_000).toUTCString(), 10_000],
    ['an hour, of which a minute is waited', () => '3600', 60_000],
    ['nonsense', () => 'soon', 50],
  ] as const)
    it(`waits for as long as its only URL asks to: ${name}`, async () => {
      let nowMs = Date.now()
      const waits: number[] = []
      const delay = async (ms: number) => {
        waits.push(ms)
        nowMs += ms
      }
      answer = (_method, call) =>
        call === 1 ? { fault: { status: 503, headers: { 'retry-after': header() } } } : { result: 'answer' }
      const node = createNode({ urls: [double.url], delay, nowMs: () => nowMs })
      expect(await node.request({ method: 'eth_test', params: [] }, never)).to.equal('answer')
      expect(waits[0]).to.be.within(leastMs, leastMs * 2)
      expect(double.calls).to.have.length(2)
    })

  it('stops waiting at once when asked to', async () => {
    answer = () => 'hang'
    const stop = new AbortController()
    const failure = failureOf(ask(stop.signal, 60_000))
    stop.abort(new RangeError('stopped'))
    expect(await failure).to.be.instanceOf(RangeError)
  })

  it('is asked again for senders while it is busy, and what it does not know is left out', async () => {
    const from = '0xABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD'
    answer = (_method, call) => (call <= 2 ? { fault: { status: 503 } } : { result: call === 3 ? { from } : null })
    const node = createNode({ urls: [double.url], delay: noDelay })
    const read = createRpcSenderReader({ node })
    const hashes = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`] as const
    expect([...(await read(hashes, never))]).to.deep.equal([[hashes[0], from.toLowerCase()]])
  })

  const busy = { code: -32_005, message: 'rate limit reached' }
  for (const [name, given] of [
    ['an error without a number', { id: null, error: busy }],
    ['an answer without a number', { id: null, result: { from: `0x${'9'.repeat(40)}` } }],
    ['one error instead of them all', { fault: { status: 200, body: { id: null, error: busy } } }],
  ] as const)
    it(`takes the answers of a batch by their numbers, and waits for those left out: ${name}`, async () => {
      const hashes = ['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(64)}` as const)
      const senderOf = (hash: string) => hash.slice(0, 42)
      answer = (_method, call, [hash = '']) => (call === 2 ? given : { result: { from: senderOf(hash) } })
      const node = createNode({ urls: [double.url], delay: noDelay })
      const senders = await createRpcSenderReader({ node })(hashes, never)
      expect([...senders]).to.deep.equal(hashes.map((hash) => [hash, senderOf(hash)]))
    })

  it('does not take the error of one question for that of another, which was left out', async () => {
    const nonsense = { error: { code: -32_000, message: 'nonsense' } }
    answer = (_method, call, [digit]) => {
      if (digit === '1') return nonsense
      return call === 2 ? { id: null, result: 'stray' } : { result: digit }
    }
    const node = createNode({ urls: [double.url], delay: noDelay })
    const [one, two] = await Promise.allSettled(
      ['1', '2'].map((digit) => node.request({ method: 'eth_test', params: [digit] }, never)),
    )
    expect([one?.status, two]).to.deep.equal(['rejected', { status: 'fulfilled', value: '2' }])
  })

  const askFour = (node: Node) =>
    Promise.all(['1', '2', '3', '4'].map((digit) => node.request({ method: 'eth_test', params: [digit] }, never)))

  it('asks again only for the entries of a batch that failed, in one batch', async () => {
    answer = (_method, call, [digit]) => (call === 2 || call === 3 ? { error: busy } : { result: digit })
    const node = createNode({ urls: [double.url] })
    expect(await askFour(node)).to.deep.equal(['1', '2', '3', '4'])
    expect(double.batches.map(({ length }) => length)).to.deep.equal([4, 2])
  })

  it('asks again in one batch for a batch that failed as a whole', async () => {
    answer = (_method, call, [digit]) => (call <= 8 ? { fault: { status: 500 } } : { result: digit })
    const node = createNode({ urls: [double.url] })
    expect(await askFour(node)).to.deep.equal(['1', '2', '3', '4'])
    expect(double.batches.map(({ length }) => length)).to.deep.equal([4, 4, 4])
  })

  it('asks the next URL only for the entries of a batch that the first one failed', async () => {
    const spare = await startRpcDouble((_method, [digit]) => ({ result: `spare ${digit}` }))
    try {
      answer = (_method, call, [digit]) => (call === 2 ? { error: busy } : { result: digit })
      const node = createNode({ urls: [double.url, spare.url] })
      expect(await askFour(node)).to.deep.equal(['1', 'spare 2', '3', '4'])
      expect([double.batches.length, spare.batches.map(({ length }) => length)]).to.deep.equal([1, [1]])
    } finally {
      await spare.stop()
    }
  })

  it('refuses a batch of answers that is larger than it may be', async () => {
    answer = () => ({ result: '0'.repeat(65 * 1_048_576) })
    expect(await failureOf(ask(never, 10_000))).to.include({ code: 'node_refused' })
  })

  it('is never named with what could be a key', () => {
    const urls = ['https://user:pa55word@node.example/v2/AbCdEf123456?token=zyx987654']
    const redact = createRedactor(urls)
    const text = `failed at ${urls[0]}, also wss://other.example/key: bad key AbCdEf123456 of user, zyx987654, pa55word`
    expect(redact(text)).to.equal('failed at node.example also other.example bad key … of user, …, …')
    const withPercent = createRedactor(['https://node.example/%41bcdefg?key=12%25zz78'])
    expect(withPercent('Abcdefg and %41bcdefg and 12%zz78')).to.equal('… and … and …')
  })
})

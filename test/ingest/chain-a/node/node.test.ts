import { expect } from 'chai'
import { createNode } from '../../../../ingest/chain-a/node/node.ts'
import { createRpcSenderReader } from '../../../../ingest/chain-a/node/read-senders.ts'
import { createRedactor } from '../../../../ingest/chain-a/node/redact.ts'
import { type RpcAnswer, type RpcDouble, startRpcDouble } from '../rpc-double.ts'

const never = new AbortController().signal

describe('a node', () => {
  let double: RpcDouble
  let answer: (method: string, call: number, params: readonly string[]) => RpcAnswer | 'hang'

  beforeEach(async () => {
    let call = 0
    double = await startRpcDouble((method, params) => answer(method, ++call, params))
  })
  afterEach(() => double.stop())

  const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)
  const ask = (signal = never, timeoutMs = 2000) =>
    createNode({ urls: [double.url], timeoutMs }).request({ method: 'eth_test', params: [] }, signal)

  const failures: readonly (readonly [string, RpcAnswer | 'hang', string])[] = [
    ['an answer that is an error', { error: { code: -32_000, message: 'nonsense' } }, 'node_refused'],
    ['a key that is not accepted', { fault: { status: 401 } }, 'node_refused'],
    ['too many questions', { fault: { status: 429 } }, 'node_unreachable'],
    ['a gateway without a node', { fault: { status: 502 } }, 'node_unreachable'],
    ['silence', 'hang', 'node_unreachable'],
  ]
  for (const [name, given, code] of failures)
    it(`fails with ${code} on ${name}`, async () => {
      answer = () => given
      expect(await failureOf(ask(never, given === 'hang' ? 100 : 2000))).to.include({ code })
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
    const node = createNode({ urls: [double.url] })
    const read = createRpcSenderReader({ node, delay: async () => undefined })
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
      const node = createNode({ urls: [double.url] })
      const senders = await createRpcSenderReader({ node, delay: async () => undefined })(hashes, never)
      expect([...senders]).to.deep.equal(hashes.map((hash) => [hash, senderOf(hash)]))
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

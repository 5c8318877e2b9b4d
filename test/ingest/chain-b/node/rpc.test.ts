import { expect } from 'chai'
import { openReader } from '../../../../ingest/chain-b/node/open-reader.ts'
import { createRpc } from '../../../../ingest/chain-b/node/rpc.ts'
import { type RpcAnswer, type RpcDouble, startRpcDouble } from '../../chain-a/rpc-double.ts'

const never = new AbortController().signal
const key = 'a-secret-helius-key'

describe('a node of chain B', () => {
  let double: RpcDouble
  let answer: (method: string, call: number, params: readonly never[]) => RpcAnswer | 'hang' | 'drop'

  beforeEach(async () => {
    let call = 0
    double = await startRpcDouble((method, params) => answer(method, ++call, params))
  })
  afterEach(() => double.stop())

  const waits: number[] = []
  let nowMs = 0
  const delay = async (ms: number) => {
    waits.push(ms)
    nowMs += ms
  }
  const urlWithKey = () => `${double.url}/?api-key=${key}`
  const ask = (timeoutMs = 2000) =>
    createRpc({ url: urlWithKey(), timeoutMs, delay, nowMs: () => nowMs })
      .request('getSlot', [], never)
      .catch((error: unknown) => error)
  const reader = (isHelius: boolean) => openReader({ url: urlWithKey(), isHelius, delay })

  const failures: readonly (readonly [string, RpcAnswer | 'hang' | 'drop', string, number])[] = [
    ['an answer that is an error', { error: { code: -32_602, message: `bad ${key}` } }, 'node_refused', 1],
    ['a key that is not accepted', { fault: { status: 401 } }, 'node_refused', 1],
    ['a node that is behind', { error: { code: -32_016, message: 'Minimum context slot' } }, 'node_unreachable', 9],
    ['a block that is not there yet', { error: { code: -32_004, message: 'not available' } }, 'node_unreachable', 9],
    ['too many questions', { fault: { status: 429 } }, 'node_unreachable', 9],
    ['a limit told in words', { error: { code: -32_000, message: 'rate limited' } }, 'node_unreachable', 9],
    ['a gateway without a node', { fault: { status: 502 } }, 'node_unreachable', 9],
    ['a page instead of JSON-RPC', { fault: { status: 200 } }, 'node_unreachable', 9],
    ['a dropped connection', 'drop', 'node_unreachable', 9],
    ['a gateway that waits too long', { fault: { status: 504 } }, 'node_unreachable', 3],
    ['silence', 'hang', 'node_unreachable', 3],
  ]
  for (const [name, given, code, tries] of failures)
    it(`fails with ${code} on ${name}, asked ${tries} times, and shows no key`, async () => {
      answer = () => given
      const failure = (await ask(given === 'hang' ? 60 : 2000)) as Error
      expect(failure).to.include({ code })
      expect(double.calls).to.have.length(tries)
      expect(JSON.stringify([failure.message, failure, String(failure.cause)])).to.not.contain(key)
    })

  it('goes on after failures, with growing waits, and waits as long as it is told to', async () => {
    waits.length = 0
    const busy = { fault: { status: 429, headers: { 'retry-after': '7' } } }
    answer = (_, call) => [{ fault: { status: 503 } }, { fault: { status: 503 } }, busy][call - 1] ?? { result: 5 }
    expect(await ask()).to.equal(5)
    const [first = 0, second = 0, third = 0] = waits
    expect(first).to.be.within(50, 100)
    expect(second).to.be.within(100, 200)
    expect(third).to.equal(7000)
    expect(waits).to.have.length(3)
  })

  it('takes an answer that cannot be for a contradiction', async () => {
    answer = () => ({ result: 'soon' })
    expect(
      await reader(false)
        .headSlot(never)
        .catch((error: unknown) => error),
    ).to.include({ code: 'node_inconsistent' })
    answer = () => ({ result: [4, 6, 5] })
    const slots = await reader(false)
      .slotsWithBlocks({ fromSlot: 4, toSlot: 9 }, never)
      .catch((error: unknown) => error)
    expect(slots).to.include({ code: 'node_inconsistent' })
  })

  it('knows a slot without a block', async () => {
    answer = () => ({ error: { code: -32_007, message: 'Slot 7 was skipped' } })
    expect(await reader(false).block(7, never)).to.equal(null)
  })

  it('lists all pages of Helius, each transaction once and in order, and none outside the slots', async () => {
    const entry = (signature: string, slot: number, transactionIndex: number) => ({
      ...{ signature, slot, transactionIndex, err: null, blockTime: 1 },
    })
    const pages = [
      { data: [entry('two', 5, 9), entry('one', 5, 2)], paginationToken: 'a' },
      { data: [entry('two', 5, 9), entry('three', 6, 1)], paginationToken: null },
    ]
    const asked: unknown[] = []
    answer = (_, call, params) => {
      asked.push(params[1])
      return { result: pages[call - 1] }
    }
    const listed = await reader(true).listOf('somebody', { fromSlot: 5, toSlot: 6 }, never)
    expect(listed.map(({ signature }) => signature)).to.deep.equal(['one', 'two', 'three'])
    expect(asked[0]).to.include({ sortOrder: 'asc', commitment: 'confirmed' }).and.not.have.property('paginationToken')
    expect(asked[1]).to.include({ paginationToken: 'a' })
    answer = () => ({ result: pages[1] })
    const outside = await reader(true)
      .listOf('somebody', { fromSlot: 6, toSlot: 6 }, never)
      .catch((error: unknown) => error)
    expect(outside).to.include({ code: 'node_inconsistent' })
  })

  it('does not go round in pages that lead back', async () => {
    answer = () => ({ result: { data: [], paginationToken: 'again' } })
    const round = await reader(true)
      .listOf('somebody', { fromSlot: 5, toSlot: 6 }, never)
      .catch((error: unknown) => error)
    expect(round).to.include({ code: 'node_inconsistent' })
  })

  it('goes back through the pages of a plain node to the first slot, without what failed, oldest first', async () => {
    const entry = (signature: string, slot: number, err: unknown = null) => ({ signature, slot, err, blockTime: slot })
    const pages = [[entry('d', 9), entry('c', 7)], [entry('b', 6, { error: 1 }), entry('a', 6)], [entry('z', 4)]]
    answer = (_, call) => ({ result: pages[call - 1] ?? [] })
    const listed = await reader(false).listOf('somebody', { fromSlot: 5, toSlot: 8 }, never)
    expect(listed.map(({ signature }) => signature)).to.deep.equal(['a', 'c'])
  })

  it('finds the first transaction of an address', async () => {
    const pages = [
      [{ signature: 'b', slot: 9, err: null, blockTime: 9 }],
      [{ signature: 'a', slot: 7, err: null, blockTime: 7 }],
    ]
    answer = (_, call) => ({ result: pages[call - 1] ?? [] })
    expect(await reader(false).oldestOf('somebody', never)).to.deep.equal({ signature: 'a', slot: 7, atMs: 7000 })
  })

  it('reads accounts in the order of their addresses, a hundred at once', async () => {
    const account = (text: string) => ({ data: [Buffer.from(text).toString('base64'), 'base64'], owner: 'program' })
    answer = (_, __, params) => {
      const addresses = params[0] as unknown as readonly string[]
      return { result: { context: { slot: 3 }, value: addresses.map((each) => (each === '7' ? null : account(each))) } }
    }
    const addresses = Array.from({ length: 120 }, (_, index) => String(index))
    const found = await reader(false).accounts(addresses, never)
    expect(found.map((each) => each?.bytes.toString() ?? '7')).to.deep.equal(addresses)
    expect(double.calls).to.have.length(2)
  })

  it('gives up at once when it is aborted', async () => {
    answer = () => 'hang'
    const stop = new AbortController()
    const asked = reader(false)
      .headSlot(stop.signal)
      .catch((error: unknown) => error)
    stop.abort('enough')
    expect(await asked).to.equal('enough')
  })
})

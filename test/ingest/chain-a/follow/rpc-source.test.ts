import { expect } from 'chai'
import { pino } from 'pino'
import { OperationError } from '../../../../infra/errors.ts'
import { logTopics } from '../../../../ingest/chain-a/decode/log-topics.ts'
import { factIdOf } from '../../../../ingest/chain-a/fact-order.ts'
import { createRpcSource, type RpcSourceOptions } from '../../../../ingest/chain-a/follow/rpc-source.ts'
import { ponsTopics } from '../../../../ingest/chain-a/launchpads/pons-v2.ts'
import { createNode } from '../../../../ingest/chain-a/node/node.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import type { ChainARange } from '../../../../ingest/chain-a/types.ts'
import type { Block } from '../../../../schemas/stage.ts'
import { knownOf } from '../../known-of.ts'
import {
  blockOf,
  type ChainDouble,
  hashOfBlock,
  type RpcAnswer,
  type RpcDouble,
  startRpcDouble,
} from '../rpc-double.ts'

const contracts = chainAContracts('robinhood')
type LogFilter = Readonly<{ fromBlock: string; toBlock: string; address?: unknown }>

const logger = pino({ level: 'silent' })
const noDelay = async () => undefined

describe('reading a chain from a faulty node', () => {
  let chain: ChainDouble
  let double: RpcDouble
  let stop: AbortController
  /** The node's answer to `getLogs` over this number of blocks. Null stands for an empty list. */
  let answerLogs: (span: number, call: number, filter: LogFilter) => RpcAnswer | 'hang' | 'drop' | null
  let answerTransaction: (hash: string) => RpcAnswer | 'hang'
  let answerCall: (call: Readonly<{ gas?: string }>) => RpcAnswer | 'hang'
  let waits: number[]
  /** The time that the node gives a block, in seconds. Null stands for the true time. */
  let lieOf: (number: number) => number | null
  /** These functions change the node's newest block, and any other block. */
  let latestOf: (block: object) => object
  let blockAs: (block: object) => object
  /** The answers to eth_chainId. The last one is repeated. */
  let chainIds: unknown[]

  beforeEach(async () => {
    chain = { head: 5000, branchOf: () => 1 }
    answerLogs = () => null
    answerTransaction = (hash) => ({ result: { hash, from: `0x${'5'.repeat(40)}` } })
    answerCall = () => ({ result: '0x' })
    waits = []
    lieOf = () => null
    chainIds = ['0x1237']
    latestOf = (block) => block
    blockAs = (block) => block
    stop = new AbortController()
    let logCalls = 0
    double = await startRpcDouble((method, params) => {
      if (method === 'eth_chainId') return { result: nextChainId() }
      if (method === 'eth_getBlockByNumber') return { result: told(params[0] as unknown as string) }
      if (method === 'eth_call') return answerCall(params[0] as unknown as { gas?: string })
      if (method === 'eth_getTransactionByHash') return answerTransaction(params[0] as unknown as string)
      const filter = params[0] as unknown as LogFilter
      return answerLogs(Number(filter.toBlock) - Number(filter.fromBlock) + 1, ++logCalls, filter) ?? { result: [] }
    })
  })
  afterEach(async () => {
    stop.abort()
    await double.stop()
  })

  const nextChainId = () => (chainIds.length > 1 ? chainIds.shift() : chainIds[0])
  const told = (tag: string): unknown => {
    const block = lied(blockOf(chain, tag)) as object | null
    if (block === null) return null
    return tag === 'latest' ? latestOf(block) : blockAs(block)
  }
  const lied = (block: unknown): unknown => {
    const sec = block === null ? null : lieOf(Number((block as Readonly<{ number: string }>).number))
    return sec === null ? block : { ...(block as object), timestamp: `0x${sec.toString(16)}` }
  }
  const source = (rest: Partial<RpcSourceOptions> & { timeoutMs?: number; onWait?: () => void } = {}) =>
    createRpcSource({
      node: createNode({ urls: [double.url], timeoutMs: rest.timeoutMs ?? 2000, delay: noDelay }),
      contracts,
      lagBlocks: 3,
      logRangeMax: 10_000,
      logger,
      backfillMs: 4_000_000,
      recheckBlocks: 0,
      delay: async (ms) => {
        waits.push(ms)
        rest.onWait?.()
      },
      ...rest,
    })
  const cursorAt = (number: number): Block => ({
    number,
    hash: hashOfBlock(chain, number),
    atMs: (1_700_000_000 + number) * 1000,
  })

  /** Reads the first ranges from the cursor, and returns them as [from, to]. */
  async function read(count: number, cursor: Block | null, options: Parameters<typeof source>[0] = {}) {
    const ranges: ChainARange[] = []
    for await (const range of source(options).ranges(cursor, knownOf(), stop.signal)) {
      ranges.push(range)
      if (ranges.length === count) break
    }
    return ranges.map(({ fromBlock, head }) => [fromBlock, head.number])
  }
  const failure = (work: Promise<unknown>) => work.catch((error: unknown) => error)

  it('starts at the first block of the time asked for, and stays behind the head', async () => {
    expect(await read(5, null)).to.deep.equal([
      [1000, 1000],
      [1001, 2000],
      [2001, 3000],
      [3001, 4000],
      [4001, 4997],
    ])
  })

  it('starts at the first block of a chain that is younger', async () => {
    chain.head = 50
    expect(await read(2, null)).to.deep.equal([
      [0, 0],
      [1, 47],
    ])
  })

  it('asks for less until the node agrees, whatever words it refuses with', async () => {
    answerLogs = (span) => (span > 300 ? { error: { code: -32_602, message: 'Missing or invalid parameters' } } : null)
    expect(await read(2, cursorAt(1999))).to.deep.equal([
      [2000, 2249],
      [2250, 2499],
    ])
  })

  it('asks for less when a refusal comes as status 500', async () => {
    const body = { error: { code: 22, message: 'range is too wide' } }
    answerLogs = (span) => (span > 600 ? { fault: { status: 500, body } } : null)
    expect(await read(1, cursorAt(1999))).to.deep.equal([[2000, 2499]])
  })

  for (const [name, answer] of [
    ['status 429', { fault: { status: 429 } }],
    [
      'status 429 with an error of its own',
      { fault: { status: 429, body: { error: { code: -32_005, message: 'slow down' } } } },
    ],
    ['an error that says so', { error: { code: -32_005, message: 'rate limit reached' } }],
    ['status 503', { fault: { status: 503 } }],
    ['status 500', { fault: { status: 500 } }],
    ['an internal error', { error: { code: -32_603, message: 'internal error' } }],
    ['a dropped connection', 'drop'],
  ] as const) {
    it(`asks the failed request again, and nothing else of its range: ${name}`, async () => {
      answerLogs = (_span, call) => (call <= 4 ? answer : null)
      expect(await read(1, cursorAt(1999))).to.deep.equal([[2000, 2999]])
      expect(waits).to.deep.equal([])
      const headers = double.calls.filter((method) => method === 'eth_getBlockByNumber')
      expect(headers, 'the head, the last block, and both ends of the range').to.have.length(5)
    })

    it(`asks for less when a request fails in all its tries: ${name}`, async () => {
      answerLogs = (span) => (span > 500 ? answer : null)
      expect(await read(2, cursorAt(1999))).to.deep.equal([
        [2000, 2499],
        [2500, 2999],
      ])
    })
  }

  it('asks for less when the node did not answer in time in three tries', async () => {
    answerLogs = (span) => (span > 500 ? 'hang' : null)
    expect(await read(1, cursorAt(1999), { timeoutMs: 60 })).to.deep.equal([[2000, 2499]])
    expect(waits).to.deep.equal([500])
    expect(double.calls.filter((method) => method === 'eth_getLogs')).to.have.length(3 * 2 + 2)
  })

  it('asks for less when a gateway in front of the node runs out of time again and again', async () => {
    answerLogs = (span) => (span > 500 ? { fault: { status: 504 } } : null)
    expect(await read(1, cursorAt(1999))).to.deep.equal([[2000, 2499]])
    expect(waits).to.deep.equal([500])
  })

  it('asks for as much as before once a node that was away answers again', async () => {
    let headers = 0
    // The node is reachable for the first header, because the start of ingest does not wait for a node that
    // fails.
    const isAway = () => headers > 1 && waits.length < 3
    const inner = createNode({ urls: [double.url], delay: noDelay })
    const node: typeof inner = {
      ...inner,
      request: async (call, signal) => {
        if (call.method === 'eth_getBlockByNumber') headers++
        if (isAway()) throw new OperationError('node_unreachable', 'away', { context: { kind: 'network' } })
        return await inner.request(call, signal)
      },
    }
    expect(await read(1, cursorAt(1999), { node })).to.deep.equal([[2000, 2999]])
    expect(waits).to.deep.equal([500, 1000, 2000])
  })

  it('reads fewer blocks at once when their answers contradict each other again and again', async () => {
    // Simulates a node that only sometimes has the end of a long range, as behind a load balancer.
    answerLogs = (span) => (span > 300 ? { result: 'nonsense' } : null)
    expect(await read(1, cursorAt(1999))).to.deep.equal([[2000, 2249]])
    expect(waits).to.deep.equal([500, 500, 500, 500])
  })

  it('gives up on a single block that is refused again and again', async () => {
    answerLogs = () => ({ error: { code: -32_000, message: 'query exceeds limit' } })
    expect(await failure(read(1, cursorAt(1999)))).to.include({ code: 'range_refused' })
  })

  it('waits for a node that is behind the log, then goes on', async () => {
    const cursor = cursorAt(4990)
    chain.head = 4000
    const onWait = () => {
      if (waits.length === 3) chain.head = 5000
    }
    expect(await read(1, cursor, { onWait })).to.deep.equal([[4991, 4997]])
  })

  it('waits while the node has no newest block', async () => {
    const cursor = cursorAt(4990)
    let asked = 0
    const inner = createNode({ urls: [double.url], timeoutMs: 2000, delay: noDelay })
    const node: typeof inner = {
      ...inner,
      // The first header is returned, because the start reads it and has its own wait.
      request: async <Result>(call: Parameters<typeof inner.request>[0], signal: AbortSignal) => {
        const isHead = call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest'
        return isHead && ++asked > 1 && asked <= 4 ? (null as Result) : await inner.request<Result>(call, signal)
      },
    }
    expect(await read(1, cursor, { node })).to.deep.equal([[4991, 4997]])
    expect(waits).to.have.length(3)
  })

  it('gives nothing twice when the node jumps back', async () => {
    const ranges: unknown[] = []
    const heads = [5000, 4900, 4950, 5010]
    const onWait = () => {
      chain.head = heads.shift() ?? chain.head
    }
    for await (const range of source({ onWait }).ranges(cursorAt(4990), knownOf(), stop.signal)) {
      ranges.push([range.fromBlock, range.head.number])
      if (ranges.length === 2) break
    }
    expect(ranges).to.deep.equal([
      [4991, 4997],
      [4998, 5007],
    ])
  })

  describe('that leaves its branch', () => {
    const rangesOf = async (
      options: Parameters<typeof source>[0],
      known: Parameters<typeof knownOf>[0],
      told = 4997,
    ) => {
      const cursor = cursorAt(told)
      const knownBlocks = [1000, 4900, 4989, 4992, 4997].map(cursorAt)
      const blocksFrom = async (block: number) => {
        const below = knownBlocks.findLast(({ number }) => number < block)
        return [...(below ? [below] : []), ...knownBlocks.filter(({ number }) => number >= block)]
      }
      chain.branchOf = (number) => (number > replacedFrom ? 2 : 1)
      for await (const range of source(options).ranges(cursor, knownOf({ blocksFrom, ...known }), stop.signal))
        return {
          revertedFrom: range.revertedFrom,
          fromBlock: range.fromBlock,
          to: range.head.number,
          hash: range.head.hash,
        }
      return null
    }
    let replacedFrom = 4990

    it('tells it again from behind the newest block that both have', async () => {
      const hash = hashOfBlock({ ...chain, branchOf: () => 2 }, 4997)
      expect(await rangesOf({}, {})).to.deep.equal({ revertedFrom: 4990, fromBlock: 4990, to: 4997, hash })
    })

    it('tells what there is of a shorter branch when it has not grown within 10 s', async () => {
      chain.head = 4995
      expect(await rangesOf({}, {})).to.include({ revertedFrom: 4990, to: 4992 })
      // Two more reads take 1 s before the source believes the branch. Then it waits 10 s.
      expect(waits.reduce((sum, ms) => sum + ms, 0)).to.equal(11_000)
    })

    it('starts over when the node has no newest block for 10 s while the new branch is awaited', async () => {
      const inner = createNode({ urls: [double.url], timeoutMs: 2000, delay: noDelay })
      let heads = 0
      const node: typeof inner = {
        ...inner,
        request: async <Result>(call: Parameters<typeof inner.request>[0], signal: AbortSignal) => {
          const isHead = call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest'
          // The first two requests for the head come from the start and from the read that finds the new
          // branch.
          return isHead && ++heads > 2 && heads <= 2 + 21 ? (null as Result) : await inner.request<Result>(call, signal)
        },
      }
      expect(await rangesOf({ node }, {})).to.include({ revertedFrom: 4990, to: 4997 })
      expect(waits.filter((ms) => ms === 500).length).to.be.greaterThan(20)
      expect(heads).to.be.greaterThan(2 + 21 + 1)
    })

    it('tells the whole of a branch that comes up in time', async () => {
      chain.head = 4995
      const onWait = () => {
        if (waits.length === 10) chain.head = 5003
      }
      expect(await rangesOf({ onWait }, {})).to.include({ revertedFrom: 4990, to: 4997 })
    })

    it('waits for a node that is behind on the same branch', async () => {
      replacedFrom = 9999
      chain.head = 4995
      const onWait = () => {
        if (waits.length === 5) chain.head = 5003
      }
      expect(await rangesOf({ onWait }, {})).to.include({ revertedFrom: undefined, fromBlock: 4998, to: 5000 })
      replacedFrom = 4990
    })

    it('does not read the log back to where a node is that is further behind than a branch may be', async () => {
      chain.head = 4900
      let lookedBack = 0
      const blocksFrom = async (block: number) => {
        if (block <= 4901) lookedBack++
        return []
      }
      const onWait = () => {
        if (waits.length === 5) stop.abort()
      }
      await rangesOf({ onWait, reorgBlocksMax: 90 }, { blocksFrom })
      expect(lookedBack).to.equal(0)
    })

    it('asks for no more than the node allows, and gives it out in one piece', async () => {
      answerLogs = (span) => (span > 2 ? { error: { code: -32_602, message: 'too many blocks' } } : null)
      expect(await rangesOf({ logRangeMax: 4 }, {})).to.include({ revertedFrom: 4990, to: 4997 })
    })

    it('stops where it left the log before the horizon, and says what may be wrong', async () => {
      replacedFrom = 3
      const error = await failure(rangesOf({ reorgBlocksMax: 90 }, {}))
      replacedFrom = 4990
      expect(error).to.include({ code: 'reorg_too_deep' })
      expect(String(error)).to.match(/block 4997 .* CHAIN_A_REORG_BLOCKS_MAX/)
    })

    for (const logRangeMax of [10_000, 4])
      it(`starts over when it leaves that branch too, further back, before it is read: ${logRangeMax} blocks at once`, async () => {
        let lastCall = 0
        answerLogs = (_span, call) => {
          // The node leaves the branch when the last part of the range is read. If there are several parts,
          // the earlier parts are of the branch that it left.
          if (call === (logRangeMax < 10 ? 3 : 1)) chain.branchOf = (number) => (number > 4985 ? 3 : 1)
          lastCall = call
          return null
        }
        const hash = hashOfBlock({ ...chain, branchOf: () => 3 }, 4997)
        expect(await rangesOf({ logRangeMax }, {})).to.deep.equal({
          revertedFrom: 4901,
          fromBlock: 4901,
          to: 4997,
          hash,
        })
        expect(waits).to.have.length.greaterThan(0)
        expect(lastCall).to.be.greaterThan(1)
      })

    it('tells no block of it when it came between the look at the head and the read, but goes back first', async () => {
      replacedFrom = 9999
      answerLogs = () => {
        chain.branchOf = (number) => (number > 4990 ? 2 : 1)
        return null
      }
      const hash = hashOfBlock({ ...chain, branchOf: () => 2 }, 4994)
      expect(await rangesOf({}, {}, 4994)).to.deep.equal({ revertedFrom: 4990, fromBlock: 4990, to: 4994, hash })
      replacedFrom = 4990
    })

    it('does not believe a single answer', async () => {
      const onWait = () => {
        chain.branchOf = () => 1
        chain.head = 5010
      }
      expect(await rangesOf({ onWait }, {})).to.include({ revertedFrom: undefined, fromBlock: 4998, to: 5007 })
    })

    it('tells blocks again, from the tick before, when a log turns up that was left out', async () => {
      replacedFrom = 9999
      const log = {
        ...{
          address: contracts.poolManager,
          blockNumber: '0x1381',
          blockHash: hashOfBlock(chain, 0x1381),
          logIndex: '0x0',
        },
        ...{ transactionIndex: '0x0', transactionHash: hashOfBlock(chain, 1), blockTimestamp: '0x65000000' },
        topics: [logTopics.v4Initialize, hashOfBlock(chain, 9), `0x${'0'.repeat(64)}`, `0x${'7'.padStart(64, '0')}`],
        data: `0x${'0'.repeat(320)}`,
      }
      answerLogs = (_span, _call, { fromBlock, address }) => ({
        result: address && Number(fromBlock) <= 4993 ? [log] : [],
      })
      chain.head = 5000
      const left = await rangesOf({ recheckBlocks: 4 }, {})
      expect(left, 'its block is 4993').to.include({ revertedFrom: 4993, fromBlock: 4993, to: 4997 })
      const early = await rangesOf({ recheckBlocks: 1 }, {})
      expect(early, 'also early in a last range longer than what is looked at twice').to.include({ revertedFrom: 4993 })
      const ids = new Map([[4993, new Set([factIdOf({ data: { blockHash: log.blockHash, logIndex: 0 } })])]])
      chain.head = 5001
      const whole = await rangesOf({ recheckBlocks: 4 }, { factIdsFrom: async () => ids })
      expect(whole, 'nothing was left out').to.include({ revertedFrom: undefined, fromBlock: 4998 })
      replacedFrom = 4990
    })
  })

  describe('that is asked who sent a transaction', () => {
    const creation = () => ({
      ...{
        address: contracts.poolManager,
        blockNumber: '0x1381',
        blockHash: hashOfBlock(chain, 0x1381),
        logIndex: '0x0',
      },
      ...{ transactionIndex: '0x0', transactionHash: hashOfBlock(chain, 1), blockTimestamp: '0x65000000' },
      topics: [logTopics.v4Initialize, hashOfBlock(chain, 9), `0x${'0'.repeat(64)}`, `0x${'7'.padStart(64, '0')}`],
      data: `0x${'0'.repeat(320)}`,
    })
    beforeEach(() => {
      answerLogs = (_span, _call, { address }) => (address ? { result: [creation()] } : null)
    })
    const senders = async () => {
      for await (const { facts } of source().ranges(cursorAt(4992), knownOf(), stop.signal))
        return facts.map(({ fact: { type, data } }) => [type, 'txSender' in data && data.txSender])
      return []
    }
    const found = [['PoolCreated', `0x${'5'.repeat(40)}`]]

    it('tells it with the creation of a pool', async () => {
      expect(await senders()).to.deep.equal(found)
    })

    for (const [name, answer, readAgain] of [
      ['reads the range again when the node does not have it', { result: null }, 2],
      ['asks that alone again when the node is busy', { fault: { status: 429 } }, 0],
    ] as const)
      it(name, async () => {
        let asked = 0
        const known = answerTransaction
        answerTransaction = (hash) => (++asked <= 2 ? answer : known(hash))
        expect(await senders()).to.deep.equal(found)
        expect(waits).to.have.length(readAgain)
      })
  })

  it('is not held up by whoever logs as a curve and never stops answering', async () => {
    const log = {
      ...{ address: `0x${'e'.repeat(40)}`, blockNumber: '0x1380', blockHash: hashOfBlock(chain, 0x1380) },
      ...{ logIndex: '0x0', transactionIndex: '0x0', transactionHash: hashOfBlock(chain, 1) },
      topics: [ponsTopics.curveBuy, `0x${'1'.padStart(64, '0')}`, `0x${'2'.padStart(64, '0')}`],
      data: `0x${'1'.padStart(64, '0').repeat(4)}`,
    }
    answerLogs = (_span, _call, { address }) => ({ result: address ? [] : [log] })
    // A contract can run as long as its gas lasts, and nodes give much gas by default.
    answerCall = ({ gas }) =>
      Number(gas ?? 50_000_000) > 1_000_000 ? 'hang' : { error: { code: -32_000, message: 'out of gas' } }
    const onWait = () => stop.abort()
    expect(await read(1, cursorAt(4990), { timeoutMs: 200, onWait })).to.deep.equal([[4991, 4997]])
  })

  it('refuses a chain of another number', async () => {
    const other = { ...contracts, chainId: 1 }
    const error = await failure(read(1, null, { contracts: other }))
    expect(String(error)).to.match(/serves chain 4663, but the configured contracts are on chain 1\./)
  })

  it('asks again when a log and its header are of different branches', async () => {
    const log = {
      address: contracts.poolManager,
      topics: [],
      data: '0x',
      blockNumber: '0x1380',
      logIndex: '0x0',
      transactionIndex: '0x0',
      transactionHash: hashOfBlock(chain, 1),
      blockTimestamp: '0x65000000',
    }
    const blockHash = hashOfBlock({ ...chain, branchOf: () => 3 }, 0x1380)
    answerLogs = (_span, call) => (call === 1 ? { result: [{ ...log, blockHash }] } : null)
    expect(await read(1, cursorAt(4990))).to.deep.equal([[4991, 4997]])
    expect(waits).to.deep.equal([500])
  })

  describe('that sends creations of pools', () => {
    const [first, second] = [4993, 4994]
    const creation = (block: number, rest: object = {}) => ({
      ...{
        address: contracts.poolManager,
        blockNumber: `0x${block.toString(16)}`,
        blockHash: hashOfBlock(chain, block),
      },
      ...{ logIndex: '0x0', transactionIndex: '0x0', transactionHash: hashOfBlock(chain, block) },
      topics: [logTopics.v4Initialize, hashOfBlock(chain, block), `0x${'0'.repeat(64)}`, `0x${'7'.padStart(64, '0')}`],
      data: `0x${'0'.repeat(320)}`,
      ...rest,
    })
    const toldFrom = async (cursor: number) => {
      for await (const { facts } of source().ranges(cursorAt(cursor), knownOf(), stop.signal))
        return facts.map(({ fact: { data } }) => [data.blockNumber, data.blockAtMs])
      return []
    }
    const timeOf = (block: number) => (1_700_000_000 + block) * 1000

    for (const [name, sent] of [
      ['twice', () => [creation(first), creation(first)]],
      ['with a hole among them', () => [null]],
      ['without their block’s hash', () => [creation(first, { blockHash: null })]],
    ] as const)
      it(`asks again when they come ${name}`, async () => {
        let asked = 0
        answerLogs = (_span, _call, { address }) =>
          address ? { result: asked++ === 0 ? sent() : [creation(first)] } : null
        expect(await toldFrom(4990)).to.deep.equal([[first, timeOf(first)]])
        expect(waits).to.deep.equal([500])
      })

    for (const [name, times] of [
      ['that fall', [first, first - 1]],
      ['before the range', [2, 3]],
      ['behind the range', [first, 4998]],
    ] as const)
      it(`asks the headers when the logs of the past have times ${name}`, async () => {
        chain.head = 9000
        const sent = [first, second].map((block, index) =>
          creation(block, { blockTimestamp: `0x${(timeOf(times[index] as number) / 1000).toString(16)}` }),
        )
        answerLogs = (span, _call, { address, fromBlock }) =>
          address && Number(fromBlock) === 4991 && span === 7 ? { result: sent } : null
        const told: unknown[] = []
        for await (const { facts } of source({ logRangeMax: 7 }).ranges(cursorAt(4990), knownOf(), stop.signal)) {
          told.push(...facts.map(({ fact: { data } }) => [data.blockNumber, data.blockAtMs]))
          break
        }
        expect(told).to.deep.equal([first, second].map((block) => [block, timeOf(block)]))
        expect(waits).to.deep.equal([])
      })

    it('believes the header of a block rather than the time that a log has of it', async () => {
      answerLogs = (_span, _call, { address }) =>
        address ? { result: [creation(first, { blockTimestamp: '0x1' })] } : null
      expect(await toldFrom(4990)).to.deep.equal([[first, timeOf(first)]])
    })
  })

  it('asks again when the headers of a range are of different branches', async () => {
    let asked = 0
    // The node returns block 4995 of another branch, but the parent hash in block 4996 is that of the first branch.
    chain.branchOf = (number) => (number === 4995 && asked++ === 0 ? 2 : 1)
    expect(await read(1, cursorAt(4990))).to.deep.equal([[4991, 4997]])
    expect(waits).to.deep.equal([500])
  })

  const timeOfSec = (number: number) => 1_700_000_000 + number
  for (const [name, lie, nowSec] of [
    ['of the year 2100', () => 4_102_444_800, 1_800_000_000],
    ['of 1970', () => 1, 1_800_000_000],
    ['a second before the block before it', (number) => (number === 4991 ? timeOfSec(4989) : null), 1_800_000_000],
    ['that end before they begin', (number) => (number === 4997 ? timeOfSec(4990) : null), 1_800_000_000],
    ['more than ten minutes ahead of our clock', (number) => timeOfSec(number) + 100, timeOfSec(4997) - 600],
  ] as readonly (readonly [string, typeof lieOf, number])[])
    it(`writes nothing of blocks with times ${name}, and reads them again`, async () => {
      lieOf = lie
      const onWait = () => {
        if (waits.length === 3) lieOf = () => null
      }
      const ranges: ChainARange[] = []
      const options = { onWait, nowMs: () => nowSec * 1000 }
      for await (const range of source(options).ranges(cursorAt(4990), knownOf(), stop.signal)) {
        ranges.push(range)
        if (range.head.number === 4997) break
      }
      for (const { head } of ranges) expect(head.atMs).to.equal(timeOfSec(head.number) * 1000)
      expect(waits.length).to.be.at.least(3)
    })

  it('says which clock may be wrong', async () => {
    const told: string[] = []
    const telling = pino({ level: 'warn' }, { write: (line: string) => void told.push(line) })
    const onWait = () => stop.abort()
    await read(1, cursorAt(4990), { logger: telling, onWait, nowMs: () => 1_600_000_000_000 })
    expect(told.join()).to.include('says 2020-09-13T12:26:40.000Z. The node or this clock is wrong')
  })

  it('fails on a node of another chain once it says so three times, a second apart', async () => {
    chainIds = ['0x1']
    expect(await failure(read(1, cursorAt(4990)))).to.include({ code: 'chain_mismatch' })
    expect(waits).to.deep.equal([1000, 1000])
    waits = []
    chainIds = ['0x1', null, '0x1', '0x1237']
    expect(await read(1, cursorAt(4990))).to.deep.equal([[4991, 4997]])
  })

  it('waits at the start for a node that contradicts itself, and begins at no number that it does not stand by', async () => {
    let asked = 0
    latestOf = (block) => (asked++ < 3 ? { ...block, number: '0x1e' } : block)
    expect((await read(1, null))[0]).to.deep.equal([1000, 1000])
  })

  for (const [name, change] of [
    ['no number', { number: null }],
    ['a number that is none', { number: '0xzz' }],
    ['a number that is too large', { number: `0x${'f'.repeat(20)}` }],
    ['a time that is no text', { timestamp: 1_700_000_000 }],
    ['a time that is negative', { timestamp: '-0x1' }],
    ['a short parent', { parentHash: '0x12' }],
    ['another number than asked', { number: '0x1380' }],
  ] as const)
    it(`reads a header again that has ${name}`, async () => {
      let lies = 2
      blockAs = (block) => (lies-- > 0 ? { ...block, ...change } : block)
      expect(await read(1, cursorAt(4990))).to.deep.equal([[4991, 4997]])
      expect(waits.length).to.be.above(0)
    })

  it('begins at no block that is ahead of our clock', async () => {
    lieOf = (number) => (number === 5000 && waits.length < 2 ? 4_102_444_800 : null)
    expect((await read(1, null))[0]).to.deep.equal([1000, 1000])
    expect(waits).to.have.lengthOf(2)
  })

  it('ends without an error when it is stopped in the middle of a question', async () => {
    answerLogs = () => {
      stop.abort()
      return 'hang'
    }
    expect(await read(1, cursorAt(1999))).to.deep.equal([])
  })

  it('fails at the start when no node answers, and names no key', async () => {
    const urls = ['http://someone:pass1234@127.0.0.1:1/v2/0123456789abcdef?apikey=fedcba9876']
    const node = createNode({ urls, delay: noDelay })
    const error = await failure(read(1, null, { node }))
    expect(error).to.include({ code: 'node_unreachable' })
    expect(JSON.stringify([String(error), error])).not.to.match(/pass1234|0123456789abcdef|fedcba9876/)
  })

  it('turns to the next node when the first is away', async () => {
    const node = createNode({ urls: ['http://127.0.0.1:1', double.url] })
    expect(await read(1, cursorAt(4990), { node })).to.deep.equal([[4991, 4997]])
  })
})

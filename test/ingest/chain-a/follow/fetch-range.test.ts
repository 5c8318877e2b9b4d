import { expect } from 'chai'
import { isOperationError } from '../../../../infra/errors.ts'
import type { RawLog } from '../../../../ingest/chain-a/decode/log-words.ts'
import type { FollowDependencies } from '../../../../ingest/chain-a/follow/dependencies.ts'
import { fetchRange } from '../../../../ingest/chain-a/follow/fetch-range.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { addressOfDigits, hashOf } from '../build-log.ts'
import { blockOf, hashOfBlock } from '../rpc-double.ts'

const chain = { head: 5000, branchOf: () => 1 }
const firstSecond = 1_700_000_000
const hex = (value: number): Hex => `0x${value.toString(16)}`

const log = (block: number, logIndex: number, rest: Partial<RawLog> = {}): RawLog => ({
  ...{ address: addressOfDigits('1'), topics: [hashOf('1')], data: '0x', transactionHash: hashOf('a') },
  ...{
    blockNumber: hex(block),
    blockHash: hashOfBlock(chain, block),
    transactionIndex: '0x0',
    logIndex: hex(logIndex),
  },
  blockTimestamp: hex(firstSecond + block),
  ...rest,
})

describe('the logs of a range of blocks', () => {
  let headersAsked: number[]
  let filters: Readonly<Record<string, unknown>>[]
  /** The header of this block has a time in the year 2100. */
  let lyingBlock: number
  beforeEach(() => {
    lyingBlock = -1
    headersAsked = []
    filters = []
  })
  /**
   * Reads a range of blocks. `answers` has two answers of the node: the logs of known contracts, and the logs
   * that ingest requests only by topic.
   */
  const read = (range: readonly [number, number], linkFrom: number, answers: readonly [unknown, unknown]) => {
    const node = {
      hosts: 'node',
      request: async ({ method, params }: { method: string; params: readonly [never] }) => {
        if (method === 'eth_getLogs') {
          filters.push(params[0])
          return answers['address' in params[0] ? 0 : 1]
        }
        const block = Number(params[0])
        headersAsked.push(block)
        const header = blockOf(chain, params[0])
        return block === lyingBlock ? { ...(header as object), timestamp: '0xf4865700' } : header
      },
    } as unknown as FollowDependencies['node']
    const contracts = chainAContracts('robinhood')
    const [fromBlock, toBlock] = range
    return fetchRange(node, { fromBlock, toBlock, contracts, linkFrom }, new AbortController().signal)
  }

  it('come in one order from both questions, with the headers of both ends alone where nothing is replaced any more', async () => {
    const { logs, first, last, blockAtMsOf } = await read([2000, 2999], 4000, [
      [log(2500, 7), log(2100, 1)],
      [log(2500, 6)],
    ])
    expect(logs.map(({ blockNumber, logIndex }) => [Number(blockNumber), Number(logIndex)])).to.deep.equal([
      [2100, 1],
      [2500, 6],
      [2500, 7],
    ])
    expect(logs.map(blockAtMsOf)).to.deep.equal([2100, 2500, 2500].map((block) => (firstSecond + block) * 1000))
    expect([first.number, last.number, headersAsked]).to.deep.equal([2000, 2999, [2000, 2999]])
    expect(filters.map(({ fromBlock, toBlock }) => [fromBlock, toBlock])).to.deep.equal([
      ['0x7d0', '0xbb7'],
      ['0x7d0', '0xbb7'],
    ])
  })

  it('come with every header from where blocks may be replaced', async () => {
    await read([2000, 2005], 2003, [[], []])
    expect(headersAsked.toSorted()).to.deep.equal([2000, 2003, 2004, 2005])
    headersAsked = []
    await read([2000, 2003], 1990, [[], []])
    expect(headersAsked.toSorted()).to.deep.equal([2000, 2001, 2002, 2003])
  })

  it('come with the headers of those that have no time, and of all where a time cannot be', async () => {
    const timeless = log(2100, 0, { blockTimestamp: null })
    const { blockAtMsOf } = await read([2000, 2999], 4000, [[timeless, log(2500, 0)], []])
    expect(headersAsked.toSorted()).to.deep.equal([2000, 2100, 2999])
    expect(blockAtMsOf(timeless)).to.equal((firstSecond + 2100) * 1000)
    headersAsked = []
    const wrong = log(2500, 0, { blockTimestamp: '0x1' })
    const read2 = await read([2000, 2999], 4000, [[log(2100, 0), wrong], []])
    expect(headersAsked.slice(2).toSorted()).to.deep.equal([2000, 2100, 2500, 2999])
    expect(read2.blockAtMsOf(wrong)).to.equal((firstSecond + 2500) * 1000)
  })

  it('are read again where a header between the others has a time that cannot be', async () => {
    lyingBlock = 2500
    const timeless = [log(2500, 0, { blockTimestamp: null }), log(2600, 0)]
    const error = await read([2000, 2999], 4000, [timeless, []]).catch((cause: unknown) => cause)
    expect(String(error)).to.include('headers with decreasing times')
    expect(isOperationError(error, 'node_inconsistent')).to.equal(true)
  })

  const refused: [string, readonly [unknown, unknown], number][] = [
    ['no list', ['nonsense', []], 2999],
    ['something in it that is no log', [[], [{ ...log(2500, 0), data: null }]], 2999],
    ['a log of another branch than its header', [[log(2999, 0, { blockHash: hashOf('c') })], []], 2999],
    ['a log outside the range', [[log(3000, 0)], []], 2999],
    ['a block that the node does not have', [[], []], 5001],
  ]
  for (const [what, answers, toBlock] of refused)
    it(`are read again: the node answers with ${what}`, async () => {
      const error = await read([2000, toBlock], 9000, answers).catch((cause: unknown) => cause)
      expect(isOperationError(error, 'node_inconsistent'), String(error)).to.equal(true)
    })
})

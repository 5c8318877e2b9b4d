import { expect } from 'chai'
import { pino } from 'pino'
import { encodeAbiParameters } from 'viem'
import { OperationError } from '../../../../infra/errors.ts'
import type { Node } from '../../../../ingest/chain-a/node/node.ts'
import { createChainlinkReader } from '../../../../ingest/chain-a/price/chainlink.ts'
import { createPricePoll } from '../../../../ingest/poll-price.ts'
import type { CoinPrice } from '../../../../schemas/tick.ts'

const round = (answer: bigint, updatedAt: bigint) =>
  encodeAbiParameters(
    [{ type: 'uint80' }, { type: 'int256' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'uint80' }],
    [7n, answer, updatedAt, updatedAt, 7n],
  )

const at = { feed: `0x${'f'.repeat(40)}`, nowMs: () => 1_700_000_100_000 } as const

function readFrom(answer: () => unknown, limitMs = 5000) {
  const node: Node = { hosts: 'test', request: async <Result>() => (await answer()) as Result }
  const read = createChainlinkReader({ ...at, node, logger: pino({ level: 'silent' }), limitMs })
  return read(new AbortController().signal)
}

describe('ETH/USD from Chainlink', () => {
  it('reads eight decimals and the time of the answer', async () => {
    expect(await readFrom(() => round(312_345_678_901n, 1_700_000_000n))).to.deep.equal({
      usd: 3123.45678901,
      atMs: 1_700_000_000_000,
    })
  })

  it('allows for clocks that differ by ten minutes', async () => {
    expect(await readFrom(() => round(1n, 1_700_000_700n))).to.deep.equal({ usd: 1e-8, atMs: 1_700_000_700_000 })
  })

  const unusable: readonly (readonly [string, () => unknown])[] = [
    ['a price of zero', () => round(0n, 1_700_000_000n)],
    ['a negative price', () => round(-1n, 1_700_000_000n)],
    ['a feed that never answered', () => round(1n, 0n)],
    ['a price of more than ten minutes ahead of our clock', () => round(1n, 1_700_000_701n)],
    ['no contract at the address', () => '0x'],
    [
      'a node that refuses',
      () => {
        throw new OperationError('node_refused', 'execution reverted')
      },
    ],
  ]
  for (const [name, answer] of unusable)
    it(`gives nothing for ${name}`, async () => {
      expect(await readFrom(answer)).to.equal(null)
    })
})

describe('a feed that stops', () => {
  it('is not told of when it is we who stop', async () => {
    const told: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void told.push(line) })
    const request = () => Promise.reject(new OperationError('node_unreachable', 'stopped'))
    const read = createChainlinkReader({ ...at, node: { hosts: 'test', request }, logger })
    expect([await read(AbortSignal.abort()), told]).to.deep.equal([null, []])
  })

  it('is told of, with the time of its last price, and fails nothing', async () => {
    const answers = [round(300_000_000_000n, 1_700_000_000n), '0x', 'away']
    const told: Record<string, unknown>[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void told.push(JSON.parse(line)) })
    const request = async <Result>() => {
      const answer = answers.shift()
      if (answer === 'away') throw new OperationError('node_unreachable', 'the node is away')
      return answer as Result
    }
    const read = createChainlinkReader({ ...at, node: { hosts: 'test', request }, logger })
    const never = new AbortController().signal
    expect([(await read(never))?.usd, await read(never), await read(never)]).to.deep.equal([3000, null, null])
    expect(told.map(({ reason, lastPriceAt }) => [reason, lastPriceAt])).to.deep.equal([
      ['its answer is not a price', '2023-11-14T22:13:20.000Z'],
      ['the node is away', '2023-11-14T22:13:20.000Z'],
    ])
  })
})

describe('the price at hand', () => {
  /** Returns the newest price after each answer of the price feed. */
  const pricesAfter = async (initial: CoinPrice | null, answers: readonly (CoinPrice | null)[], nowMs = 100) => {
    const stop = new AbortController()
    const left = [...answers]
    const seen: (CoinPrice | null)[] = []
    const poll = createPricePoll({
      readPrice: async () => left.shift() ?? null,
      ...{ initial, nowMs: () => nowMs },
      delay: async () => {
        seen.push(poll.latest())
        if (left.length === 0) stop.abort()
      },
    })
    const before = poll.latest()
    await poll.run(stop.signal)
    return [before, ...seen]
  }
  const at = (atMs: number) => ({ usd: 3000, atMs })

  it('stays, with its age, while the feed fails', async () => {
    expect(await pricesAfter(at(5), [at(10), null, null])).to.deep.equal([at(5), at(10), at(10), at(10)])
  })

  it('is never followed by an older one: a node is behind, or wrong', async () => {
    expect(await pricesAfter(at(5), [at(4), at(10), at(1), at(10)])).to.deep.equal([
      at(5),
      at(5),
      at(10),
      at(10),
      at(10),
    ])
  })

  it('is no price of the future that stands in a log of before', async () => {
    expect(await pricesAfter(at(Date.UTC(2100, 0)), [at(10)])).to.deep.equal([null, at(10)])
  })
})

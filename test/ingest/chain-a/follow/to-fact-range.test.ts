import { expect } from 'chai'
import { pino } from 'pino'
import type { RawLog } from '../../../../ingest/chain-a/decode/log-words.ts'
import type { FoundCurve } from '../../../../ingest/chain-a/decode/sought-curve.ts'
import type { FollowDependencies } from '../../../../ingest/chain-a/follow/dependencies.ts'
import type { RawRange } from '../../../../ingest/chain-a/follow/fetch-range.ts'
import { toFactRange } from '../../../../ingest/chain-a/follow/to-fact-range.ts'
import { launchpadsOf } from '../../../../ingest/chain-a/launchpads/configured.ts'
import { ponsTopics } from '../../../../ingest/chain-a/launchpads/pons-v2.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { knownOf } from '../../known-of.ts'
import { addressOfDigits, hashOf } from '../build-log.ts'

const contracts = chainAContracts('robinhood')
const [curve, stranger, token] = ['c', 'd', '7'].map(addressOfDigits) as [Hex, Hex, Hex]
const word = (value: number): string => value.toString(16).padStart(64, '0')

const buyOf = (address: Hex, block: number, words = 4): RawLog => ({
  ...{ address, topics: [ponsTopics.curveBuy, `0x${word(1)}`, `0x${word(2)}`] },
  data: `0x${Array.from({ length: words }, () => word(1)).join('')}`,
  ...{ blockNumber: `0x${block.toString(16)}`, blockHash: hashOf('b'), transactionHash: hashOf('a') },
  ...{ transactionIndex: '0x0', logIndex: '0x0' },
})
const headerAt = (number: number) => ({ number, hash: hashOf('b'), parentHash: hashOf('a'), atMs: number * 1000 })
const rawOf = (from: number, to: number, logs: readonly RawLog[]): RawRange => ({
  ...{ logs, first: headerAt(from), last: headerAt(to) },
  blockAtMsOf: (log) => Number(log.blockNumber) * 1000,
})

describe('the facts of a range', () => {
  let sought: (readonly Hex[])[]
  let told: unknown[]
  beforeEach(() => {
    sought = []
    told = []
  })
  const follower = () =>
    ({
      ...{ contracts, launchpads: launchpadsOf(contracts), known: knownOf(), signal: new AbortController().signal },
      logger: pino({ level: 'error' }, { write: (line: string) => void told.push(JSON.parse(line).reason) }),
      curves: {
        isRefused: () => false,
        find: async (wanted: readonly { curve: Hex; blockNumber: number }[]) => {
          sought.push(wanted.map((one) => one.curve))
          const found = wanted.filter((one) => one.curve === curve)
          return new Map(
            found.map(({ blockNumber }): [Hex, FoundCurve] => [
              curve,
              {
                ...{ token, blockNumber },
                data: {
                  ...{ curve, launchpad: 'pons-v2', creator: stranger, symbol: 'X', launchBlock: null, launchAtMs: 1 },
                  ...{ graduationWei: 42n, phantomWei: 17n, supplyRaw: 1000n, reserveWei: 5n },
                },
              },
            ]),
          )
        },
      },
    }) as unknown as FollowDependencies
  const typesOf = async (...raws: readonly RawRange[]) =>
    (await toFactRange(follower(), raws)).facts.map(({ key, fact: { type, data } }) => [type, key, data.blockNumber])

  it('hold the trades of a curve that was older than the log, from where it is found on, and none of a stranger', async () => {
    expect(await typesOf(rawOf(5, 9, [buyOf(stranger, 6), buyOf(curve, 7), buyOf(curve, 8)]))).to.deep.equal([
      ['CurveFound', token, 7],
      ['CurveTraded', token, 7],
      ['CurveTraded', token, 8],
    ])
    expect(sought).to.deep.equal([[stranger, curve]])
  })

  it('are asked of nobody where the logs tell them', async () => {
    expect(await typesOf(rawOf(5, 9, []))).to.deep.equal([])
    expect(sought).to.deep.equal([])
  })

  it('are of one range where several were read, from the first block of the first to the head of the last', async () => {
    const range = await toFactRange(follower(), [rawOf(5, 6, []), rawOf(7, 9, [buyOf(curve, 7)])])
    expect(range.fromBlock).to.equal(5)
    expect(range.head).to.deep.equal({ number: 9, hash: hashOf('b'), atMs: 9000 })
    expect(range.facts).to.have.length(2)
    expect(range.newAddresses.map(({ type }) => type)).to.deep.equal(['CurveAddress'])
  })
})

import { expect } from 'chai'
import { type DecodeContext, decodeLogs } from '../../../../ingest/chain-a/decode/decode-logs.ts'
import type { RawLog } from '../../../../ingest/chain-a/decode/log-words.ts'
import type { FoundCurve } from '../../../../ingest/chain-a/decode/sought-curve.ts'
import { launchpadsOf } from '../../../../ingest/chain-a/launchpads/configured.ts'
import { ponsTopics } from '../../../../ingest/chain-a/launchpads/pons-v2.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import type { CurveAddress } from '../../../../schemas/chain-a/addresses.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { bookWith } from '../../known-of.ts'
import { addressOfDigits, hashOf } from '../build-log.ts'

const contracts = chainAContracts('robinhood')
const factory = contracts.ponsFactory as Hex
const [curve, token, someone] = ['c', '7', 'a'].map(addressOfDigits) as [Hex, Hex, Hex]
const startSec = 0x65000000
const daySec = 86_400

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0')
const topicOf = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`

type Place = Readonly<{ block: number; atSec?: number; from?: Hex }>
let logIndex = 0
const log = (
  topics: readonly Hex[],
  words: readonly number[],
  { block, atSec = startSec, from = curve }: Place,
): RawLog => ({
  address: from,
  topics,
  data: `0x${words.map(word).join('')}`,
  blockNumber: `0x${block.toString(16)}`,
  blockHash: `0x${word(block)}` as const,
  transactionHash: hashOf('a'),
  transactionIndex: '0x0',
  logIndex: `0x${(logIndex++).toString(16)}`,
  blockTimestamp: `0x${atSec.toString(16)}`,
})
const people = [topicOf(someone), topicOf(someone)]
const buy = (ethWei: number, place: Place) => log([ponsTopics.curveBuy, ...people], [ethWei, 10, 1, 1], place)
const sell = (place: Place) => log([ponsTopics.curveSell, ...people], [10, 5, 1, 1], place)
const completion = (place: Place) => log([ponsTopics.curveCompleted], [0, 0, 0], place)
const launch = (block: number, at: Hex = curve) =>
  log([ponsTopics.tokenLaunched, topicOf(token), topicOf(at), topicOf(someone)], [0, 0, 42], { block, from: factory })
const graduation = (block: number) =>
  log([ponsTopics.poolGraduated, topicOf(token)], [9, 1, 1], { block, from: factory })

const addressOf = (sinceBlock: number, seenAtMs = startSec * 1000): CurveAddress => ({
  ...{ curve, token, launchpad: 'pons-v2', sinceBlock, seenAtMs, launchBlock: null, launchAtMs: 1 },
})
const foundAt = (blockNumber: number): ReadonlyMap<Hex, FoundCurve> =>
  new Map([
    [
      curve,
      {
        ...{ token, blockNumber },
        data: {
          ...{ curve, launchpad: 'pons-v2', creator: someone, symbol: 'X', launchBlock: null, launchAtMs: 1 },
          ...{ graduationWei: 42n, phantomWei: 17n, supplyRaw: 1000n, reserveWei: 5n },
        },
      },
    ],
  ])

type Known = Readonly<{ address?: CurveAddress; isRefused?: boolean; publishFrom?: number }> &
  Partial<Pick<DecodeContext['curves'], 'found'>>
function decode(logs: readonly RawLog[], known: Known = {}) {
  const { address, isRefused = false, found: looked = new Map(), publishFrom } = known
  const decoded = decodeLogs(logs, {
    contracts,
    book: bookWith({ curves: new Map(address && [[address.curve, address]]) }),
    curves: { launchpads: launchpadsOf(contracts), found: looked, isRefused: () => isRefused },
    ...(publishFrom !== undefined && { publishFrom }),
    blockAtMsOf: (raw) => Number(raw.blockTimestamp) * 1000,
  })
  const told = decoded.facts.map(
    ({ fact: { type, data } }) => `${type} ${data.blockNumber}${'ethWei' in data ? ` ${data.ethWei}` : ''}`,
  )
  return { ...decoded, told }
}

describe('logs of curves', () => {
  beforeEach(() => {
    logIndex = 0
  })

  it('count from the launch on, in its own block too, to the graduation', () => {
    const logs = [launch(5), buy(1, { block: 5 }), buy(2, { block: 6 }), completion({ block: 6 }), graduation(8)]
    const { told, facts } = decode(logs)
    expect(told).to.deep.equal([
      'CurveLaunched 5',
      'CurveTraded 5 1',
      'CurveTraded 6 2',
      'CurveCompleted 6',
      'CurveGraduated 8',
    ])
    expect(facts.every((fact) => fact.key === token)).to.equal(true)
    expect(facts.at(-1)?.fact.data).to.include({ curve, positionId: `0x${word(9)}` })
  })

  it('count where the curve is in the book', () => {
    const logs = [buy(1, { block: 7 }), sell({ block: 8 }), completion({ block: 9 }), graduation(20)]
    expect(decode(logs, { address: addressOf(5) }).told).to.have.length(4)
  })

  it('graduate in the first block that is known of them or later', () => {
    const toldAt = (block: number) => decode([graduation(block)], { address: addressOf(5) }).told
    expect([4, 5, 6].map(toldAt)).to.deep.equal([[], ['CurveGraduated 5'], ['CurveGraduated 6']])
  })

  describe('of a curve in the book', () => {
    const launched = { ...addressOf(5), launchBlock: 5, launchAtMs: 2 }
    const placeAfter = (sec: number): Place => ({ block: 7 + sec, atSec: startSec + sec })
    const buyAfter = (sec: number, eth = 1) => buy(eth, placeAfter(sec))
    const sellAfter = (sec: number) => sell(placeAfter(sec))
    const rows: readonly [string, readonly RawLog[], readonly number[]][] = [
      ['never within a day of its last record', [buyAfter(0), sellAfter(9), buyAfter(daySec - 1)], []],
      ['bought a day after it', [buyAfter(daySec)], [daySec]],
      ['bought more than once then', [buyAfter(daySec), buyAfter(daySec + 1), buyAfter(2 * daySec - 1)], [daySec]],
      ['left alone for days', [buyAfter(6 * daySec)], [6 * daySec]],
      ['sold before it is bought', [sellAfter(daySec), buyAfter(daySec + 9)], [daySec + 9]],
      ['only sold for three days', [sellAfter(3 * daySec - 1), sellAfter(3 * daySec)], [3 * daySec]],
    ]
    for (const [name, logs, foundAfterSec] of rows)
      it(`tell that it was found again: ${name}`, () => {
        const { sought } = decode(logs, { address: launched })
        const [looked] = sought.values()
        const { facts, newAddresses } = decode(logs, { address: launched, found: foundAt(looked?.blockNumber ?? 0) })
        const finds = facts.filter(({ fact }) => fact.type === 'CurveFound')
        const instants = foundAfterSec.map((sec) => (startSec + sec) * 1000)
        expect(finds.map(({ fact }) => fact.data.blockAtMs)).to.deep.equal(instants)
        expect(facts).to.have.length(logs.length + finds.length)
        expect(newAddresses.map(({ data }) => data)).to.deep.equal(
          instants.map((seenAtMs) => ({ ...launched, seenAtMs })),
        )
        const first = foundAfterSec.map((sec) => [7 + sec, { launchBlock: 5, launchAtMs: 2 }])
        expect([...sought.values()].map(({ blockNumber, launch }) => [blockNumber, launch])).to.deep.equal(first)
      })

    it('tell of the find at the place of the log, and then what the log says', () => {
      const block = 7 + daySec
      const logs = [buyAfter(daySec), buyAfter(daySec, 2), completion(placeAfter(daySec))]
      const { told, facts } = decode(logs, { address: launched, found: foundAt(block) })
      expect(told).to.deep.equal([
        ...[`CurveFound ${block}`, `CurveTraded ${block} 1`],
        ...[`CurveTraded ${block} 2`, `CurveCompleted ${block}`],
      ])
      expect(facts.map(({ fact: { data } }) => data.logIndex)).to.deep.equal([0, 0, 1, 2])
    })

    it('tell of no find behind another log of the block: the node says what was in it before both', () => {
      const logs = [sellAfter(daySec), buyAfter(daySec), buyAfter(daySec + 1)]
      const { sought } = decode(logs, { address: launched })
      expect([...sought.values()].map(({ blockNumber }) => blockNumber)).to.deep.equal([8 + daySec])
      const { told, newAddresses } = decode(logs, { address: launched, found: foundAt(8 + daySec) })
      expect(told).to.deep.equal([
        ...[`CurveTraded ${7 + daySec} -5`, `CurveTraded ${7 + daySec} 1`],
        ...[`CurveFound ${8 + daySec}`, `CurveTraded ${8 + daySec} 1`],
      ])
      expect(newAddresses).to.have.length(1)
    })

    it('tell at no later block what the node says of an earlier one', () => {
      const logs = [buyAfter(daySec), buyAfter(2 * daySec)]
      const { told } = decode(logs, { address: launched, found: foundAt(7 + daySec) })
      expect(told.map((text) => text.split(' ')[0])).to.deep.equal(['CurveFound', 'CurveTraded', 'CurveTraded'])
    })

    it('go on without the find where the node cannot say what is in it', () => {
      const { told, newAddresses } = decode([buyAfter(daySec), buyAfter(2 * daySec)], { address: launched })
      expect(told).to.deep.equal([daySec, 2 * daySec].map((sec) => `CurveTraded ${7 + sec} 1`))
      expect(newAddresses).to.have.length(2)
    })

    it('stay known and are looked up once a day, however long the node cannot say what is in it', () => {
      const days = [1, 2, 3, 4, 5, 6, 7, 8, 9]
      const told: string[] = []
      const asked: number[] = []
      let address: CurveAddress = launched
      for (const day of days)
        for (const sec of [day * daySec, day * daySec + 60]) {
          const decoded = decode([buyAfter(sec)], { address })
          told.push(...decoded.told)
          asked.push(...[...decoded.sought.values()].map(({ blockNumber }) => blockNumber))
          address = (decoded.newAddresses.at(-1)?.data ?? address) as CurveAddress
        }
      expect(told).to.have.length(2 * days.length)
      expect(asked).to.deep.equal(days.map((day) => 7 + day * daySec))
    })
  })

  it('are a stranger’s again after 7 days without a trade', () => {
    const buyAfter = (seconds: number) => buy(1, { block: 20, atSec: startSec + seconds })
    expect(decode([buyAfter(7 * daySec - 1)], { address: addressOf(5) }).told).to.have.length(1)
    const late = decode([buyAfter(7 * daySec)], { address: addressOf(5) })
    expect([late.told, [...late.sought.values()].map(({ launch }) => launch)]).to.deep.equal([[], [null]])
    const again = decode([buyAfter(7 * daySec)], { address: addressOf(5), found: foundAt(20) })
    expect(again.told).to.deep.equal(['CurveFound 20', 'CurveTraded 20 1'])
  })

  it('of an address that nobody knows are a stranger’s: the first of them says where to look', () => {
    const { told, sought } = decode([buy(1, { block: 7 }), buy(2, { block: 8 }), graduation(9)])
    expect(told).to.deep.equal([])
    expect([...sought.values()].map(({ blockNumber, blockHash }) => [blockNumber, blockHash])).to.deep.equal([
      [7, `0x${word(7)}`],
    ])
    const refused = decode([buy(1, { block: 7 }), launch(8), buy(1, { block: 9 })], { isRefused: true })
    expect([refused.told, refused.sought.size, refused.newAddresses]).to.deep.equal([[], 0, []])
  })

  it('of a curve that was found count from its block on: it was found with what was in it before', () => {
    const logs = [buy(1, { block: 7 }), buy(2, { block: 7 }), buy(3, { block: 8 })]
    const { told, facts, newAddresses, sought } = decode(logs, { found: foundAt(7) })
    const trades = ['CurveTraded 7 1', 'CurveTraded 7 2', 'CurveTraded 8 3']
    expect(told).to.deep.equal(['CurveFound 7', ...trades])
    expect(facts[0]?.fact.data).to.include({ reserveWei: 5n, logIndex: 0, blockHash: `0x${word(7)}` })
    expect([newAddresses, sought.size]).to.deep.equal([[{ type: 'CurveAddress', data: addressOf(7) }], 0])
    const again = decode([buy(9, { block: 6 }), ...logs], { address: addressOf(7) })
    expect(again.told, 'also when they are read again').to.deep.equal(trades)
  })

  it('of a curve found in blocks that are told again are a stranger’s once more', () => {
    const logs = [buy(1, { block: 6 }), buy(2, { block: 9 })]
    expect([...decode(logs, { address: addressOf(8), publishFrom: 6 }).sought.keys()]).to.deep.equal([curve])
    const again = decode(logs, { address: addressOf(8), publishFrom: 6, found: foundAt(6) })
    expect(again.told).to.deep.equal(['CurveFound 6', 'CurveTraded 6 1', 'CurveTraded 9 2'])
    expect(again.staleAddresses).to.deep.equal([])
    const lost = decode([buy(1, { block: 6 })], { address: addressOf(8), publishFrom: 6 })
    expect(lost.staleAddresses, 'and forgotten, if it is not found this time').to.deep.equal([curve])
    const same = decode([buy(1, { block: 8 })], { address: addressOf(8), publishFrom: 8 })
    expect([same.told, [...same.sought.keys()]], 'found in the first of them').to.deep.equal([[], [curve]])
    const behind = decode([buy(1, { block: 8 })], { address: addressOf(7), publishFrom: 8 })
    expect(behind.told, 'found in the block before').to.deep.equal(['CurveTraded 8 1'])
    const launched = decode([launch(6), buy(2, { block: 9 })], { address: addressOf(8), publishFrom: 6 })
    expect(launched.told, 'launched on the new branch').to.deep.equal(['CurveLaunched 6', 'CurveTraded 9 2'])
  })
})

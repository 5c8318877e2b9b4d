import { expect } from 'chai'
import { isOperationError } from '../../../../infra/errors.ts'
import type { RawLog } from '../../../../ingest/chain-a/decode/log-words.ts'
import {
  areTimesSound,
  byPlace,
  checkHashes,
  checkLinks,
  checkPlaces,
  isWhole,
  timeOf,
} from '../../../../ingest/chain-a/follow/check-range.ts'
import type { ChainHeader } from '../../../../ingest/chain-a/node/headers.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { addressOfDigits, hashOf } from '../build-log.ts'

const hex = (value: number): Hex => `0x${value.toString(16)}`
const hashAt = (number: number, branch = 'b'): Hex => `0x${branch}${number.toString(16).padStart(63, '0')}`

/** `seconds` is undefined if the node does not send the time. */
const log = (
  block: number,
  logIndex = 0,
  { seconds, ...rest }: Partial<RawLog> & { seconds?: number } = {},
): RawLog => ({
  ...{ address: addressOfDigits('1'), topics: [hashOf('1')], data: '0x', transactionHash: hashOf('a') },
  ...{ blockNumber: hex(block), blockHash: hashAt(block), transactionIndex: '0x0', logIndex: hex(logIndex) },
  ...(seconds === undefined ? {} : { blockTimestamp: hex(seconds) }),
  ...rest,
})
const headersOf = (...headers: readonly (readonly [number, number])[]): ReadonlyMap<number, ChainHeader> =>
  new Map(
    headers.map(([number, seconds]) => [
      number,
      { number, hash: hashAt(number), parentHash: hashAt(number - 1), atMs: seconds * 1000 },
    ]),
  )
const isRefused = (check: () => void): boolean => {
  try {
    check()
    return false
  } catch (error) {
    expect(isOperationError(error, 'node_inconsistent'), String(error)).to.equal(true)
    return true
  }
}

describe('a log that a node sends', () => {
  const whole = log(7)
  const broken: [string, unknown][] = [
    ['nothing', null],
    ['a text', 'log'],
    ['no list of topics', { ...whole, topics: hashOf('1') }],
    ['a topic that is no text', { ...whole, topics: [hashOf('1'), 7] }],
    ...(
      ['address', 'data', 'blockNumber', 'blockHash', 'transactionHash', 'transactionIndex', 'logIndex'] as const
    ).flatMap((name): [string, unknown][] => [
      [`no ${name}`, { ...whole, [name]: undefined }],
      [`a ${name} that is no text`, { ...whole, [name]: 7 }],
    ]),
  ]
  it('is whole with its place, its topics and its data', () => {
    for (const each of [whole, { ...whole, topics: [] }, { ...whole, blockTimestamp: null }])
      expect(isWhole(each)).to.equal(true)
  })
  for (const [what, raw] of broken)
    it(`is not whole: ${what}`, () => {
      expect(isWhole(raw)).to.equal(false)
    })

  it('tells its time, or does not', () => {
    const times = [log(7, 0, { seconds: 12 }), log(7), log(7, 0, { blockTimestamp: null }), log(7, 0, { seconds: 0 })]
    expect(times.map(timeOf)).to.deep.equal([12_000, null, null, null])
    for (const blockTimestamp of ['0xzz', '-5', '1.5', '0x7fffffffffffffff'] as Hex[])
      expect(timeOf(log(7, 0, { blockTimestamp })), blockTimestamp).to.equal(null)
  })
})

describe('the logs and headers of a range', () => {
  const range = { fromBlock: 5, toBlock: 9 }

  const places: [string, readonly RawLog[], boolean][] = [
    ['none', [], false],
    ['one at either end', [log(5), log(9)], false],
    ['two of one block', [log(5, 0), log(5, 1)], false],
    ['one before the range', [log(4)], true],
    ['one behind the range', [log(10)], true],
    ['one that is removed', [log(7, 0, { removed: true })], true],
    ['one twice', [log(7, 3), log(7, 3)], true],
    ['an earlier one behind a later', [log(7, 3), log(7, 2)], true],
    ['an earlier block behind a later', [log(7, 3), log(6, 9)], true],
    ['a block that is no number', [log(7, 0, { blockNumber: '0xz' as Hex })], true],
  ]
  for (const [what, logs, refused] of places)
    it(`are ${refused ? 'refused' : 'taken'}: ${what}`, () => {
      expect(isRefused(() => checkPlaces(logs, range))).to.equal(refused)
    })

  it('are put in order by block, then by place in it, as numbers', () => {
    const inOrder = [log(9, 2), log(9, 10), log(10, 1), log(16, 0)]
    expect([...inOrder].reverse().sort(byPlace)).to.deep.equal(inOrder)
  })

  it('have one hash for each block, that of its header if there is one', () => {
    const upper = log(7, 1, { blockHash: hashAt(7).toUpperCase().replace('0X', '0x') as Hex })
    const other = log(7, 1, { blockHash: hashAt(7, 'c') })
    expect(isRefused(() => checkHashes([log(7), upper, log(8)], headersOf([7, 1])))).to.equal(false)
    expect(isRefused(() => checkHashes([other], headersOf([8, 1])))).to.equal(false)
    expect(isRefused(() => checkHashes([other], headersOf([7, 1])))).to.equal(true)
    expect(isRefused(() => checkHashes([log(7), other], headersOf()))).to.equal(true)
  })

  it('have headers that follow each other, where both are there', () => {
    const gap = headersOf([5, 1], [6, 1], [9, 2])
    expect(isRefused(() => checkLinks(gap))).to.equal(false)
    const [six] = headersOf([6, 1]).values()
    const torn = new Map([...gap, [6, { ...six!, parentHash: hashAt(5, 'c') }]])
    expect(isRefused(() => checkLinks(torn))).to.equal(true)
  })

  const ends = headersOf([5, 100], [9, 104])
  const times: [string, readonly RawLog[], boolean][] = [
    ['none are told', [log(6), log(8)], true],
    ['they rise between the ends', [log(5, 0, { seconds: 100 }), log(6, 0, { seconds: 101 }), log(9)], true],
    ['they stand still', [log(6, 0, { seconds: 100 }), log(7, 0, { seconds: 100 })], true],
    ['they end with that of the last block', [log(8, 0, { seconds: 104 })], true],
    ['one is before the first block', [log(6, 0, { seconds: 99 })], false],
    ['one is behind the last block', [log(6, 0, { seconds: 105 })], false],
    ['they fall', [log(6, 0, { seconds: 103 }), log(7, 0, { seconds: 102 })], false],
    ['a block has two', [log(6, 0, { seconds: 102 }), log(6, 1, { seconds: 103 })], false],
    ['a block has one and then none', [log(6, 0, { seconds: 102 }), log(6, 1)], true],
    ['the header of a block says another', [log(9, 0, { seconds: 1 })], true],
  ]
  for (const [what, logs, isSound] of times)
    it(`have times that are ${isSound ? 'sound' : 'not sound'}: ${what}`, () => {
      expect(areTimesSound(logs, ends, range)).to.equal(isSound)
    })

  it('have no sound times where the headers of the ends are the other way round', () => {
    expect(areTimesSound([], headersOf([5, 104], [9, 100]), range)).to.equal(false)
  })
})

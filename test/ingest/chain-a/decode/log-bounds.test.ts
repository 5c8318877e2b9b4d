import { expect } from 'chai'
import { decodeLogs } from '../../../../ingest/chain-a/decode/decode-logs.ts'
import { logTopics as exchangeTopics } from '../../../../ingest/chain-a/decode/log-topics.ts'
import type { RawLog } from '../../../../ingest/chain-a/decode/log-words.ts'
import { launchpadsOf } from '../../../../ingest/chain-a/launchpads/configured.ts'
import { ponsTopics } from '../../../../ingest/chain-a/launchpads/pons-v2.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { bookWith } from '../../known-of.ts'
import { addressOfDigits, buildPool, hashOf } from '../build-log.ts'

const contracts = chainAContracts('robinhood')
const v3Pool = addressOfDigits('3')
const curve = addressOfDigits('c')
const curves = new Map([
  [
    curve,
    {
      ...{ curve, token: addressOfDigits('7'), launchpad: 'pons-v2', sinceBlock: 1, seenAtMs: 0x65000000 * 1000 },
      ...{ launchBlock: 1, launchAtMs: 1 },
    },
  ],
])
const logTopics = { ...exchangeTopics, ...ponsTopics }
const pools = new Map([buildPool(), buildPool({ pool: v3Pool, dex: 'v3' })].map((pool) => [pool.pool, pool]))

/**
 * The kind of a word in a log: an address, a signed or unsigned number of so many bits, or a word that the
 * decoder does not read.
 */
type Field = 'id' | 'address' | 'any' | `${'int' | 'uint'}${number}`
type Shape = Readonly<{ from: Hex; topics: readonly Field[]; data: readonly Field[] }>

const { poolManager, v3Factory } = contracts
const factory = contracts.ponsFactory as Hex
const swapEnd: readonly Field[] = ['uint160', 'uint128', 'int24']
const shapes: Readonly<Partial<Record<keyof typeof logTopics, Shape>>> = {
  v4Initialize: {
    from: poolManager,
    topics: ['id', 'address', 'address'],
    data: ['uint24', 'int24', 'address', 'uint160', 'any'],
  },
  v4Swap: { from: poolManager, topics: ['id', 'address'], data: ['int128', 'int128', ...swapEnd, 'any'] },
  v4ModifyLiquidity: { from: poolManager, topics: ['id', 'address'], data: ['int24', 'int24', 'int256', 'any'] },
  v3PoolCreated: { from: v3Factory, topics: ['address', 'address', 'uint24'], data: ['int24', 'address'] },
  v3Initialize: { from: v3Pool, topics: [], data: ['uint160', 'any'] },
  v3Swap: { from: v3Pool, topics: ['address', 'any'], data: ['int256', 'int256', ...swapEnd] },
  v3Mint: { from: v3Pool, topics: ['address', 'int24', 'int24'], data: ['any', 'uint128', 'any', 'any'] },
  tokenLaunched: { from: factory, topics: ['address', 'address', 'address'], data: ['any', 'any', 'any'] },
  poolGraduated: { from: factory, topics: ['address'], data: ['any', 'any', 'any'] },
  curveBuy: { from: curve, topics: ['any', 'address'], data: ['any', 'any', 'any', 'any'] },
  curveSell: { from: curve, topics: ['any', 'address'], data: ['any', 'any', 'any', 'any'] },
  curveCompleted: { from: curve, topics: [], data: ['any', 'any', 'any'] },
  v3Burn: { from: v3Pool, topics: ['address', 'int24', 'int24'], data: ['uint128', 'any', 'any'] },
}

const textOf = (word: bigint): string => BigInt.asUintN(256, word).toString(16).padStart(64, '0')

/** Returns the smallest and the largest value of a field. */
function boundsOf(field: Field): readonly [bigint, bigint] {
  if (field === 'id' || field === 'any') return [0n, 2n ** 256n - 1n]
  const bits = BigInt(field === 'address' ? 160 : Number(field.replace(/\D/g, '')))
  return field.startsWith('int') ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n]
}

const logOf = (
  name: keyof typeof logTopics,
  from: Hex,
  words: Readonly<Record<'topics' | 'data', string[]>>,
): RawLog => ({
  address: from,
  topics: [logTopics[name], ...words.topics.map((word): Hex => `0x${word}`)],
  data: `0x${words.data.join('')}`,
  ...{ blockNumber: '0x64', blockHash: hashOf('b'), transactionHash: hashOf('a'), transactionIndex: '0x1' },
  ...{ logIndex: '0x2', blockTimestamp: '0x65000000' },
})

type BoundaryWord = Readonly<{ part: 'topics' | 'data'; at: number; word: bigint; refused: boolean; where: string }>

const boundaryWordsOf = (shape: Pick<Shape, 'topics' | 'data'>): readonly BoundaryWord[] =>
  (['topics', 'data'] as const).flatMap((part) =>
    shape[part].flatMap((field, at) => {
      if (field === 'id') return []
      const [least, most] = boundsOf(field)
      // A word of 256 bits has no values outside of its range.
      const beyond = most >= 2n ** 255n - 1n ? [] : [most + 1n, ...(least < 0n ? [least - 1n] : [])]
      const words = [least, most, ...beyond]
      return words.map((word, nth) => ({ part, at, word, refused: nth > 1, where: `${part} ${at}: ${field} ${word}` }))
    }),
  )

const isRefused = (log: RawLog): boolean =>
  decodeLogs([log], {
    contracts,
    book: bookWith({ pools, curves }),
    curves: { launchpads: launchpadsOf(contracts), found: new Map(), isRefused: () => false },
    blockAtMsOf: (raw) => Number(raw.blockTimestamp) * 1000,
  }).rejections.length > 0

describe('a word of a log', () => {
  for (const [name, { from, ...shape }] of Object.entries(shapes) as [keyof typeof logTopics, Shape][]) {
    const plain = (field: Field) => (field === 'id' ? hashOf('1').slice(2) : textOf(1n))
    const wordsWith = (part: 'topics' | 'data', at: number, word: string) => {
      const words = { topics: shape.topics.map(plain), data: shape.data.map(plain) }
      words[part][at] = word
      return words
    }
    const isRefusedAt = (part: 'topics' | 'data', at: number, word: string) =>
      isRefused(logOf(name, from, wordsWith(part, at, word)))

    it(`of ${name} is taken up to its bounds and refused beyond them`, () => {
      for (const { part, at, word, refused, where } of boundaryWordsOf(shape))
        expect(isRefusedAt(part, at, textOf(word)), where).to.equal(refused)
    })

    it(`of ${name} has 64 digits, and there are neither more nor fewer words`, () => {
      for (const at of shape.topics.keys()) {
        if (shape.topics[at] === 'id') continue
        for (const word of ['1', `${textOf(1n)}0`, `${textOf(1n).slice(1)}g`])
          expect(isRefusedAt('topics', at, word), `topic ${at}: ${word}`).to.equal(true)
      }
      const last = shape.data.length - 1
      for (const word of ['', `${textOf(1n)}0`, `${textOf(1n)}${textOf(1n)}`, `${textOf(1n).slice(1)}g`])
        expect(isRefusedAt('data', last, word), `data: ${word}`).to.equal(true)
      expect(isRefusedAt('topics', shape.topics.length, textOf(1n)), 'a topic too many').to.equal(true)
    })
  }

  it('is not missed in a log that names no pool: that is nobody we follow', () => {
    for (const name of ['v4Swap', 'v4ModifyLiquidity'] as const)
      expect(isRefused(logOf(name, poolManager, { topics: [], data: [] })), name).to.equal(false)
  })
})

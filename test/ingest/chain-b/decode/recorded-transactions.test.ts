import { expect } from 'chai'
import { base58OfHex, hexOfBase58 } from '../../../../infra/base58.ts'
import type { KeyedEvent } from '../../../../ingest/chain-b/decode/decode-transaction.ts'
import { readTransaction } from '../../../../ingest/chain-b/decode/transaction/read-transaction.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { decodeWire } from '../../../support/chain-b/decode-wire.ts'
import { recordedTransactions, vixenTransactions } from '../../../support/chain-b/fixtures.ts'
import { fromVixen } from '../../../support/chain-b/from-vixen.ts'

const wires = recordedTransactions()
const usdc = hexOfBase58('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 32)

/** Returns the main values of a fact, with addresses in base58. */
function gistOf({ key, fact: { type, data } }: KeyedEvent): readonly unknown[] {
  if (type === 'CurveLaunched')
    return [
      type,
      key,
      data.logIndex,
      data.symbol,
      base58OfHex(data.launcher),
      data.virtualQuoteRaw,
      data.virtualTokenRaw,
    ]
  if (type !== 'CurveTraded') return [type, key]
  const fees = [data.feeRaw, data.creatorFeeRaw, data.rewardsRaw]
  const reserves = [data.virtualQuoteRaw, data.virtualTokenRaw]
  return [type, key, data.logIndex, base58OfHex(data.trader), data.quoteRaw, data.tokenRaw, reserves, fees]
}

type Expected = Readonly<{ names: readonly string[]; slot: number | null; atSec: number; facts: readonly unknown[] }>

const begins = [30_000_000_000n, 1_073_000_000_000_000n]
const [excited, hfj, nut] = [
  'ER2N5eaDoC68kNhj7LyaScimzq7deaqxiw88rewvxaKp',
  'HfJVjBdkhAD2ynVM8PdTSii4ECZdsxNTCx5wpEqUpump',
  'GGYkiUJGopoH9DZUjGFtLiKpXXW5AQovqZ7eVcjEpump',
]
const [excitedUser, hfjUser, nutUser] = [
  'Fswrw3tgQL597kCexxLEhft6a7Su4CDoqwRMqqj4BEp5',
  '2vr538qDgHCPYmr2mjt5LSjQ3kBYjtw3SDSveUKBVkef',
  'CvoPbuS2AghzVBYJx7HfQGhALiqif4YwWgHvXmhehuJZ',
]
const [nyxora, nyxoraUser] = [
  '7YD6ZHb39jGb33ki2iFd7kHK11yMkSFCc9kvjJscpump',
  '5zsxd4pGNCQpwyKiBWZ95nCTPsEPoS62xEGnjpW6FRy7',
]
const [tasty, tastyUser] = [
  'CWiTGbCiDd8BKtNYNE2boT9fJGFG2MU53Uf6HQk4pump',
  '5htGpHK2oV9g2BcDqLdRBqjCLdy8mc3fsESfR5DU73eM',
]

const expected: readonly Expected[] = [
  {
    names: ['2024-08-20 create, buy (jsonParsed)'],
    ...{ slot: 284_682_639, atSec: 1_724_128_600 },
    facts: [
      ['CurveLaunched', excited, 0, 'excited', excitedUser, ...begins],
      [
        ...['CurveTraded', excited, 1, excitedUser, 1_100_000_000n, 37_951_768_488_745n],
        ...[
          [31_100_000_000n, 1_035_048_231_511_255n],
          [0n, 0n, 0n],
        ],
      ],
    ],
  },
  {
    names: ['2024-08-20 buy and sell in one (jsonParsed)'],
    ...{ slot: 284_677_332, atSec: 1_724_126_293 },
    facts: [
      [
        ...['CurveTraded', hfj, 0, hfjUser, 24_080_282n, 605_426_095_720n],
        ...[
          [35_793_720_152n, 899_319_782_120_301n],
          [0n, 0n, 0n],
        ],
      ],
      [
        ...['CurveTraded', hfj, 1, hfjUser, -24_080_281n, -605_426_095_720n],
        ...[
          [35_769_639_871n, 899_925_208_216_021n],
          [0n, 0n, 0n],
        ],
      ],
    ],
  },
  {
    names: ['2025-05-13 buy (base64, blockSubscribe)'],
    ...{ slot: null, atSec: 1_747_165_626 },
    facts: [
      [
        ...['CurveTraded', '5eFg3giaX2c3RydHvx1S3yEKpYjBuwtLUsmbAAG9pump', 0],
        ...['8ZZ97eWp2k8gfoK2Jk2WQcdofk9hyJpEGDPGiqFryH1S', 297_300_000n, 5_032_051_139_663n],
        ...[
          [43_758_836_401n, 735_622_851_591_552n],
          [2_824_350n, 148_650n, 0n],
        ],
      ],
    ],
  },
  {
    names: ['2026-07-03 create_v2, buy (base64)', '2026-07-03 create_v2, buy (jsonParsed)'],
    ...{ slot: 430_584_458, atSec: 1_783_107_384 },
    facts: [
      ['CurveLaunched', nut, 0, 'NUT', nutUser, ...begins],
      [
        ...['CurveTraded', nut, 1, nutUser, 10_000n, 357_666_547n],
        ...[
          [30_000_010_000n, 1_072_999_642_333_453n],
          [95n, 0n, 30n],
        ],
      ],
    ],
  },
  {
    names: ['2026-07-29 buy_v2 for USDC in mayhem mode (jsonParsed)'],
    ...{ slot: 435_948_490, atSec: 1_785_328_584 },
    facts: [
      [
        ...['CurveTraded', '4F4gGVBAWuKi3EpmYdhntXvCVFqZZqmrb1cqNGawpump', 0],
        ...['BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s', 3_517_192n, 445_377_137_871n],
        ...[
          [9_798_461_752n, 1_067_677_499_811_569n],
          [0n, 0n, 0n],
        ],
      ],
    ],
  },
  {
    names: ['2026-07-29 create_v2, buy (base64, blockSubscribe)'],
    ...{ slot: null, atSec: 1_785_328_607 },
    facts: [
      ['CurveLaunched', nyxora, 0, 'NYXORA', nyxoraUser, ...begins],
      [
        ...['CurveTraded', nyxora, 1, nyxoraUser, 98_750_018n, 3_520_371_073_923n],
        ...[
          [30_098_750_018n, 1_069_479_628_926_077n],
          [938_126n, 296_251n, 0n],
        ],
      ],
    ],
  },
  {
    // Log index 1 is missing here. Its event only reports that the account was enlarged, so it becomes no
    // fact.
    names: ['2026-07-29 create_v2, buy_exact_sol_in (jsonParsed)'],
    ...{ slot: 435_946_190, atSec: 1_785_327_618 },
    facts: [
      ['CurveLaunched', tasty, 0, 'TAS', tastyUser, ...begins],
      [
        ...['CurveTraded', tasty, 2, tastyUser, 2_962_962_962n, 96_449_438_144_093n],
        ...[
          [32_962_962_962n, 976_550_561_855_907n],
          [28_148_149n, 0n, 8_888_889n],
        ],
      ],
    ],
  },
]

describe('recorded transactions', () => {
  it('are all here', () => {
    expect(expected.flatMap(({ names }) => names).sort()).to.deep.equal(Object.keys(wires).sort())
  })

  for (const { names, slot, atSec, facts } of expected)
    for (const name of names)
      it(`${name}: the right facts, from inner instructions and from logs`, () => {
        const wire = wires[name]!
        expect(wire.slot ?? null).to.equal(slot)
        // The first version of a launch event has no time, so the time of the block is used.
        const place = { slot: slot ?? 1, atMs: wire.blockTime === undefined ? null : wire.blockTime * 1000 }
        const inner = decodeWire(wire, place)
        expect(inner.refusals).to.deep.equal([])
        expect(inner.facts.map(gistOf)).to.deep.equal(facts)
        for (const { fact } of inner.facts) expect(fact.data.blockAtMs).to.equal(atSec * 1000)
        expect(decodeWire(wire, { ...place, channel: 'logs' })).to.deep.equal(inner)
      })

  it('are the same in both encodings, with the signature that the node says', () => {
    const [base64, json] = ['base64', 'jsonParsed'].map((encoding) =>
      decodeWire(wires[`2026-07-03 create_v2, buy (${encoding})`]!),
    )
    expect(base64).to.deep.equal(json)
    const signature = '4HbY43S9UigSctrfxY5nszgf3ozN1f4kPQYaqaFLZaCDhwa55rauuRmhP85u67U7dBvGFwB5C6stmkH2b1TNxgQh'
    expect(base64?.facts[0]?.fact.data.txHash).to.equal(hexOfBase58(signature, 64))
  })

  it('are flagged in mayhem mode, and with their quote coin', () => {
    const flagsOf = (name: string) =>
      decodeWire(wires[name]!).facts.map(
        ({ fact }) => 'isMayhem' in fact.data && [fact.data.isMayhem, fact.data.quoteMint],
      )
    expect(flagsOf('2026-07-29 buy_v2 for USDC in mayhem mode (jsonParsed)')).to.deep.equal([[true, usdc]])
    expect(flagsOf('2026-07-03 create_v2, buy (base64)')).to.deep.equal([
      [false, null],
      [false, null],
    ])
  })

  it('have the time of the slot, and without it that of the event, which is the same', () => {
    const timesOf = (name: string, atMs: number | null) => {
      const { facts, refusals } = decodeWire(wires[name]!, { atMs })
      return [...facts.map(({ fact }) => fact.data.blockAtMs), ...refusals.map(({ reason }) => reason)]
    }
    expect(timesOf('2026-07-03 create_v2, buy (base64)', null)).to.deep.equal([1_783_107_384_000, 1_783_107_384_000])
    expect(timesOf('2026-07-03 create_v2, buy (base64)', 5000)).to.deep.equal([5000, 5000])
    expect(timesOf('2024-08-20 create, buy (jsonParsed)', null)).to.deep.equal([
      1_724_128_600_000,
      'neither the slot nor the event has a time',
    ])
  })

  it('say nothing if they failed, whatever they log', () => {
    const wire = wires['2026-07-03 create_v2, buy (base64)']!
    const failed = { ...wire, meta: { ...wire.meta, err: { InstructionError: [2, { Custom: 6002 }] } } }
    for (const channel of ['inner', 'logs'] as const)
      expect(readTransaction(failed, channel)).to.deep.equal({ kind: 'failed' })
  })
})

const vixen = vixenTransactions()
const signature = 'VLzYfuPuxFcAV841yKgyvuYeJK9VgBKf9YSH4jHGLAJhc84jJZzYbrh97XJRQh3tfsLEAEkws3CRcmhsGeDEdFk'
const sell = fromVixen(vixen['PumpSwap sell behind a router']!, signature)
const pool = hexOfBase58('3KFCgJ5R3zshW8hTDbzjSrrKSRYmKvsMfhc4Vo4iddxD', 32) as Hex

describe('a recorded sale in a pool, three calls deep', () => {
  it('is a trade of the pool’s mint, with the reserves after it', () => {
    const pools = new Map([[pool, { key: 'its mint', quoteMint: null }]])
    const { facts, refusals } = decodeWire(sell, { channel: 'logs', pools })
    expect(refusals).to.deep.equal([])
    expect(facts.map(({ key, fact }) => [key, fact.type])).to.deep.equal([['its mint', 'PoolTraded']])
    expect(facts[0]?.fact.data).to.deep.include({
      trader: hexOfBase58('j1oxqtEHFn7rUkdABJLmtVtz5fFmHFs4tCG3fWJnkHX', 32),
      quoteRaw: -2_991_678_743n,
      tokenRaw: -111_914_692_932n,
      poolQuoteRaw: 1_001_203_836_819n - 2_985_695_385n,
      poolTokenRaw: 37_341_779_224_049n + 111_914_692_932n,
      lpFeeRaw: 5_983_358n,
      feeRaw: 1_495_840n,
      creatorFeeRaw: 0n,
      rewardsRaw: 16_454_234n,
      isBeforeMigration: false,
      blockAtMs: 1_773_843_037_000,
      logIndex: 0,
    })
  })

  it('pays the seller what it says less all fees', () => {
    const pools = new Map([[pool, { key: 'its mint', quoteMint: null }]])
    const [trade] = decodeWire(sell, { channel: 'logs', pools }).facts.map(({ fact }) => fact)
    if (trade?.type !== 'PoolTraded') expect.fail('no trade')
    const { quoteRaw, lpFeeRaw, feeRaw, creatorFeeRaw, rewardsRaw } = trade.data
    expect(-quoteRaw - lpFeeRaw - feeRaw - creatorFeeRaw - rewardsRaw).to.equal(2_967_745_311n)
  })

  it('is ignored in a pool of no graduated mint', () => {
    expect(decodeWire(sell, { channel: 'logs' })).to.deep.equal({ facts: [], refusals: [] })
  })

  it('is not the event that the router calls itself with, which begins with the same bytes as a trade on a curve', () => {
    expect(decodeWire(sell, { channel: 'inner' })).to.deep.equal({ facts: [], refusals: [] })
  })
})

describe('a recorded event of another program with the bytes of a trade on a curve', () => {
  it('is none', () => {
    const recorded = vixen['the same discriminator of another program']!
    const wire = fromVixen(recorded, signature)
    expect(recorded.log_messages.some((line) => line.startsWith('Program data: vdt/007mYe'))).to.equal(true)
    for (const channel of ['inner', 'logs'] as const)
      expect(decodeWire(wire, { channel })).to.deep.equal({ facts: [], refusals: [] })
  })
})

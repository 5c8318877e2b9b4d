import { expect } from 'chai'
import { encodeAbiParameters, parseAbiItem, parseAbiParameters, toEventSelector, toFunctionSelector } from 'viem'
import { decodeLogs } from '../../../../ingest/chain-a/decode/decode-logs.ts'
import type { RawLog } from '../../../../ingest/chain-a/decode/log-words.ts'
import { launchpadsOf } from '../../../../ingest/chain-a/launchpads/configured.ts'
import type { ContractCall } from '../../../../ingest/chain-a/launchpads/launchpad.ts'
import { createPonsV2, ponsTopics } from '../../../../ingest/chain-a/launchpads/pons-v2.ts'
import { ponsSelectors } from '../../../../ingest/chain-a/launchpads/pons-v2-calls.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import type { TokenFact } from '../../../../ingest/chain-a/types.ts'
import type { CurveTraded } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { bookWith } from '../../known-of.ts'
import { addressOfDigits, buildLog, readRecorded } from '../build-log.ts'

const tokenLaunched = parseAbiItem(
  'event TokenLaunched(address indexed token, address indexed curve, address indexed deployer, address pairToken, uint256 launchConfigId, uint256 graduationThreshold)',
)
const poolGraduated = parseAbiItem(
  'event PoolGraduated(address indexed token, uint256 positionId, uint256 tokenAmount, uint256 pairTokenAmount)',
)
const curveBuy = parseAbiItem(
  'event CurveBuy(address indexed buyer, address indexed recipient, uint256 quoteIn, uint256 tokensOut, uint256 fee, uint256 tax)',
)
const curveSell = parseAbiItem(
  'event CurveSell(address indexed seller, address indexed recipient, uint256 tokensIn, uint256 quoteOut, uint256 fee, uint256 tax)',
)
const curveCompleted = parseAbiItem('event CurveCompleted(address recipient, uint256 quoteOut, uint256 tokenOut)')

const contracts = chainAContracts('robinhood')
const factory = contracts.ponsFactory as Hex
const [curve, token, someone, other] = ['c', '7', 'a', 'b'].map(addressOfDigits) as [Hex, Hex, Hex, Hex]

describe('Pons V2', () => {
  const pons = createPonsV2(factory)
  const decode = (logs: readonly RawLog[]) =>
    decodeLogs(logs, {
      ...{ contracts, book: bookWith() },
      curves: { launchpads: launchpadsOf(contracts), found: new Map(), isRefused: () => false },
      blockAtMsOf: (log) => Number(log.blockTimestamp) * 1000,
    })

  it('has topics and selectors that are the hashes of their signatures', () => {
    const events = { tokenLaunched, poolGraduated, curveBuy, curveSell, curveCompleted }
    for (const [name, event] of Object.entries(events))
      expect(ponsTopics[name as keyof typeof events], name).to.equal(toEventSelector(event))
    for (const [name, selector] of Object.entries(ponsSelectors))
      expect(selector, name).to.equal(toFunctionSelector(`${name}(${name === 'getLaunchedToken' ? 'address' : ''})`))
  })

  describe('as recorded', () => {
    const { facts, rejections, sought, newAddresses } = decode(readRecorded('robinhood-pons'))

    const dataAt = (index: number) => (facts[index] as TokenFact).fact.data as CurveTraded

    it('gives a launch, the buy that emptied it and its completion, all of one transaction', () => {
      expect([rejections, [...sought]]).to.deep.equal([[], []])
      const common = {
        curve: '0x96c832b7a03851ec6b9f0e2c77733546c18ddcfe',
        blockNumber: 47_782_945,
        blockAtMs: 1_787_868_039_000,
      }
      const [launched, bought, completed] = facts.map(({ fact }) => fact)
      expect(launched).to.have.property('type', 'CurveLaunched')
      expect(launched?.data).to.include({
        ...common,
        launchpad: 'pons-v2',
        creator: '0xda3a2167648328f2b244767dc733cf07c59dd708',
        graduationWei: 4_200_000_000_000_000_000n,
        logIndex: 25,
      })
      expect(bought).to.have.property('type', 'CurveTraded')
      expect(bought?.data).to.include({
        ...common,
        trader: '0xda3a2167648328f2b244767dc733cf07c59dd708',
        ethWei: 4_285_714_285_714_285_716n,
        feeWei: 42_857_142_857_142_857n,
        taxWei: 42_857_142_857_142_857n,
        tokenRaw: 714_285_714_285_714_285_714_285_715n,
        logIndex: 29,
      })
      expect(completed).to.have.property('type', 'CurveCompleted')
      expect(facts.slice(0, 3).map((told) => told.key)).to.deep.equal(
        Array(3).fill('0xa0e67be79118704a35e7d4b20c3ec4df36ef6e10'),
      )
    })

    it('leaves 4.2 ETH and 2 wei in the completed curve', () => {
      const { ethWei, feeWei, taxWei } = dataAt(1)
      expect(ethWei - feeWei - taxWei).to.equal(4_200_000_000_000_000_002n)
    })

    it('gives the tokens that the curve’s arithmetic does, to the unit', () => {
      const [phantomWei, supplyRaw] = [1_680_000_000_000_000_000n, 10n ** 27n]
      const { ethWei, feeWei, taxWei, tokenRaw } = dataAt(4)
      const netWei = ethWei - feeWei - taxWei
      expect(ethWei).to.equal(90_000_000_000_000_000n)
      expect((netWei * supplyRaw) / (phantomWei + netWei)).to.equal(tokenRaw)
    })

    it('puts each launched curve into the address book', () => {
      expect(facts.map(({ fact }) => fact.type)).to.deep.equal([
        ...['CurveLaunched', 'CurveTraded', 'CurveCompleted'],
        ...['CurveLaunched', 'CurveTraded'],
        'CurveLaunched',
      ])
      expect(newAddresses.map(({ type }) => type)).to.deep.equal(Array(3).fill('CurveAddress'))
      expect(newAddresses[0]?.data).to.deep.equal({
        curve: '0x96c832b7a03851ec6b9f0e2c77733546c18ddcfe',
        token: '0xa0e67be79118704a35e7d4b20c3ec4df36ef6e10',
        launchpad: 'pons-v2',
        sinceBlock: 47_782_945,
        seenAtMs: 1_787_868_039_000,
        launchBlock: 47_782_945,
        launchAtMs: 1_787_868_039_000,
      })
    })
  })

  describe('decoded', () => {
    const launch = { token, curve, deployer: someone, launchConfigId: 3n, graduationThreshold: 42n }
    const amounts = { fee: 3n, tax: 2n }

    it('is what the events say: a sell takes out of the curve what it pays and its fees', () => {
      const sell = { seller: other, recipient: someone, tokensIn: 1000n, quoteOut: 95n, ...amounts }
      expect(pons.decode(buildLog(curveSell, sell, { address: curve }))).to.deep.equal({
        ...{ kind: 'traded', trader: someone, ethWei: -95n, tokenRaw: -1000n },
        ...{ feeWei: 3n, taxWei: 2n },
      })
      const buy = { buyer: other, recipient: someone, quoteIn: 100n, tokensOut: 1000n, ...amounts }
      expect(pons.decode(buildLog(curveBuy, buy, { address: curve }))).to.include({ ethWei: 100n, tokenRaw: 1000n })
      const graduation = { token, positionId: 9n, tokenAmount: 1n, pairTokenAmount: 2n }
      expect(pons.decode(buildLog(poolGraduated, graduation, { address: factory }))).to.deep.equal({
        ...{ kind: 'graduated', token, positionId: `0x${'9'.padStart(64, '0')}` },
      })
    })

    it('ignores launches against anything but ETH, and those of another factory', () => {
      const inDollars = buildLog(tokenLaunched, { ...launch, pairToken: other }, { address: factory })
      const elsewhere = buildLog(tokenLaunched, { ...launch, pairToken: addressOfDigits('0') }, { address: other })
      expect(decode([inDollars, elsewhere])).to.deep.include({ facts: [], rejections: [] })
    })

    it('names a malformed log of the factory, and ignores one of a stranger', () => {
      const good = buildLog(tokenLaunched, { ...launch, pairToken: addressOfDigits('0') }, { address: factory })
      expect(decode([{ ...good, data: '0x' }]).rejections).to.have.length(1)
      const buy = buildLog(
        curveBuy,
        { buyer: other, recipient: someone, quoteIn: 1n, tokensOut: 1n, ...amounts },
        { address: curve },
      )
      expect(decode([{ ...buy, data: '0x' }])).to.deep.include({ facts: [], rejections: [], sought: new Map() })
      expect(decode([good, { ...buy, data: '0x' }]).rejections).to.have.length(1)
    })
  })

  describe('asked about a curve', () => {
    const factoryAbi = parseAbiParameters(
      'address token, address curve, address deployer, address feeRecipient, address pairToken, uint256 threshold, uint24 fee, int24 spacing, uint16 tax, bool buyback, uint8 phase, uint256 quote, uint256 tokens, uint256 sweptAt, bool exists',
    )
    const record = ({ ofCurve = curve, ofToken = token, pairToken = addressOfDigits('0') } = {}) =>
      encodeAbiParameters(factoryAbi, [
        ofToken,
        ofCurve,
        someone,
        other,
        pairToken,
        42n,
        0,
        200,
        100,
        true,
        0,
        0n,
        0n,
        0n,
        true,
      ])
    const number = (value: bigint): Hex => encodeAbiParameters([{ type: 'uint256' }], [value])
    type Answers = Partial<Record<keyof typeof ponsSelectors, Hex | null>>
    const callWith =
      (answers: Answers): ContractCall =>
      async (to, data) => {
        const name = Object.entries(ponsSelectors).find(([, selector]) =>
          data.startsWith(selector),
        )?.[0] as keyof Answers
        const place = { getLaunchedToken: factory, totalSupply: token, symbol: token }[name as string] ?? curve
        expect(to, name).to.equal(place)
        return answers[name] ?? null
      }
    const good: Answers = {
      token: encodeAbiParameters([{ type: 'address' }], [token]),
      getLaunchedToken: record(),
      phantomQuote: number(168n),
      totalSupply: number(1000n),
      symbol: encodeAbiParameters([{ type: 'string' }], ['PONS']),
      launchedAt: number(1_787_868_039n),
      realQuoteReserve: number(7n),
      graduated: number(0n),
    }

    it('identifies it by what the factory keeps of it', async () => {
      expect(await pons.identify(callWith(good), curve)).to.deep.equal({
        ...{ token, creator: someone, graduationWei: 42n, launchAtMs: 1_787_868_039_000 },
        ...{ phantomWei: 168n, supplyRaw: 1000n, symbol: 'PONS' },
      })
      const without = { ...good, launchedAt: null, symbol: null }
      expect(await pons.identify(callWith(without), curve)).to.include({ launchAtMs: null, symbol: null })
    })

    const strangers: readonly (readonly [string, Answers])[] = [
      ['it has no token', { ...good, token: null }],
      ['the factory does not know its token', { ...good, getLaunchedToken: null }],
      ['the factory knows another curve of that token', { ...good, getLaunchedToken: record({ ofCurve: other }) }],
      ['the factory’s record is of another token', { ...good, getLaunchedToken: record({ ofToken: other }) }],
      ['it is against another asset', { ...good, getLaunchedToken: record({ pairToken: other }) }],
      ['the factory answers with something else', { ...good, getLaunchedToken: number(1n) }],
      ['it has no phantom reserve', { ...good, phantomQuote: null }],
    ]
    for (const [name, answers] of strangers)
      it(`takes it for no curve where ${name}`, async () => {
        expect(await pons.identify(callWith(answers), curve)).to.equal(null)
      })

    it('reads its reserve, and none where it is full', async () => {
      expect(await pons.readReserveWei(callWith(good), curve)).to.equal(7n)
      expect(await pons.readReserveWei(callWith({ ...good, graduated: number(1n) }), curve)).to.equal(null)
    })

    it('reads the terms that its launch does not log', async () => {
      const terms = { phantomWei: 168n, supplyRaw: 1000n, symbol: 'PONS' }
      expect(await pons.readTerms(callWith(good), { curve, token })).to.deep.equal(terms)
      expect(await pons.readTerms(callWith({ ...good, totalSupply: null }), { curve, token })).to.equal(null)
    })
  })
})

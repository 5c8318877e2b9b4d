import { expect } from 'chai'
import fc from 'fast-check'
import { encodeAbiParameters, keccak256, parseAbiItem, toEventSelector } from 'viem'
import { decodeLogs } from '../../../../ingest/chain-a/decode/decode-logs.ts'
import { logTopics } from '../../../../ingest/chain-a/decode/log-topics.ts'
import type { RawLog } from '../../../../ingest/chain-a/decode/log-words.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import type { KnownAddresses } from '../../../../ingest/chain-a/types.ts'
import type { PoolAddress } from '../../../../schemas/chain-a/addresses.ts'
import { priceTickMax, priceTickMin } from '../../../../schemas/chain-a/pool-price.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { bookWith, noCurves } from '../../known-of.ts'
import { addressOfDigits, buildLog, buildPool, hashOf, readRecorded } from '../build-log.ts'

const v4Initialize = parseAbiItem(
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
)
const v4ModifyLiquidity = parseAbiItem(
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
)
const v4Swap = parseAbiItem(
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
)
const positionTransfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 indexed id)')
const v3PoolCreated = parseAbiItem(
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
)
const v3Initialize = parseAbiItem('event Initialize(uint160 sqrtPriceX96, int24 tick)')
const v3Swap = parseAbiItem(
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
)
const v3Mint = parseAbiItem(
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
)
const v3Burn = parseAbiItem(
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
)

const contracts = chainAContracts('robinhood')
const { poolManager, v3Factory, weth } = contracts
const nativeEth = addressOfDigits('0')
const token = addressOfDigits('7')
const v3Pool = addressOfDigits('3')

const blockAtMsOf = (log: RawLog) => Number(log.blockTimestamp) * 1000
const decode = (
  logs: readonly RawLog[],
  pools: readonly PoolAddress[] = [],
  { quote = weth, ...rest }: Partial<KnownAddresses> & Readonly<{ quote?: Hex }> = {},
) =>
  decodeLogs(logs, {
    contracts: { ...contracts, weth: quote },
    book: bookWith({ pools: new Map(pools.map((pool) => [pool.pool, pool])), ...rest }),
    curves: noCurves,
    blockAtMsOf,
  })
const nothing = { facts: [], newAddresses: [], staleAddresses: [], rejections: [], sought: new Map() }
const dataOf = (decoded: ReturnType<typeof decode>) => decoded.facts.map(({ fact }) => fact.data)

describe('log topics', () => {
  it('are the hashes of the event signatures', () => {
    expect(logTopics).to.deep.equal({
      v4Initialize: toEventSelector(v4Initialize),
      v4ModifyLiquidity: toEventSelector(v4ModifyLiquidity),
      v4Swap: toEventSelector(v4Swap),
      positionTransfer: toEventSelector(positionTransfer),
      v3PoolCreated: toEventSelector(v3PoolCreated),
      v3Initialize: toEventSelector(v3Initialize),
      v3Swap: toEventSelector(v3Swap),
      v3Mint: toEventSelector(v3Mint),
      v3Burn: toEventSelector(v3Burn),
    })
  })
})

describe('decoding recorded logs', () => {
  // One transaction of Robinhood Chain. A v3 pool pays out 5.98 stock tokens, and a v4 pool takes these
  // tokens in.
  const stock: Hex = '0xa30fa36db767ad9ed3f7a60fc79526fb4d56d344'
  const bbl: Hex = '0xdf2e15395bc8a2078187eecee8eb024aa57e0265'
  const hook: Hex = '0xe5e702641ea86f4ae6cc3cdaed2b886f976be044'
  const id = keccak256(
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }, { type: 'int24' }, { type: 'address' }],
      [stock, bbl, 0, 200, hook],
    ),
  )
  const [intoV3, intoV4, , buyerSells, protocolBuys] = readRecorded('robinhood-swaps') as [
    RawLog,
    RawLog,
    RawLog,
    RawLog,
    RawLog,
  ]

  it('reads the same raw word as taken out on v3 and as paid in on v4', () => {
    const createdAtMs = blockAtMsOf(intoV3)
    const pool: Hex = intoV3.address
    const v3 = buildPool({ pool, dex: 'v3', ethIsCurrency0: false, createdAtMs })
    const v4 = buildPool({ pool: id, token: bbl, hooks: hook, createdAtMs })
    const { facts, rejections } = decode([intoV3, intoV4], [v3, v4], { quote: stock })
    expect(rejections).to.deep.equal([])
    expect(facts.map(({ fact }) => fact)).to.deep.equal([
      {
        type: 'Swap',
        data: {
          pool: '0x02175608f1b5e6b5ed221ccfdc7be197d111d915',
          ethWei: -5982370761469204706n,
          tokenRaw: -845042526n,
          sqrtPriceX96: 6675908719855722269156407829387107n,
          liquidity: 811597387164419594n,
          tick: 226845,
          sender: '0x0005ea38eb0a69d1253508ebdbdb9ea8cb26b5ef',
          blockNumber: 54376911,
          blockAtMs: 1788536209000,
          txIndex: 2,
          logIndex: 15,
          blockHash: '0x73dd8c50b76a6b32d51651ad0a06ce30e58650a3f3c0b0aaa708b498a70780db',
          txHash: '0x5a582f7fed69b27f81d0d3ca9a39a1c4a20c83590ff155139d91bf1f1606c2cf',
        },
      },
      {
        type: 'Swap',
        data: {
          pool: '0xbc005978dd9af040d680a72142486118d1182bc63b103db1887692d62ff36337',
          ethWei: 5982370761469204706n,
          tokenRaw: 9617147983702279914144660n,
          sqrtPriceX96: 97355743204873180099883851653364n,
          liquidity: 121048860993073226428151n,
          tick: 142283,
          sender: '0x0005ea38eb0a69d1253508ebdbdb9ea8cb26b5ef',
          blockNumber: 54376911,
          blockAtMs: 1788536209000,
          txIndex: 2,
          logIndex: 16,
          blockHash: '0x73dd8c50b76a6b32d51651ad0a06ce30e58650a3f3c0b0aaa708b498a70780db',
          txHash: '0x5a582f7fed69b27f81d0d3ca9a39a1c4a20c83590ff155139d91bf1f1606c2cf',
        },
      },
    ])
  })

  it('reads a sell and the buy-back behind it in one v4 pool with opposite signs', () => {
    const pool = buildPool({ pool: buyerSells.topics[1] as Hex, createdAtMs: blockAtMsOf(buyerSells) })
    const [sell, buyBack] = dataOf(decode([buyerSells, protocolBuys], [pool]))
    expect(sell).to.include({ ethWei: -1941904047697617790n, tokenRaw: -4879482425190351041836620n })
    expect(buyBack).to.include({ ethWei: 3689617690625473n, tokenRaw: 9768070736989535515853n })
  })

  it('reads a real v3 day: WETH on either side, added, removed and poked liquidity', () => {
    const logs = readRecorded('mainnet-v3-day')
    const createdAtMs = blockAtMsOf(logs[0] as RawLog)
    const usdc = buildPool({
      pool: '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640',
      dex: 'v3',
      ethIsCurrency0: false,
      createdAtMs,
    })
    const osqth = buildPool({ pool: '0x82c427adfdf2d245ec51d8046b41c4ee87f0d29c', dex: 'v3', createdAtMs })
    const { facts, rejections } = decode(logs, [usdc, osqth])
    expect(rejections).to.deep.equal([])
    // Each entry begins with the log index. A swap then has the ETH in and the tokens out. A change of
    // liquidity has the price range and the amount. The expected values were computed without the tested
    // decoder.
    const short = facts.map(({ fact }) => {
      if (fact.type === 'Swap') return [fact.data.logIndex, fact.data.ethWei, fact.data.tokenRaw]
      if (fact.type !== 'LiquidityChanged') return fact.type
      const { logIndex, tickLower, tickUpper, liquidityDelta } = fact.data
      return [logIndex, tickLower, tickUpper, liquidityDelta]
    })
    expect(short).to.deep.equal([
      [169, 10000000000000000n, 22686110n],
      [250, -783707260129944808n, -1779711470n],
      [76, -61605656510050496n, -139900004n],
      [36, 199060, 199070, 389297572651811471360n],
      [45, 199060, 199070, -389297572651811471360n],
      [151, 197070, 200490, 0n],
      [136, -1001095647176705672n, -17221100626414264442n],
      [2, 28320, 28380, 3508436725802885540768n],
      [6, 5000000000000000000n, 85049699515408264569n],
      [7, 28320, 28380, -3508436725802885540768n],
      [22, -1000000000000000121n, -17074759529655558765n],
    ])
  })
})

describe('pools that are followed', () => {
  const birth = (currency0: Hex, currency1: Hex, place: Partial<RawLog> = {}) =>
    buildLog(
      v4Initialize,
      {
        id: hashOf('1'),
        currency0,
        currency1,
        fee: 0x800000,
        tickSpacing: -60,
        hooks: addressOfDigits('e'),
        sqrtPriceX96: 2n ** 159n,
        tick: -5,
      },
      { address: poolManager, ...place },
    )

  const cases: readonly (readonly [string, Hex, Hex, boolean | null])[] = [
    ['native ETH against a token', nativeEth, token, true],
    ['WETH as the first currency', weth, `0x${'f'.repeat(40)}`, true],
    ['WETH as the second currency', addressOfDigits('01'), weth, false],
    ['two tokens', addressOfDigits('6'), token, null],
    ['native ETH against WETH', nativeEth, weth, null],
  ]
  for (const [name, currency0, currency1, ethIsCurrency0] of cases)
    it(`${ethIsCurrency0 === null ? 'leave out' : 'include'} ${name}`, () => {
      const { facts, newAddresses } = decode([birth(currency0, currency1)])
      if (ethIsCurrency0 === null) return expect([facts, newAddresses]).to.deep.equal([[], []])
      const expected = { token: ethIsCurrency0 ? currency1 : currency0, ethIsCurrency0 }
      expect(newAddresses[0]?.data).to.include({
        ...expected,
        dex: 'v4',
        hooks: addressOfDigits('e'),
        createdBlock: 100,
      })
      expect(facts[0]?.key).to.equal(expected.token)
      expect(facts[0]?.fact.data).to.include({
        ...expected,
        fee: 0x800000,
        tickSpacing: -60,
        sqrtPriceX96: 2n ** 159n,
      })
      return undefined
    })

  it('are known from their own first log on, in the same answer', () => {
    const amounts = { amount0: -5n, amount1: 7n, sqrtPriceX96: 1n, liquidity: 1n, tick: 0, fee: 1 }
    const swap = buildLog(v4Swap, { id: hashOf('1'), sender: token, ...amounts }, { address: poolManager })
    expect(decode([birth(nativeEth, token), swap]).facts.map(({ fact }) => fact.type)).to.deep.equal([
      'PoolCreated',
      'Swap',
    ])
    expect(decode([swap, birth(nativeEth, token)]).facts.map(({ fact }) => fact.type)).to.deep.equal(['PoolCreated'])
  })

  it('come from the pool manager and the factory alone', () => {
    const stranger = addressOfDigits('9')
    const created = { token0: token, token1: weth, fee: 500, tickSpacing: 10, pool: v3Pool }
    const wethAbove = { ...created, token0: addressOfDigits('01') }
    expect(decode([birth(nativeEth, token, { address: stranger })]).facts).to.deep.equal([])
    expect(decode([buildLog(v3PoolCreated, wethAbove, { address: stranger })]).facts).to.deep.equal([])
    const { newAddresses } = decode([buildLog(v3PoolCreated, wethAbove, { address: v3Factory })])
    expect(newAddresses[0]?.data).to.include({ pool: v3Pool, dex: 'v3', ethIsCurrency0: false, hooks: null })
  })

  it('on v3 are not mistaken for native ETH pools: there the zero address is no currency', () => {
    const created = { token0: nativeEth, token1: token, fee: 500, tickSpacing: 10, pool: v3Pool }
    expect(decode([buildLog(v3PoolCreated, created, { address: v3Factory })]).facts).to.deep.equal([])
  })

  it('are left once they are older than 25 h 30 min at the block of the log', () => {
    const lifeSeconds = 25.5 * 3600
    const args = {
      id: hashOf('1'),
      sender: token,
      tickLower: -60,
      tickUpper: 60,
      liquidityDelta: 0n,
      salt: hashOf('0'),
    }
    const pokeAfter = (seconds: number): RawLog =>
      buildLog(v4ModifyLiquidity, args, {
        address: poolManager,
        blockTimestamp: `0x${(0x65000000 + seconds).toString(16)}`,
      })
    expect(decode([pokeAfter(lifeSeconds)], [buildPool()]).facts).to.have.length(1)
    expect(decode([pokeAfter(lifeSeconds + 1)], [buildPool()])).to.deep.equal(nothing)
    const untilMs = 0x65000000 * 1000 + 60 * 3_600_000
    const followedFrom = (ms: number) => ({
      of: (of: string) => (of === buildPool().token ? [{ sinceMs: ms, untilMs }] : []),
    })
    const countAt = (seconds: number, followed: KnownAddresses['followed']) =>
      decode([pokeAfter(seconds)], [buildPool()], { followed }).facts.length
    const inTimeMs = 0x65000000 * 1000 + (lifeSeconds - 1800) * 1000
    expect(countAt(lifeSeconds + 1, followedFrom(inTimeMs))).to.equal(1)
    expect(countAt(60 * 3600, followedFrom(0))).to.equal(1)
    expect(countAt(60 * 3600 + 1, followedFrom(inTimeMs)), 'the call is over').to.equal(0)
    expect(countAt(lifeSeconds + 1, followedFrom(inTimeMs + 1)), 'the call came too late').to.equal(0)
    expect(countAt(lifeSeconds, followedFrom(inTimeMs + 1)), 'it lives by itself').to.equal(1)
  })
})

describe('transfers of position NFTs', () => {
  const nobody = nativeEth
  const owner = addressOfDigits('a')
  const manager = contracts.positionManager
  const transfer = (id: bigint, [from, to]: readonly [Hex, Hex], place: Partial<RawLog> = {}) =>
    buildLog(positionTransfer, { from, to, id }, { address: manager, logIndex: '0x0', ...place })
  const change = (id: bigint, place: Partial<RawLog> & Readonly<{ pool?: Hex; sender?: Hex }> = {}) => {
    const { pool = hashOf('1'), sender = manager, ...rest } = place
    const range = { tickLower: -60, tickUpper: 60, liquidityDelta: 5n, salt: idOf(id) }
    return buildLog(v4ModifyLiquidity, { id: pool, sender, ...range }, { address: poolManager, ...rest })
  }
  const idOf = (id: bigint): Hex => `0x${id.toString(16).padStart(64, '0')}`
  const typesOf = (decoded: ReturnType<typeof decode>) => decoded.facts.map(({ fact }) => fact.type)

  it('are told with their pool from the mint on, whose transfer comes before the log that names the pool', () => {
    const decoded = decode([transfer(7n, [nobody, owner]), change(7n), transfer(7n, [owner, token])], [buildPool()])
    const common = { pool: hashOf('1'), positionId: idOf(7n) }
    expect(dataOf(decoded).map(({ txHash: _, ...data }) => data)).to.have.length(3)
    expect(dataOf(decoded)[0]).to.include({ ...common, from: nobody, to: owner, logIndex: 0, blockNumber: 100 })
    expect(dataOf(decoded)[1]).to.include({ ...common, owner: manager, salt: idOf(7n), liquidityDelta: 5n })
    expect(dataOf(decoded)[2]).to.include({ ...common, from: owner, to: token })
    expect(decoded.facts.map((told) => told.key)).to.deep.equal([token, token, token])
    expect(decoded.newAddresses).to.deep.equal([{ type: 'PositionAddress', data: common }])
  })

  it('are told of positions in the book, a burn too', () => {
    const positions = new Map([[idOf(7n), hashOf('1')]])
    const decoded = decode([transfer(7n, [owner, nobody])], [buildPool()], { positions })
    expect(dataOf(decoded)[0]).to.include({ pool: hashOf('1'), from: owner, to: nobody })
    expect(decoded.newAddresses).to.deep.equal([])
  })

  it('are told of the pools of called tokens for as long as those are followed', () => {
    const positions = new Map([[idOf(7n), hashOf('1')]])
    const late = transfer(7n, [owner, nobody], { blockTimestamp: `0x${(0x65000000 + 30 * 3600).toString(16)}` })
    const followed = { of: () => [{ sinceMs: 0, untilMs: 0x65000000 * 1000 + 48 * 3_600_000 }] }
    expect(decode([late], [buildPool()], { positions }).facts).to.have.length(0)
    expect(decode([late], [buildPool()], { positions, followed }).facts).to.have.length(1)
  })

  const elsewhere: readonly (readonly [string, readonly RawLog[]])[] = [
    ['of a pool that nobody follows', [transfer(7n, [nobody, owner]), change(7n, { pool: hashOf('2') })]],
    ['of a number that is not known', [transfer(7n, [owner, token])]],
    [
      'whose liquidity another transaction changes',
      [transfer(7n, [nobody, owner], { transactionHash: hashOf('c') }), change(7n)],
    ],
    ['of another number than the liquidity is for', [transfer(8n, [nobody, owner]), change(7n)]],
    ['by another contract', [transfer(7n, [nobody, owner], { address: poolManager }), change(7n)]],
    [
      'of a position that is not the position manager’s',
      [transfer(7n, [nobody, owner]), change(7n, { sender: token })],
    ],
  ]
  for (const [name, logs] of elsewhere)
    it(`are ignored: ${name}`, () => {
      const decoded = decode(logs, [buildPool()])
      expect(typesOf(decoded)).to.not.include('PositionTransferred')
      expect([decoded.newAddresses, decoded.rejections]).to.deep.equal([[], []])
    })

  it('of a number that was given to another pool on a branch that is gone are those of the new mint', () => {
    const positions = new Map([[idOf(7n), hashOf('1')]])
    const [mint, move] = [transfer(7n, [nobody, owner]), transfer(7n, [owner, token])]
    const pools = [buildPool(), buildPool({ pool: hashOf('2') })]
    const inOther = decode([mint, change(7n, { pool: hashOf('2') }), move], pools, { positions })
    expect(dataOf(inOther).map((data) => 'pool' in data && data.pool)).to.deep.equal(Array(3).fill(hashOf('2')))
    expect(inOther.staleAddresses).to.deep.equal([])
    const inUnknown = decode([mint, change(7n, { pool: hashOf('3') }), move], pools, { positions })
    expect(inUnknown).to.deep.equal({ ...nothing, staleAddresses: [idOf(7n)] })
  })

  it('that are malformed are named', () => {
    const bad = { ...transfer(7n, [nobody, owner]), data: idOf(1n) }
    expect(decode([bad], [buildPool()]).rejections).to.have.length(1)
  })
})

describe('decoding encoded logs', () => {
  const int = (bits: number) => fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n })
  const uint = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
  const ticks = fc.integer({ min: priceTickMin, max: priceTickMax })
  const swapArgs = (bits: number) =>
    fc.record({ amount0: int(bits), amount1: int(bits), sqrtPriceX96: uint(160), liquidity: uint(128), tick: ticks })

  it('reads every v4 swap exactly, on both sides', () => {
    fc.assert(
      fc.property(swapArgs(128), fc.boolean(), (args, ethIsCurrency0) => {
        const swap = { id: hashOf('1'), sender: token, fee: 3000, ...args }
        const [data] = dataOf(
          decode([buildLog(v4Swap, swap, { address: poolManager })], [buildPool({ ethIsCurrency0 })]),
        )
        const [eth, tokens] = ethIsCurrency0 ? [args.amount0, args.amount1] : [args.amount1, args.amount0]
        const { sqrtPriceX96, liquidity, tick } = args
        expect(data).to.include({ ethWei: -eth, tokenRaw: tokens, sqrtPriceX96, liquidity, tick, sender: token })
      }),
    )
  })

  it('reads every v3 swap exactly, on both sides', () => {
    fc.assert(
      fc.property(swapArgs(256), fc.boolean(), (args, ethIsCurrency0) => {
        const pool = buildPool({ pool: v3Pool, dex: 'v3', ethIsCurrency0 })
        const swap = { sender: token, recipient: addressOfDigits('8'), ...args }
        const [data] = dataOf(decode([buildLog(v3Swap, swap, { address: v3Pool })], [pool]))
        const [eth, tokens] = ethIsCurrency0 ? [args.amount0, args.amount1] : [args.amount1, args.amount0]
        expect(data).to.include({ ethWei: eth, tokenRaw: -tokens, tick: args.tick, sender: token })
      }),
    )
  })

  it('reads every change of v4 liquidity exactly, a poke as zero', () => {
    fc.assert(
      fc.property(int(256), fc.tuple(ticks, ticks), uint(256), (liquidityDelta, [tickLower, tickUpper], salt) => {
        const saltHex: Hex = `0x${salt.toString(16).padStart(64, '0')}`
        const change = { id: hashOf('1'), sender: token, tickLower, tickUpper, liquidityDelta, salt: saltHex }
        const [data] = dataOf(decode([buildLog(v4ModifyLiquidity, change, { address: poolManager })], [buildPool()]))
        expect(data).to.include({ liquidityDelta, tickLower, tickUpper, salt: saltHex, owner: token, positionId: null })
      }),
    )
  })

  it('reads v3 initial prices, additions and removals', () => {
    const pool = buildPool({ pool: v3Pool, dex: 'v3' })
    const range = { owner: token, tickLower: -120, tickUpper: 60, amount0: 1n, amount1: 2n }
    const logs = [
      buildLog(v3Initialize, { sqrtPriceX96: 2n ** 96n, tick: 0 }, { address: v3Pool }),
      buildLog(v3Mint, { sender: addressOfDigits('8'), amount: 9n, ...range }, { address: v3Pool }),
      buildLog(v3Burn, { amount: 9n, ...range }, { address: v3Pool }),
    ]
    const [price, added, removed] = dataOf(decode(logs, [pool]))
    expect(price).to.include({ sqrtPriceX96: 2n ** 96n })
    expect(added).to.include({ liquidityDelta: 9n, owner: token, tickLower: -120, tickUpper: 60, salt: null })
    expect(removed).to.include({ liquidityDelta: -9n, owner: token })
  })
})

describe('malformed logs', () => {
  const swap = buildLog(
    v4Swap,
    { id: hashOf('1'), sender: token, amount0: -1n, amount1: 1n, sqrtPriceX96: 1n, liquidity: 1n, tick: 0, fee: 0 },
    { address: poolManager },
  )
  const word = (index: number, text: string): Hex =>
    `0x${swap.data.slice(2, 2 + index * 64)}${text}${swap.data.slice(66 + index * 64)}`
  const bad: readonly (readonly [string, Partial<RawLog>])[] = [
    ['a missing word', { data: swap.data.slice(0, -64) as Hex }],
    ['a word too many', { data: `${swap.data}${'0'.repeat(64)}` }],
    ['data that is not hex', { data: word(0, 'z'.repeat(64)) }],
    ['a missing topic', { topics: swap.topics.slice(0, 2) }],
    ['a sender of more than 20 bytes', { topics: [...swap.topics.slice(0, 2), hashOf('f')] }],
    ['an amount over 128 bits', { data: word(0, `0${'1'.repeat(63)}`) }],
    ['a price over 160 bits', { data: word(2, 'f'.repeat(64)) }],
    ['a tick over 24 bits', { data: word(4, `${'0'.repeat(57)}1000000`) }],
    ['no block hash', { blockHash: null as unknown as Hex }],
    ['no log index', { logIndex: undefined as unknown as Hex }],
  ]
  for (const [name, change] of bad)
    it(`are named, not thrown: ${name}`, () => {
      const { facts, rejections } = decode([{ ...swap, ...change }, swap], [buildPool()])
      expect(rejections).to.have.length(1)
      expect(facts, 'the log behind it is still read').to.have.length(1)
    })

  it('of pools that nobody follows are ignored', () => {
    expect(decode([{ ...swap, data: '0x' }])).to.deep.equal(nothing)
  })
})

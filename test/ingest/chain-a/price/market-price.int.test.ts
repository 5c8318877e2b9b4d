import { expect } from 'chai'
import { pino } from 'pino'
import { getContractAddress } from 'viem'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import type { OperationError } from '../../../../infra/errors.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { createNode } from '../../../../ingest/chain-a/node/node.ts'
import { openChainA } from '../../../../ingest/chain-a/open-chain-a.ts'
import { type ChainAContracts, chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import { createMarketReader } from '../../../../ingest/chain-a/price/market-price.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { runIngest } from '../../../../ingest/run-ingest.ts'
import { chainAPrices } from '../../../../processors/chain-a/markets/prices.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { chainId } from '../../../support/chain-a-node/anvil.ts'
import { createCurveMarket } from '../../../support/chain-a-node/curve-market.ts'
import { createBook, type MarketPool, play } from '../../../support/chain-a-node/market-book.ts'
import { type ChainANode, createChainANode, walletOf } from '../../../support/chain-a-node/node.ts'
import { noAddress } from '../../../support/chain-a-node/pools.ts'
import { directAdd, liquidityRouterCreation } from '../../../support/chain-a-node/positions.ts'
import { readRecords } from '../../read-records.ts'

const startAtMs = Date.UTC(2026, 8, 1, 12)
const hourMs = 3_600_000
const never = new AbortController().signal

/** Tests with the exchange's real contracts and a mock of the launchpad on a real node. */
describe('the price of a market on a real node', () => {
  let node: ChainANode
  let contracts: ChainAContracts
  let pools: ReadonlyMap<string, MarketPool>
  let curves: ReturnType<typeof createCurveMarket>['curves']
  /** The prices in the stage's records, one for each pool or curve. */
  let staged: ReadonlyMap<string, Readonly<{ token: string; px: number; source: string }>>

  before(async () => {
    node = await createChainANode({ startAtMs: startAtMs - 30 * hourMs })
    const curveMarket = createCurveMarket(node.contracts, { startAtMs, beforeLogMs: startAtMs - 29 * hourMs })
    const { poolManager, positionManager, v3Factory, weth } = node.contracts
    const addresses = { chainId, poolManager, positionManager, v3Factory, weth, ponsFactory: curveMarket.factory }
    contracts = chainAContracts('local', JSON.stringify(addresses))
    curves = curveMarket.curves
    await play(node, curveMarket.past)
    const book = poolsOf(node)
    await play(node, book.deeds)
    pools = new Map(book.pools.map((pool) => [pool.name, pool]))
    staged = await stagedPrices()
  })
  after(() => node?.stop())

  async function stagedPrices() {
    const logger = pino({ level: 'silent' })
    const open = { urls: [node.rpcUrl], contracts, lagBlocks: 0, logRangeMax: 100, logger, pollMs: 20 }
    const log = createMemoryLog({ nowMs: Date.now })
    const codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
    const stop = new AbortController()
    await runIngest({
      ...{ chain: openChainA({ ...open, backfillMs: 40 * hourMs }), log, codecs, logger, nowMs: Date.now },
      signal: stop.signal,
      onProgress: ({ toBlock, headBlock }) => {
        if (toBlock === headBlock) stop.abort()
      },
    })
    const states = new Map<string, ReturnType<typeof chainAPrices.initialState>>()
    for (const { key, record } of await readRecords(log, 'chain-a-facts', codecs.facts)) {
      if (!record || record.type === 'Tick' || chainAStage.isAnswer(record)) continue
      const state = states.get(key) ?? chainAPrices.initialState()
      states.set(key, state)
      chainAPrices.onFact(state, record as Parameters<typeof chainAPrices.onFact>[1])
    }
    const markets = [...states].flatMap(([token, state]) => {
      const { pools, curve } = state
      const names = [...pools.map(({ identity }) => identity.pool), ...(curve === null ? [] : [curve.curve])]
      return names.flatMap((name) => {
        const { market, px, source } = chainAPrices.marketOf(state, name) ?? {}
        return market && px && source ? [[market, { token, px, source }] as const] : []
      })
    })
    return new Map(markets)
  }

  const read = (token: string, market: string) =>
    createMarketReader({ node: createNode({ urls: [node.rpcUrl] }), contracts })(
      { token: token.toLowerCase(), market: market as Hex, atMs: 0 },
      never,
    )
  const failureOf = (token: string, market: string) =>
    read(token, market).then(
      ({ px }) => `a price: ${px}`,
      ({ code, message }: OperationError) => (code === 'nothing_found' ? message : `${code}: ${message}`),
    )
  const poolOf = (name: string): MarketPool => pools.get(name) as MarketPool

  const kinds = [
    'v4 native 1',
    'v4 native 2',
    'v4 native 3',
    'v4 native 4',
    'v4 weth first',
    'v4 weth last',
    'v3 weth first',
    'v3 weth last',
    'hooked',
  ]
  for (const name of kinds)
    it(`is that of the log, in its unit: ${name}`, async () => {
      const { token, id } = poolOf(name)
      const { px, source } = staged.get(id) ?? { px: 0, source: '' }
      expect(await read(token, id)).to.deep.equal({ px, source, mcapUsd: null, change1h: null })
      expect(source).to.equal('pool')
    })

  it('was asked for of tokens on either side of WETH', () => {
    const sides = kinds.map((name) => BigInt(poolOf(name).token) > BigInt(contracts.weth))
    expect(sides).to.include(true).and.include(false)
  })

  for (const name of ['only launched', 'traded', 'bought at the opening', 'older than the log'])
    it(`is that of the log on a curve: ${name}`, async () => {
      const { token, curve } = curves.find((each) => each.name === name)!
      const { px, source } = staged.get(curve.toLowerCase()) ?? { px: 0, source: '' }
      const found = await read(token, curve)
      expect(found.source).to.equal(source).and.equal('curve')
      expect(found.px / px - 1).to.be.within(-1e-12, 1e-12)
    })

  it('is that of the pool which a curve became', async () => {
    const token = curves.find(({ name }) => name === 'graduated')!.token.toLowerCase()
    const [market, { px }] = [...staged].find(([, each]) => each.token === token && each.source === 'pool')!
    expect((await read(token, market)).px).to.equal(px)
  })

  it('is not known on a curve that is complete', async () => {
    const { token, curve } = curves.find(({ name }) => name === 'full')!
    expect(await failureOf(token, curve)).to.equal('node_inconsistent: the curve is complete and has no price')
  })

  it('is none on a curve of another token', async () => {
    const { curve } = curves.find(({ name }) => name === 'traded')!
    expect(await failureOf(poolOf('hooked').token, curve)).to.equal('the market is neither a pool nor a curve')
  })

  it('is none in a pool that nothing can be traded in', async () => {
    for (const name of ['empty v4', 'empty v3']) {
      const { token, id } = poolOf(name)
      expect(await failureOf(token, id), name).to.equal('the pool has no liquidity')
    }
  })

  it('is none where there is no market', async () => {
    const { token } = poolOf('hooked')
    const above = poolOf(kinds.find((name) => BigInt(poolOf(name).token) > BigInt(contracts.weth))!).token
    expect(await failureOf(above, `0x${'ab'.repeat(32)}`)).to.equal('there is no such pool')
    expect(await failureOf(token, walletOf('nobody'))).to.equal('the market is neither a pool nor a curve')
  })

  it('is none in a pool that no position was minted in, unless the address of the token says its side', async () => {
    const expected = directNames.map((name) => {
      const { token, id } = poolOf(name)
      const isAbove = BigInt(token) > BigInt(contracts.weth)
      return isAbove
        ? `a price: ${staged.get(id)?.px}`
        : 'node_inconsistent: the position manager did not say on which side of the pool the token is'
    })
    expect(new Set(expected.map((text) => text.slice(0, 7))).size).to.equal(2)
    const found = await Promise.all(directNames.map((name) => failureOf(poolOf(name).token, poolOf(name).id)))
    expect(found).to.deep.equal(expected)
  })
})

/** The addresses of some of these tokens are above that of WETH. */
const directNames = ['direct', 'direct 1', 'direct 2', 'direct 3']

/** Opens a pool of every kind, and makes one buy in each of them. */
function poolsOf({ contracts }: ChainANode) {
  const book = createBook(contracts)
  const atMs = startAtMs + hourMs
  const opened = [
    ...[1, 2, 3, 4].map((number) => book.open({ name: `v4 native ${number}`, atMs })),
    book.open({ name: 'v4 weth first', atMs, quote: contracts.weth }),
    book.open({ name: 'v4 weth last', atMs, side: 'eth-last' }),
    book.open({ name: 'v3 weth first', atMs, dex: 'v3' }),
    book.open({ name: 'v3 weth last', atMs, dex: 'v3', side: 'eth-last' }),
    book.open({ name: 'hooked', atMs, hooks: contracts.feeHook }),
  ]
  book.open({ name: 'empty v4', atMs, liquidityEth: 0, quote: contracts.weth })
  book.open({ name: 'empty v3', atMs, dex: 'v3', liquidityEth: 0 })
  const from = walletOf('adder in its own name')
  const router = addressOfFirst(from)
  book.note({ atMs, transactions: [liquidityRouterCreation(from, contracts)] })
  const add = { from, router, liquidity: 10n ** 22n, salt: `0x${'00'.repeat(32)}` as Hex }
  const direct = directNames.map((name) => book.open({ name, atMs, quote: noAddress, liquidityEth: 0 }))
  for (const pool of direct) book.note({ atMs: atMs + 1000, transactions: directAdd(pool, add) })
  for (const pool of [...opened, ...direct]) book.swap(pool, { atMs: atMs + 5000, eth: 0.05, wallet: 'buyer' })
  return book
}

const addressOfFirst = (from: Hex): Hex => getContractAddress({ from, nonce: 0n })

import { expect } from 'chai'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { openChainA } from '../../../ingest/chain-a/open-chain-a.ts'
import { chainAContracts } from '../../../ingest/chain-a/presets.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { runIngest } from '../../../ingest/run-ingest.ts'
import type { ChainAFact, CurveFound, CurveLaunched, CurveTraded } from '../../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { chainId } from '../../support/chain-a-node/anvil.ts'
import { type CurveMarket, createCurveMarket } from '../../support/chain-a-node/curve-market.ts'
import { play } from '../../support/chain-a-node/market-book.ts'
import { type ChainANode, createChainANode, walletOf } from '../../support/chain-a-node/node.ts'
import { readCanonicalFacts } from '../canonical-facts.ts'

type Curve = CurveMarket['curves'][number]

const startAtMs = Date.UTC(2026, 8, 1, 12)
const hourMs = 3_600_000
const realQuoteReserve = '0x4f1f58fd'
const graduationWei = 4_200_000_000_000_000_000n

describe('ingest of launchpad curves on a real node', () => {
  let node: ChainANode
  let market: CurveMarket
  let facts: readonly ChainAFact[]

  before(async () => {
    node = await createChainANode({ startAtMs: startAtMs - 30 * hourMs })
    market = createCurveMarket(node.contracts, { startAtMs, beforeLogMs: startAtMs - 29 * hourMs })
    await play(node, market.past)
    facts = await ingested()
  })
  after(() => node?.stop())

  async function ingested(backfillMs = 24 * hourMs): Promise<readonly ChainAFact[]> {
    const { poolManager, positionManager, v3Factory, weth } = node.contracts
    const addresses = { chainId, poolManager, positionManager, v3Factory, weth, ponsFactory: market.factory }
    const contracts = chainAContracts('local', JSON.stringify(addresses))
    const logger = pino({ level: 'silent' })
    const open = { urls: [node.rpcUrl], contracts, lagBlocks: 0, logRangeMax: 20, logger, pollMs: 20, backfillMs }
    const log = createMemoryLog({ nowMs: Date.now })
    const codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
    const stop = new AbortController()
    await runIngest({
      ...{ chain: openChainA(open), log, codecs, logger, nowMs: Date.now, signal: stop.signal },
      onProgress: ({ toBlock, headBlock }) => {
        if (toBlock === headBlock) stop.abort()
      },
    })
    return (await readCanonicalFacts(log, codecs)).facts
  }

  const curveOf = (name: string): Curve => market.curves.find((curve) => curve.name === name) as Curve
  const factsOf = (name: string) =>
    facts.filter(({ data }) => 'curve' in data && data.curve === curveOf(name).curve.toLowerCase())
  const typesOf = (name: string) => [...new Set(factsOf(name).map(({ type }) => type))]
  const reserveOf = (name: string): bigint =>
    factsOf(name).reduce((sum, { type, data }) => {
      if (type === 'CurveFound') return data.reserveWei
      return type === 'CurveTraded' ? sum + data.ethWei - data.feeWei - data.taxWei : sum
    }, 0n)
  const reserveOnChain = async (name: string): Promise<bigint> =>
    BigInt((await node.rpc('eth_call', [{ to: curveOf(name).curve, data: realQuoteReserve }, 'latest'])) as string)

  for (const name of ['only launched', 'traded', 'bought at the opening'])
    it(`tells all that moved the reserve of the curve: ${name}`, async () => {
      const [launched] = factsOf(name)
      expect(launched?.type).to.equal('CurveLaunched')
      expect(launched?.data).to.include({
        ...{ symbol: name.toUpperCase(), creator: walletOf(`launcher of ${name}`), launchpad: 'pons-v2' },
        ...{ graduationWei, phantomWei: 1_680_000_000_000_000_000n, supplyRaw: 10n ** 27n },
      })
      expect(reserveOf(name)).to.equal(await reserveOnChain(name))
    })

  for (const name of ['full', 'full at launch', 'graduated'])
    it(`tells that the curve is complete at 4.2 ETH: ${name}`, () => {
      expect(typesOf(name)).to.include('CurveCompleted')
      expect(Number(reserveOf(name) - graduationWei)).to.be.within(0, 1000)
    })

  it('tells of the graduation and the pool it makes, whose position the launchpad’s locker has', () => {
    const graduated = factsOf('graduated').at(-1)
    expect(graduated?.type).to.equal('CurveGraduated')
    const inIt = facts.filter(({ data }) => data.txHash === graduated?.data.txHash)
    expect(inIt.map(({ type }) => type)).to.include.members(['PoolCreated', 'PositionTransferred', 'LiquidityChanged'])
    for (const { type, data } of inIt) {
      if (type === 'PoolCreated') expect(data).to.include({ txSender: walletOf('keeper') })
      if (type === 'PositionTransferred')
        expect(data).to.include({ positionId: graduated?.type === 'CurveGraduated' && graduated.data.positionId })
    }
  })

  it('finds a curve that is older than the log, with what was in it, and counts from there', async () => {
    expect(typesOf('older than the log')).to.deep.equal(['CurveFound', 'CurveTraded'])
    const [found] = factsOf('older than the log')
    expect(found?.data).to.include({
      symbol: 'OLDER THAN THE LOG',
      creator: walletOf('launcher of older than the log'),
    })
    expect(reserveOf('older than the log')).to.equal(await reserveOnChain('older than the log'))
  })

  it('finds a curve again that is bought a day later: with its launch, its terms and all that moved its reserve', async () => {
    const { curve } = curveOf('older than the log')
    const all = (await ingested(30 * hourMs)).filter(
      ({ data }) => 'curve' in data && data.curve === curve.toLowerCase(),
    )
    const types = all.map(({ type }) => type)
    expect(types.slice(0, 4)).to.deep.equal(['CurveLaunched', 'CurveTraded', 'CurveFound', 'CurveTraded'])
    expect(types.filter((type) => type === 'CurveFound')).to.have.length(1)
    const [launched, bought, found] = all.map(({ data }) => data) as [CurveLaunched, CurveTraded, CurveFound]
    const { symbol, creator, graduationWei, phantomWei, supplyRaw } = launched
    expect(found).to.include({ symbol, creator, graduationWei, phantomWei, supplyRaw })
    expect(found).to.include({ launchBlock: launched.blockNumber, launchAtMs: launched.blockAtMs })
    expect(found.reserveWei).to.equal(bought.ethWei - bought.feeWei - bought.taxWei)
  })

  it('leaves out a curve against another asset, and a contract that only logs like one', () => {
    const known = new Set(market.curves.map(({ curve }) => curve.toLowerCase()))
    const told = new Set(facts.flatMap(({ data }) => ('curve' in data ? [data.curve as string] : [])))
    known.delete(curveOf('against a dollar').curve.toLowerCase())
    expect([...told]).to.have.members([...known])
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type LocalPayments, startLocalPayments } from '../../infra/development/payments/start-local-payments.ts'
import { type CurveMarket, createCurveMarket, curveMarketLengthMs } from '../support/chain-a-node/curve-market.ts'
import { play } from '../support/chain-a-node/market-book.ts'
import { type ChainANode, createChainANode } from '../support/chain-a-node/node.ts'
import { closeAll } from '../support/close-all.ts'
import { recordCurves } from '../support/oracle/curves.ts'
import { type Service, startService } from '../support/service.ts'
import { launchpadKey, type RugCheck } from './buy-answers.ts'
import { chainAEnvironment } from './chain-a-environment.ts'
import { recordNode } from './check-answers.ts'
import { buyCurves, type CurveAnswers, type CurveChain, checkCurves } from './check-curves.ts'
import { payer } from './paying-client.ts'
import { untilKnown } from './until-known.ts'

const hourMs = 3_600_000

/** The real Pons contracts are not available. `mock-pons.sol` lists the parts that the mock has. */
describe('tokens on launchpad curves, on a real chain A node with a mock of the launchpad', () => {
  let node: ChainANode
  let payments: LocalPayments
  let service: Service
  let dataDir: string
  let market: CurveMarket
  let startAtMs: number
  let stopHeartbeat: () => Promise<void>
  const buy = () =>
    buyCurves(
      { baseUrl: service.baseUrl, fetch: payer(payments) },
      market.curves.map(({ token }) => token),
    )
  const readChain = async (logBeginsAtMs: number): Promise<CurveChain> => {
    const recording = await recordNode(node)
    return { recording, curves: await recordCurves(node.rpc, recording, market.factory), logBeginsAtMs }
  }
  const check = async (answers: CurveAnswers) => checkCurves(answers, await readChain(startAtMs - hourMs))
  const tokenOf = (name: string): string =>
    market.curves.find((curve) => curve.name === name)?.token.toLowerCase() ?? expect.fail(`no curve is called ${name}`)
  const answerOf = (answers: CurveAnswers, name: string): RugCheck | null => answers.get(tokenOf(name)) ?? null

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-curves-'))
    payments = await startLocalPayments({ isEvmAlone: true })
    startAtMs = Math.ceil(Date.now() / 1000) * 1000 - curveMarketLengthMs
    const beforeLogMs = startAtMs - 30 * hourMs
    node = await createChainANode({ startAtMs: beforeLogMs - 60_000 })
    market = createCurveMarket(node.contracts, { startAtMs, beforeLogMs })
    await play(node, market.past)
    stopHeartbeat = node.heartbeat(1000)
    const environment = chainAEnvironment(node, payments, dataDir)
    const contracts = { ...JSON.parse(environment.CHAIN_A_CONTRACTS ?? ''), ponsFactory: market.factory }
    service = await startService({ ...environment, CHAIN_A_CONTRACTS: JSON.stringify(contracts) })
    await untilKnown(service, startAtMs + curveMarketLengthMs)
  })

  after(async () => {
    const removeData = () => rm(dataDir, { recursive: true, force: true })
    await closeAll(service?.stop, stopHeartbeat, node?.stop, payments?.stop, removeData)
  })

  it('are sold as the curves’ own state says; once in a pool, the pool is', async () => {
    const answers = await buy()
    await check(answers)
    const classes = Object.fromEntries(market.curves.map(({ name }) => [name, answerOf(answers, name)?.class ?? null]))
    expect(classes).to.deep.equal({
      'older than the log': 'launchpad-curve',
      'only launched': 'launchpad-curve',
      traded: 'launchpad-curve',
      'bought at the opening': 'launchpad-curve',
      full: 'launchpad-curve',
      graduated: 'safe',
      'full at launch': 'launchpad-curve',
      'against a dollar': null,
    })
    const full = answerOf(answers, 'full')?.[launchpadKey]
    expect(full).to.include({ graduated: true, progress: 1, thresholdEth: 4.2, feeBps: 200, symbol: 'FULL' })
    expect(full?.ethInCurve).to.be.closeTo(4.2, 1e-9)
    expect(full?.mcapUsd).to.be.closeTo(20.58 * 3000, 1e-4)
    expect(answerOf(answers, 'only launched')?.[launchpadKey]).to.include({ ethInCurve: 0, progress: 0, feeBps: null })
    expect(answerOf(answers, 'graduated')?.pools).to.have.length(1)
  })

  it('would be seen to differ if the log reached back to the oldest launch, or another curve stood for one', async () => {
    const answers = await buy()
    const chain = await readChain(0)
    expect(() => checkCurves(answers, chain)).to.throw('launchBlock')
    const curves = chain.curves.map((curve, index) => ({ ...curve, states: chain.curves.at(index - 1)?.states ?? [] }))
    expect(() => checkCurves(answers, { ...chain, curves })).to.throw()
  })

  it('follow live trades, and leave the curve when their pool is made', async () => {
    const before = answerOf(await buy(), 'traded')?.[launchpadKey]?.ethInCurve ?? 0
    const fromAtMs = Math.ceil(Date.now() / 1000) * 1000 + 1000
    await play(node, market.live(fromAtMs), 'beside heartbeat')
    await untilKnown(service, Date.now() + 9000)
    const answers = await buy()
    await check(answers)
    const paid = 0.25 * (1 - 0.02)
    expect(answerOf(answers, 'traded')?.[launchpadKey]?.ethInCurve).to.be.closeTo(before + paid, 1e-12)
    expect(answerOf(answers, 'full')).to.include({ class: 'safe' }).and.not.to.have.property(launchpadKey)
  })
})

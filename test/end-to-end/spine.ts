/** Tests the way from a real chain A node to paid answers, for every combination of log and tables. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type LocalPayments, startLocalPayments } from '../../infra/development/payments/start-local-payments.ts'
import { createMarket, type Market, marketLengthMs } from '../support/chain-a-node/market.ts'
import { latePrefix } from '../support/chain-a-node/market-ages.ts'
import { play } from '../support/chain-a-node/market-book.ts'
import { type ChainANode, createChainANode } from '../support/chain-a-node/node.ts'
import { closeAll } from '../support/close-all.ts'
import { mutations } from '../support/oracle/mutations.ts'
import type { Recording } from '../support/oracle/recording.ts'
import { type Service, startService } from '../support/service.ts'
import { blockAtMsOf, buyHistory, buyLive } from './buy-answers.ts'
import { chainAEnvironment } from './chain-a-environment.ts'
import { type Answers, burstById, buyAll, checkAnswers, recordNode } from './check-answers.ts'
import type { Ground, OpenGround } from './grounds.ts'
import { payer } from './paying-client.ts'
import { untilKnown } from './until-known.ts'

const halfHourMs = 30 * 60_000

export function describeSpine(where: string, openGround: OpenGround): void {
  describe(`from a real chain A node to a paid answer, ${where}`, () => spine(openGround))
}

function spine(openGround: OpenGround): void {
  let ground: Ground
  let node: ChainANode
  let payments: LocalPayments
  let service: Service
  let market: Market
  let dataDir: string
  let stopHeartbeat: () => Promise<void>
  let answers: Answers
  let recording: Recording
  /** The chain stays on its branch. */
  const record = async () => {
    recording = await recordNode(node, recording)
    return recording
  }
  const start = () =>
    startService({ ...chainAEnvironment(node, payments, dataDir), ...ground.environment }, ground.programs)
  /**
   * Waits until the service has looked up the buyers of all main bursts. After a cold start, there are hours
   * of bursts to look up.
   */
  const untilBuyersKnown = async () => {
    for (let attempt = 0; attempt < 240; attempt++) {
      // The history leaves out bursts whose half hour has not ended.
      const bursts = [...(await buyHistory(shop())).bursts, ...(await buyLive(shop())).bursts]
      if (bursts.every(({ tier, buyers }) => tier !== 'main' || buyers !== null)) return
      await sleep(500)
    }
    expect.fail('the senders of the past bursts did not come')
  }
  const shop = () => ({ baseUrl: service.baseUrl, fetch: payer(payments) })
  const buyEverything = () => buyAll(shop())

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-spine-'))
    ground = await openGround(dataDir)
    payments = await startLocalPayments({ isEvmAlone: true })
    const endAtMs = Math.ceil(Date.now() / 1000) * 1000 + 30_000
    const startAtMs = endAtMs - marketLengthMs
    node = await createChainANode({ startAtMs: startAtMs - 120_000 })
    market = createMarket(node.contracts, { startAtMs, seed: Number(startAtMs % 1000_000) })
    await play(node, market.past)
    stopHeartbeat = node.heartbeat(1000)
    service = await start()
    await untilKnown(service, Date.now() - 5000)
    await untilBuyersKnown()
  })

  after(async () => {
    const removeData = () => rm(dataDir, { recursive: true, force: true })
    await closeAll(service?.stop, stopHeartbeat, node?.stop, payments?.stop, ground?.close, removeData)
  })

  it('sells exactly the bursts, outcomes, pools and minutes that the oracle finds in the node’s own logs', async () => {
    const paidBefore = await payments.usdcBalanceOf(payments.payTo)
    answers = await buyEverything()
    // The prices in dollars: history 0.02, live 0.01, new pools 0.005, and each flow 0.005.
    const priceUsdMicros = 35_000n + 5_000n * BigInt(answers.flows.length)
    expect(await payments.usdcBalanceOf(payments.payTo)).to.equal(paidBefore + priceUsdMicros)
    expect(answers.history.bursts.length).to.be.greaterThan(40)
    expect(answers.flows.length).to.be.greaterThan(40)
    checkAnswers(answers, await record())
  })

  it('would be seen to differ if any rule were bent', async () => {
    for (const { name, rules } of mutations) expect(() => checkAnswers(answers, recording, rules), name).to.throw()
  })

  it('answers the same after a stop in the middle of a burst, and misses nothing of what happened meanwhile', async () => {
    const live = market.live(Math.ceil(Date.now() / 1000) * 1000 + 2000)
    await play(node, live.before, 'beside heartbeat')
    await service.stop()
    await play(node, live.during, 'beside heartbeat')
    const [, restarted] = await Promise.all([play(node, live.after, 'beside heartbeat'), start()])
    service = restarted
    await untilKnown(service, Date.now() + 12_000)
    await untilBuyersKnown()
    const later = await buyEverything()
    checkAnswers(later, await record())
    const rows = burstById(later.history.bursts)
    for (const earlier of answers.history.bursts) expect(rows.get(earlier.id)).to.deep.equal(earlier)
    const fired = later.live.bursts.filter((burst) => burst.pool === market.pools.at(-1)?.id).map(({ tier }) => tier)
    expect(fired).to.have.members(['lite', 'main'])
  })

  it('scores the burst whose half hour ended meanwhile', async function () {
    this.timeout(600_000)
    const late = new Set<string>(market.pools.filter(({ name }) => name.startsWith(latePrefix)).map(({ id }) => id))
    const bursts = answers.live.bursts.filter(({ pool, tier }) => tier === 'main' && late.has(pool))
    expect(bursts).to.have.lengthOf(late.size)
    const isOpen = ({ at }: (typeof bursts)[number]) => at + halfHourMs > blockAtMsOf(answers.live)
    const open = bursts.filter(isOpen).sort((left, right) => left.at - right.at)[0]
    expect(open?.outcome).to.deep.equal({ scored: false })
    const endAtMs = (open?.at ?? 0) + halfHourMs + 2000
    await untilKnown(service, endAtMs, Math.max(0, endAtMs - Date.now()) + 240_000)
    const now = await buyEverything()
    checkAnswers(now, await record())
    expect(now.history.bursts.find(({ id }) => id === open?.id)?.outcome.scored).to.equal(true)
  })
}

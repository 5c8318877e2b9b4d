import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type LocalPayments, startLocalPayments } from '../../infra/development/payments/start-local-payments.ts'
import {
  createLiquidityMarket,
  type LiquidityMarket,
  liquidityMarketLengthMs,
} from '../support/chain-a-node/liquidity-market.ts'
import { play } from '../support/chain-a-node/market-book.ts'
import { type ChainANode, createChainANode } from '../support/chain-a-node/node.ts'
import { closeAll } from '../support/close-all.ts'
import { liquidityMutations } from '../support/oracle/liquidity-mutations.ts'
import { type OracleOptions, oracle, oracleProfiles } from '../support/oracle/oracle.ts'
import type { Recording } from '../support/oracle/recording.ts'
import { type Service, startService } from '../support/service.ts'
import { buyLive } from './buy-answers.ts'
import { chainAEnvironment } from './chain-a-environment.ts'
import { recordNode } from './check-answers.ts'
import { buyLiquidity, checkLiquidity, type LiquidityAnswers } from './check-liquidity.ts'
import { payer } from './paying-client.ts'
import { untilKnown } from './until-known.ts'

/**
 * The expected values of each pool, written by hand from the script. They are the liquidity class at the
 * `main` burst, the pool's later liquidity class, and the time at which the liquidity is pulled, in seconds.
 */
const expectedByPool: Readonly<
  Record<string, readonly [main: string | null, then: string | null, rugSec: number | null]>
> = {
  'creator holds': ['held', 'held', null],
  'sent to the dead address': ['safe', 'safe', null],
  'added by a contract': ['safe', 'safe', 720],
  split: ['safe', 'safe', null],
  'exactly half': ['held', 'held', null],
  'adder holds': ['held', 'held', null],
  'the locker adds': ['held', 'held', null],
  'burned between the signals': ['safe', 'safe', null],
  'sold later': ['held', 'safe', null],
  'far away': ['safe', 'safe', null],
  'WETH as the second currency': ['held', 'held', null],
  'an NFT of an untracked pool': ['safe', 'safe', null],
  'buyers of one block': ['held', 'held', null],
  'bundled buyers': ['held', 'held', null],
  'two pools of a token': ['safe', 'safe', null],
  '79 % removed': ['held', 'held', null],
  '85 % removed': ['held', 'held', 300],
  'burned with all': ['held', 'empty', 301],
  'exactly 80 % removed': ['held', 'held', 120],
  'removed in parts': ['held', 'held', 45],
  'put back': ['held', 'held', null],
  'moved in one transaction': ['held', 'held', null],
  poked: ['held', 'held', null],
  'gone with the signal': ['unknown', 'empty', null],
  'pulled at the last moment': ['held', 'held', 1800],
  'pulled too late': ['held', 'held', null],
  'stopped before the pull': ['held', 'empty', 360],
  'pulled far away': ['held', 'held', null],
  '85 % removed on v3': [null, null, 360],
  '79 % removed on v3': [null, null, null],
}

/** The pools without bursts, and their liquidity classes. */
const quietPools: Readonly<Record<string, string | null>> = {
  'no liquidity': 'empty',
  'another pool of the token': 'held',
  'a pair of tokens': null,
  'live one': 'held',
  'live two': 'held',
  'live three': 'held',
}

describe('who can pull the liquidity, on a real chain A node', () => {
  let node: ChainANode
  let payments: LocalPayments
  let service: Service
  let dataDir: string
  let market: LiquidityMarket
  let stopHeartbeat: () => Promise<void>
  let answers: LiquidityAnswers
  let recording: Recording
  const shop = () => ({ baseUrl: service.baseUrl, fetch: payer(payments) })

  /**
   * Waits until the service has looked up the buyers and the owners of liquidity. This lookup happens after
   * the bursts.
   */
  const untilLookedUp = async () => {
    for (let attempt = 0; attempt < 60; attempt++) {
      const { bursts } = await buyLive(shop())
      if (bursts.every(({ tier, buyers }) => tier !== 'main' || buyers !== null)) return
      await sleep(500)
    }
    expect.fail('the senders of the past bursts did not come')
  }

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-liquidity-'))
    payments = await startLocalPayments({ isEvmAlone: true })
    const startAtMs = Math.ceil(Date.now() / 1000) * 1000 + 10_000 - liquidityMarketLengthMs
    node = await createChainANode({ startAtMs: startAtMs - 60_000 })
    market = createLiquidityMarket(node.contracts, startAtMs)
    await play(node, market.past)
    stopHeartbeat = node.heartbeat(1000)
    service = await startService(chainAEnvironment(node, payments, dataDir))
    await untilKnown(service, startAtMs + liquidityMarketLengthMs)
    await untilLookedUp()
    answers = await buyLiquidity(shop())
    recording = await recordNode(node)
  })

  after(async () => {
    const removeData = () => rm(dataDir, { recursive: true, force: true })
    await closeAll(service?.stop, stopHeartbeat, node?.stop, payments?.stop, removeData)
  })

  it('is as the script of the market means it', () => {
    const { bursts } = oracle(recording)
    const profiles = oracleProfiles(recording)
    for (const { id, name } of market.pools) {
      const main = bursts.find(isMainOf(id))
      const profile = profiles.find(({ pool }) => pool === id)?.class ?? null
      const found = [main?.lp?.class ?? null, profile, main?.outcome?.rug?.atSec ?? null]
      const isQuiet = name in quietPools
      expect(main === undefined, name).to.equal(isQuiet)
      expect(found, name).to.deep.equal(isQuiet ? [null, quietPools[name], null] : expectedByPool[name])
    }
    const names = [...Object.keys(expectedByPool), ...Object.keys(quietPools)]
    expect(market.pools.map(({ name }) => name)).to.have.members(names)
  })

  it('is sold as the node’s own state says, class by class, share by share, rug by rug', () => {
    expect(answers.history.bursts.filter(({ lp }) => lp !== null).length).to.be.greaterThan(50)
    expect(answers.rugChecks.length).to.be.greaterThan(25)
    expect(answers.crews.crews).to.have.length(4)
    checkLiquidity(answers, recording)
  })

  it('counts senders: twelve in one block are twelve, a bundler is one', () => {
    const buyersIn = (name: string) => {
      const id = market.pools.find((pool) => pool.name === name)?.id ?? ''
      return answers.live.bursts.find(isMainOf(id))?.buyers
    }
    expect([buyersIn('buyers of one block'), buyersIn('bundled buyers')]).to.deep.equal([12, 1])
  })

  for (const { name, shownBy, rules } of liquidityMutations)
    it(`would be seen to differ with ${name}`, () => {
      const id = market.pools.find((pool) => pool.name === shownBy)?.id
      const rowsBy = (options: OracleOptions) =>
        [...oracle(recording, options).bursts, ...oracleProfiles(recording, options)].filter(({ pool }) => pool === id)
      expect(rowsBy({ rules })).not.to.deep.equal(rowsBy({}))
      expect(() => checkLiquidity(answers, recording, rules)).to.throw()
    })

  it('counts who comes again from one live burst to the next', async () => {
    // The service must know the buyers of a round before the next round.
    for (const round of market.live) {
      await play(node, round(Math.ceil(Date.now() / 1000) * 1000 + 1000), 'beside heartbeat')
      await untilKnown(service, Date.now() + 2000)
      await untilLookedUp()
    }
    const livePools = market.pools.slice(-3).map(({ id }) => id)
    const later = await buyLiquidity(shop(), livePools)
    checkLiquidity(later, await recordNode(node, recording))
    const repeats = livePools.map((id) => later.live.bursts.find(isMainOf(id))?.repeatBuyers)
    expect(repeats).to.deep.equal([0, 12, 12])
    expect(later.crews.crews.filter(({ bursts }) => bursts === 3)).to.have.length(12)
  })
})

const isMainOf = (id: string) => (burst: Readonly<{ pool: string; tier: string }>) =>
  burst.pool === id && burst.tier === 'main'

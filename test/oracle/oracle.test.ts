import { expect } from 'chai'
import { readMarketFixture } from '../support/oracle/market-fixture.ts'
import { mutations } from '../support/oracle/mutations.ts'
import { type OracleAnswer, oracle } from '../support/oracle/oracle.ts'

/**
 * The expected tiers, written by hand from the rules and the script of the test data. They were not taken
 * from the oracle's output.
 */
const tiersByPool: Readonly<Record<string, readonly string[]>> = {
  eleven: ['lite'],
  'just short': ['lite'],
  'exactly one': ['lite', 'main'],
  seven: [],
  eight: ['lite'],
  edge: ['lite'],
  silent: ['lite'],
  'selling off': ['lite'],
  'too young': [],
  'five minutes': ['lite', 'main'],
  'same second': ['lite', 'main'],
  regulars: ['lite', 'main'],
  'regulars again': ['lite', 'main'],
  whales: ['lite', 'main'],
  'weth last': ['lite', 'main'],
  'v3 eth-first': ['lite', 'main'],
  'v3 eth-last': ['lite', 'main'],
  'rotation from': [],
  'rotation to': [],
  'fee hook': ['lite', 'main'],
  'own hook': ['lite'],
  empty: [],
  thin: [],
  liquidity: [],
  removal: [],
  'pair base': [],
  again: ['lite', 'main', 'refire'],
  old: ['old', 'refire'],
  veteran: ['lite', 'main', 'refire'],
  'six hours': ['lite', 'main'],
  'six hours and a second': ['lite', 'old'],
  'late 0': ['lite', 'main'],
  'late 2': ['lite', 'main'],
  'late 4': ['lite', 'main'],
  'late 6': ['lite', 'main'],
  'late 8': ['lite', 'main'],
  'late 10': ['lite', 'main'],
  stop: ['lite', 'main'],
  fade: ['lite', 'main'],
  stall: ['lite', 'main'],
  'take profit': ['lite', 'main'],
  trail: ['lite', 'main'],
  held: ['lite', 'main'],
  quiet: ['lite', 'main'],
  live: ['lite', 'main'],
  'opened while away': [],
}

describe('the oracle of chain A', () => {
  const market = readMarketFixture()
  const answer = oracle(market.recording)
  const idOf = (name: string): string => {
    const id = Object.keys(market.names).find((key) => market.names[key] === name)
    expect(id, `no pool is called ${name}`).to.be.a('string')
    return id ?? ''
  }
  const of = ({ bursts, pools }: OracleAnswer, name: string) => ({
    bursts: bursts.filter((burst) => burst.pool === idOf(name)),
    pool: pools.find((pool) => pool.id === idOf(name)),
  })
  const burstOf = (name: string, tier: string) => {
    const found = of(answer, name).bursts.find((burst) => burst.tier === tier)
    if (found === undefined) expect.fail(`${name} fired no ${tier}`)
    return found
  }
  const exit = (name: string, rule: string) => burstOf(name, 'main').outcome?.byRule[rule]

  for (const [name, tiers] of Object.entries(tiersByPool))
    it(`finds ${tiers.length === 0 ? 'no burst' : tiers.join(', ')} in the pool '${name}'`, () => {
      const found = of(answer, name).bursts.map((burst) => burst.tier)
      expect(found).to.have.members([...tiers])
      expect(of(answer, name).pool?.fired).to.have.members([...tiers])
    })

  it('leaves out pairs of tokens and the pair of ETH and WETH', () => {
    expect(answer.pools.map((pool) => pool.id)).not.to.include(idOf('pair'))
    expect(answer.pools).to.have.length(Object.keys(market.names).length - 1)
  })

  it('describes a burst as counted by hand', () => {
    const burst = burstOf('exactly one', 'main')
    expect(burst).to.include({ inflowEth: 1, buys: 12, sells: 0, sameSizeMax: 10, shape: 'scripted', windowSec: 60 })
    expect(burst).to.include({ at: market.startAtMs + (12 * 60 + 44) * 1000, buyers: 12, repeatBuyers: 0 })
    expect(burst.poolAgeMin).to.be.closeTo(12 + 44 / 60, 1e-9)
    expect(burst.top3Share).to.be.closeTo(0.28, 1e-12)
    expect(burst.sizeCV).to.be.closeTo(Math.sqrt(0.008), 1e-12)
  })

  it('tells the shapes apart', () => {
    expect(burstOf('whales', 'main').shape).to.equal('other')
    expect(burstOf('regulars', 'main').shape).to.equal('spread')
    expect(burstOf('v3 eth-last', 'main').shape).to.equal('v3')
  })

  it('counts senders once, and those of earlier bursts as repeat', () => {
    expect(burstOf('regulars', 'main')).to.include({ buyers: 5, repeatBuyers: 0 })
    expect(burstOf('regulars again', 'main')).to.include({ buyers: 5, repeatBuyers: 5 })
    expect(burstOf('v3 eth-first', 'main')).to.include({ buys: 13, buyers: 11 })
    expect(burstOf('six hours and a second', 'old')).to.include({ buyers: null, repeatBuyers: null })
  })

  it('knows every way out', () => {
    expect(exit('quiet', 'hold')).to.deep.equal({ ret: -0.02, why: 'held', sec: null })
    expect(exit('quiet', 'live')).to.deep.include({ why: 'burst-stall', sec: 60 })
    expect(exit('stop', 'hold')).to.deep.include({ why: 'stop', sec: 180 })
    expect(exit('fade', 'fade')).to.deep.include({ why: 'burst-fade', sec: 55 })
    expect(exit('stall', 'stall')).to.deep.include({ why: 'burst-stall', sec: 150 })
    expect(exit('take profit', 'take-profit-50')).to.deep.include({ why: 'take-profit', sec: 130 })
    expect(exit('take profit', 'take-profit-100')).to.deep.include({ why: 'take-profit', sec: 301 })
    expect(exit('take profit', 'trail-20')).to.deep.include({ why: 'trail', sec: 540 })
    expect(exit('held', 'time-5m')).to.deep.include({ why: 'time', sec: 300 })
  })

  it('knows who held the liquidity at a v4 main or lite signal, and that nobody pulled it', () => {
    const held = { class: 'held', insiderShare: 1, burnedShare: 0, contractShare: 0, otherShare: 0, lpAdds: 1 }
    expect(burstOf('quiet', 'main').lp).to.include({ ...held, firstAddAtMs: market.startAtMs + 3 * 60_000 })
    expect(burstOf('quiet', 'lite').lp).to.include(held)
    expect([burstOf('v3 eth-first', 'main').lp, burstOf('again', 'refire').lp]).to.deep.equal([null, null])
    const missing = answer.bursts.filter(({ lp, dex, tier }) => lp === null && dex === 'v4' && /main|lite/.test(tier))
    expect(missing).to.deep.equal([])
    expect(burstOf('quiet', 'main').outcome?.rug).to.equal(null)
  })

  it('leaves a burst unscored until its window is over', () => {
    const at = burstOf('quiet', 'main').at
    const outcomeAt = (blockAtMs: number) =>
      oracle(market.recording, { blockAtMs }).bursts.find(({ pool, tier }) => pool === idOf('quiet') && tier === 'main')
        ?.outcome
    expect(outcomeAt(at + 30 * 60_000)).to.equal(null)
    expect(outcomeAt(at + 30 * 60_000 + 1000)).not.to.equal(null)
  })

  it('holds the ETH of a pool against what was paid in and out of it', () => {
    const feeKept = 0.997
    expect(of(answer, 'opened while away').pool?.liqEth).to.be.closeTo(10 + 0.25 * feeKept - 0.1, 1e-6)
    expect(of(answer, 'exactly one').pool?.liqEth).to.be.closeTo(10 + feeKept, 1e-6)
    expect(of(answer, 'removal').pool?.liqEth).to.be.closeTo((10 + 0.2 * feeKept) / 2 + 0.2 * feeKept, 1e-6)
  })

  it('shows sixty minutes, the running one last', () => {
    const at = market.startAtMs + (13 * 60 + 30) * 1000
    const pool = oracle(market.recording, { blockAtMs: at }).pools.find(({ id }) => id === idOf('exactly one'))
    expect(pool?.mins).to.have.length(60)
    expect(pool?.mins.at(-1)).to.deep.equal([market.startAtMs + 13 * 60_000, 0, 0, 0, 0, 0])
    expect(pool?.mins.at(-2)?.slice(4)).to.deep.equal([12, 0])
    expect(pool?.net60m).to.be.closeTo(1, 1e-12)
    expect(pool?.lastSwapAt).to.equal(market.startAtMs + (12 * 60 + 44) * 1000)
  })

  for (const { name, shownBy, rules } of mutations)
    it(`would notice ${name}`, () => {
      const bent = oracle(market.recording, { rules })
      expect(of(bent, shownBy)).not.to.deep.equal(of(answer, shownBy))
    })
})

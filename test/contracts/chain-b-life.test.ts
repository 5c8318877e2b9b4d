/** One mint from its launch to a quarter of an hour in its pool: facts through the real stage and tables into answers. */
import { expect } from 'chai'
import { createChainB } from '../../api/chain-b/chain.ts'
import { parseParams } from '../../api/edge/params.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { chainB } from '../../processors/stages.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { createChainBLog } from '../projections/chain-b/derived-log.ts'
import { second } from '../support/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildHoldersAnswered,
  buildKey,
  buildPoolTraded,
  lamports,
  testCurve,
  testMint,
} from '../support/chain-b/build-facts.ts'
import { chainBTablesOfTests } from './chain-b-tables.ts'

type Row = Readonly<Record<string, unknown>>
type Body = Readonly<{ bursts: readonly Row[]; grads: readonly Row[]; stats: Row }>

describe('a mint of chain B in answers', () => {
  const tables = chainBTablesOfTests()
  const presentation = { chainName: 'chainB', ruleIdSecret: 'a secret of the test' }

  /** Fails when the answer is not what the route's schema says. */
  const ask = async (path: string, atMs: number): Promise<Body> => {
    const { routes } = createChainB({ views: tables.views, presentation })
    const route = routes.find(({ pattern }) => pattern === `/v1/sol/${path}`) ?? expect.fail(`no route ${path}`)
    const parsed = parseParams(route.params, { query: {}, path: {} })
    if ('refusal' in parsed) expect.fail(parsed.refusal.error)
    const cut = await tables.cutAt(atMs)
    const body = await route.answer(parsed.values, { atMs, stages: { [chainBStage.name]: cut } })
    return route.schema.parse(JSON.parse(JSON.stringify(body))) as Body
  }

  it('is a burst, then scored, then graduated, then followed in its pool', async () => {
    const driver = createTestDriver(chainB)
    const derived = await createChainBLog()
    const tick = async (atSec: number) => {
      const records = driver.tick(second(atSec))
      await derived.tick(
        second(atSec),
        records.map(({ token, record }) => [token, record] as const),
      )
      return records.map(({ record }) => record)
    }
    const buy = (atSec: number, sol: number, trader: number) =>
      driver.fact(testMint, buildCurveTraded({ blockAtMs: second(atSec), sol, trader: buildKey(trader) }))
    driver.fact(testMint, buildCurveLaunched({ blockAtMs: second(0) }))
    await tick(1)
    buy(595, 4, 1)
    buy(600, 3, 2)
    buy(600, 5, 1)
    const asked = (await tick(601)).find(({ type }) => type === 'HoldersAsked')
    if (asked?.type !== 'HoldersAsked') expect.fail('nobody asked for the holders')
    const { questionId, revision } = asked.data
    const holders = [
      { owner: testCurve, tokenRaw: 5n * 10n ** 14n },
      { owner: buildKey(1), tokenRaw: 125n * 10n ** 12n },
    ]
    driver.answer(testMint, buildHoldersAnswered({ questionId, revision, holders }))
    await tick(606)
    await tick(607)
    driver.fact(testMint, buildCurveCompleted({ blockAtMs: second(900) }))
    await tick(901)
    driver.fact(testMint, buildCurveMigrated({ blockAtMs: second(903) }))
    await tick(904)
    const doubled = { poolQuoteRaw: 2n * lamports(84.990359301) }
    driver.fact(testMint, buildPoolTraded({ blockAtMs: second(950), ...doubled }))
    await tick(951)
    for (const atSec of [964, 1204, 1804, 1805]) await tick(atSec)
    await tables.project(derived)

    const [signal] = (await ask('bursts/live', second(601))).bursts
    expect(signal).to.deep.include({
      ...{ at: second(600), mint: testMint, inflowSol: 12, windowSec: 60, tokenAgeMin: 10 },
      ...{ anatomy: null, outcome: { scored: false }, knownAt: second(601) },
    })
    expect((await ask('bursts/history', second(607))).bursts).to.deep.equal([])
    const [known] = (await ask('bursts/live', second(607))).bursts
    expect(known?.anatomy).to.deep.equal({
      ...{ buys: 3, buyers: 2, sameSlotMax: 2, bundledShare: 8 / 12, sameSizeMax: 1, top3Share: 1 },
      ...{ holdersTop10: 0.125, holderTop1: 0.125, repeatBuyers: 0 },
    })
    const [scored] = (await ask('bursts/history', second(901))).bursts
    expect(scored?.outcome).to.deep.include({ scored: true, graduated: true, gradMin: 5, ret20m: null })
    const [grad] = (await ask('grads/live', second(901))).grads
    expect(grad).to.deep.include({ mint: testMint, gradAt: second(900), gradMin: 15, post: null })
    expect(grad?.burst).to.deep.include({ at: second(600), inflowSol: 12 })
    const { grads, stats } = await ask('grads/history', second(1804))
    expect(grads.map(({ post }) => post)).to.deep.equal([{ anchorSecAfterGrad: 3, ret1: 1, ret5: 1, ret15: 1 }])
    expect(stats).to.include({ n: 1, medianGradMin: 15, afterBurst: 1, medianRet15: 1, upShare15: 1 })
  })
})

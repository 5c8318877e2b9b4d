/** Tests that an answer of chain B for a past time stays the same, whatever the service learns later. */
import { expect } from 'chai'
import { createChainB } from '../../../api/chain-b/chain.ts'
import { parseParams } from '../../../api/sale/params.ts'
import { base58OfHex } from '../../../infra/base58.ts'
import type { ChainBQueries } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import {
  buildAnatomy,
  buildBurst,
  buildCopyClosed,
  buildCopyOpened,
  buildGraduation,
  buildMintMinute,
  buildMintOpened,
  buildOutcome,
  buildPost,
  buildRestated,
  buildTradeGap,
  buildWithdrawn,
  type ChainBLog,
  createChainBLog,
  mint,
  signature,
  wallet,
} from '../../projections/chain-b/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import { hourMs, minuteMs } from '../projections-tables.ts'
import { chainBTableNames, chainBTablesOfTests } from './tables.ts'

/** Every query must have an answer here. A missing query is a compile error. */
type AnswerOfEachQuery = {
  readonly [Name in Exclude<keyof ChainBQueries, 'tracked' | 'desk'>]: Awaited<ReturnType<ChainBQueries[Name]>>
}

/**
 * Writes copied buys. Then writes fifteen ticks, 1 s apart, with bursts, anatomies, outcomes, graduations,
 * later values and a reorg.
 */
async function writeMarket(derived: ChainBLog): Promise<void> {
  const copiedAtMs = noonMs - 2 * hourMs
  await derived.tick(
    noonMs - 1000,
    Array.from({ length: 6 }, (_, index) => ({ atMs: copiedAtMs, txHash: signature(index) })).flatMap(
      (place, index) => [
        [mint(index), buildCopyOpened({ ...place, launchAtMs: copiedAtMs - minuteMs })] as const,
        [mint(index), buildCopyClosed({ ...place, ret: index / 10 })] as const,
      ],
    ),
  )
  for (let step = 0; step < 15; step++) {
    const atMs = noonMs + step * 1000
    const before = { atMs: atMs - 1000 }
    const wallets = [wallet(step), wallet(step + 1), wallet(step % 3)]
    await derived.tick(atMs, [
      [mint(step), buildBurst({ atMs, fillAt: step / 100 })],
      [mint(step - 1), buildAnatomy({ ...before, wallets })],
      ...(step % 2 === 0 ? [[mint(step - 1), buildOutcome({ ...before, ruleRet: step })] as const] : []),
      [mint(step), buildMintOpened({ openedAtMs: atMs, launchAtMs: atMs })],
      [mint(2), buildMintMinute({ minuteAtMs: noonMs + step * minuteMs, lastPx: step, fill: step / 100 })],
      [mint(step), buildGraduation({ gradAtMs: atMs, launchAtMs: atMs - step * minuteMs })],
      [mint(step - 1), buildPost({ gradAtMs: before.atMs, anchorAtMs: atMs, ret15: step / 10 - 1 })],
    ])
  }
  const movedAtMs = noonMs + 14_500
  await derived.tick(
    noonMs + 15_000,
    [
      [mint(14), buildWithdrawn({ atMs: noonMs + 14_000 })],
      [mint(14), buildRestated({ atMs: movedAtMs, supersedesAtMs: noonMs + 14_000 })],
      [mint(14), buildBurst({ atMs: movedAtMs })],
      [mint(13), buildWithdrawn({ recordType: 'Graduation', atMs: noonMs + 13_000 })],
    ],
    { revertedFrom: 140 },
  )
  await derived.tick(noonMs + 20_000)
}

describe('an answer of chain B at a cut', () => {
  const tables = chainBTablesOfTests()
  const answersAt = async (cut: StageCut): Promise<AnswerOfEachQuery> => {
    const { queries } = tables
    return {
      burstsLive: await queries.burstsLive(cut, { minutes: 240 }),
      latestBurst: await queries.latestBurst(cut),
      burstsHistory: await queries.burstsHistory(cut, { hours: 24 }),
      graduationsLive: await queries.graduationsLive(cut, { minutes: 240 }),
      graduationsHistory: await queries.graduationsHistory(cut, { hours: 48, limit: 2000 }),
      newCurves: await queries.newCurves(cut, { limit: 50 }),
      fullestCurves: await queries.fullestCurves(cut, { limit: 50 }),
      mintMinutes: await queries.mintMinutes(cut, { mint: mint(2), hours: 24 }),
      lastDay: await queries.lastDay(cut),
      gapCounts: await queries.gapCounts(cut),
      leaderList: await queries.leaderList(cut),
      copyStats: await queries.copyStats(cut, base58OfHex(wallet(1))),
      verdict: await queries.verdict(cut, mint(2)),
    }
  }

  it('is the same in batches of 1, 7 and 1000 ticks, and after a rebuild', async () => {
    const derived = await createChainBLog()
    await writeMarket(derived)
    await tables.project(derived, { tickCountMax: 1000, rowCountMax: 1000 })
    const cuts = [await tables.cutAt(noonMs + 9000), await tables.newestCut()]
    const expected = await Promise.all(cuts.map(answersAt))
    expect(expected.map(({ burstsLive }) => burstsLive.length)).to.deep.equal([10, 15])
    expect(expected.map(({ graduationsLive }) => graduationsLive.length)).to.deep.equal([10, 14])
    expect(expected.map(({ leaderList }) => leaderList?.leaders.length)).to.deep.equal([1, 1])
    expect(expected.map(({ copyStats }) => copyStats?.buys.length)).to.deep.equal([6, 6])
    expect(expected.map(({ verdict }) => verdict?.burst?.fillAt)).to.deep.equal([0.02, 0.02])
    for (const tickCountMax of [1, 7]) {
      await tables.empty()
      await tables.project(derived, { tickCountMax, rowCountMax: 1000 })
      expect(await Promise.all(cuts.map(answersAt)), `${tickCountMax}`).to.deep.equal(expected)
    }
    for (const table of chainBTableNames) await tables.writer.command(`TRUNCATE TABLE ${table}`)
    await tables.rebuild(derived)
    expect(await Promise.all(cuts.map(answersAt)), 'rebuilt').to.deep.equal(expected)
  })

  it('is what the schema of each route says, and that of the snapshot', async () => {
    const derived = await createChainBLog()
    await writeMarket(derived)
    await tables.project(derived)
    const presentation = {
      chainName: 'chainB',
      ruleIdSecret: 'a secret of the test',
      callerIdSecret: 'another secret of the test',
    }
    const { routes, snapshot } = createChainB({ queries: tables.queries, presentation })
    const cut = await tables.newestCut()
    for (const route of routes) {
      if (route.isPersonal) continue
      const { pattern, params, schema } = route
      const parsed = parseParams(params, { query: {}, path: { addr: base58OfHex(wallet(1)), mint: mint(2) } })
      if ('refusal' in parsed) expect.fail(parsed.refusal.error)
      const body = await route.answer(parsed.values, { atMs: cut.atMs, stages: { [chainBStage.name]: cut } })
      const rows = schema.parse(JSON.parse(JSON.stringify(body)))
      const least = pattern.endsWith('leaders') ? 0 : 5
      const told = rows.bursts ?? rows.grads ?? rows.wallets ?? rows.buys ?? rows.mint
      expect(told, pattern).to.have.length.above(least)
    }
    if (snapshot === null) expect.fail('chain B has no object in the snapshot')
    const part = await snapshot.answer({ minutes: 60 }, cut)
    expect(snapshot.schema.parse(JSON.parse(JSON.stringify(part))))
      .to.have.property('bursts')
      .with.length(15)
  })

  it('stays when later versions arrive', async () => {
    const derived = await createChainBLog()
    await writeMarket(derived)
    await tables.project(derived)
    const cut = await tables.newestCut()
    const before = await answersAt(cut)
    await derived.tick(noonMs + 30_000, [
      [mint(14), buildAnatomy({ atMs: noonMs + 14_500 })],
      [mint(14), buildOutcome({ atMs: noonMs + 14_500 })],
      [mint(2), buildRestated({ atMs: noonMs + 2000 })],
      [mint(2), buildBurst({ atMs: noonMs + 2000, fillAt: 0.99 })],
      [mint(3), buildWithdrawn({ recordType: 'BurstAnatomy', atMs: noonMs + 3000 })],
      [mint(4), buildWithdrawn({ recordType: 'BurstOutcome', atMs: noonMs + 4000 })],
      [mint(5), buildWithdrawn({ recordType: 'GraduationPost', atMs: noonMs + 5000 })],
      [mint(14), buildPost({ gradAtMs: noonMs + 14_000, ret1: 1 })],
      [mint(50), buildGraduation({ gradAtMs: noonMs + 30_000 })],
      [mint(50), buildBurst({ atMs: noonMs + 30_000 })],
      [mint(3), buildTradeGap()],
      [mint(1), buildCopyOpened({ atMs: noonMs + 20_000 })],
    ])
    await derived.tick(noonMs + hourMs + 1)
    await derived.tick(noonMs + hourMs + 2000)
    await tables.project(derived)
    expect(await answersAt(cut)).to.deep.equal(before)
    const after = await answersAt(await tables.newestCut())
    for (const name of Object.keys(before) as (keyof AnswerOfEachQuery)[])
      expect(after[name], name).to.not.deep.equal(before[name])
  })
})

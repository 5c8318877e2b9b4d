/** Tests which bursts of chain B the tables show, as the service knew them at different times. */
import { expect } from 'chai'
import { base58OfHex } from '../../../infra/base58.ts'
import { burstAtSignal } from '../../../projections/chain-b/queries/bursts.ts'
import {
  buildAnatomy,
  buildBurst,
  buildGraduation,
  buildOutcome,
  buildRestated,
  buildWithdrawn,
  createChainBLog,
  mint,
  wallet,
} from '../../projections/chain-b/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import { dayMs, hourMs, minuteMs } from '../projections-tables.ts'
import { chainBTablesOfTests } from './tables.ts'

describe('the bursts of chain B in the tables', () => {
  const tables = chainBTablesOfTests()
  const liveAt = async (atMs: number, minutes = 240) => tables.queries.burstsLive(await tables.cutAt(atMs), { minutes })

  it('are shown as they were known at each cut', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs + 100, [[mint(1), buildBurst()]])
    await derived.tick(noonMs + 5100, [[mint(1), buildAnatomy()]])
    const scoredAtMs = noonMs + 20 * minuteMs + 50
    await derived.tick(scoredAtMs, [[mint(1), buildOutcome()]])
    await derived.tick(noonMs + 40 * minuteMs)
    await tables.project(derived)
    const signal = {
      mint: mint(1),
      atMs: noonMs,
      slot: 77,
      slotHash: base58OfHex(wallet(0)),
      inflowLamports: '12345678901',
      inflowSol: 12.345678901,
      windowSec: 60,
      fillFrom: 0.25,
      fillAt: 0.4,
      launchAtMs: noonMs - 30 * minuteMs,
      tokenAgeMin: 30,
      virtualSol: 45.5,
      supersedesAtMs: null,
      knownAtMs: noonMs + 100,
      publishedAtMs: noonMs + 107,
      gaps: null,
    }
    const context = { topic: 'chain-b-derived', logKey: mint(1), supersedesAtMs: null }
    const { knownAtMs, publishedAtMs } = signal
    expect(burstAtSignal(buildBurst().data, context, { knownAtMs, publishedAtMs }), 'without the tables').to.deep.equal(
      { ...signal, anatomy: null, outcome: null, filled: { seconds: null, outcome: null } },
    )
    const anatomy = {
      buys: 9,
      buyers: 2,
      repeatBuyers: 0,
      sameSlotMax: 3,
      bundledShare: 0.6,
      sameSizeMax: 4,
      top3Share: 0.5,
      holdersTop10: 0.3,
      holderTop1: 0.125,
    }
    const outcome = {
      scoredAtMs,
      completedAtMs: null,
      peakRet: 1.5,
      gradRet: null,
      ret20m: 0.1 + 0.2,
      ruleRet: -0.175,
      isNonStandardCurve: false,
      exits: [
        { rule: 'live', ret: -0.175, why: 'burst_fade', sec: 61 },
        { rule: 'hold', ret: 0.25, why: 'held', sec: null },
      ],
    }
    const stamp = (atMs: number) => ({ knownAtMs: atMs, publishedAtMs: atMs + 7 })
    const early = { anatomy: null, outcome: null, filled: { seconds: null, outcome: null } }
    const seconds = stamp(noonMs + 5100)
    expect(await liveAt(noonMs + 5099)).to.deep.equal([{ ...signal, ...early }])
    const sampled = { ...signal, anatomy, outcome: null, filled: { seconds, outcome: null } }
    expect(await liveAt(noonMs + 5100)).to.deep.equal([sampled])
    expect(await liveAt(scoredAtMs - 1)).to.deep.equal([sampled])
    const filled = { seconds, outcome: stamp(scoredAtMs) }
    expect(await liveAt(scoredAtMs)).to.deep.equal([{ ...sampled, outcome, filled }])
  })

  it('keep what a lookup that failed does not know, and a graduation within the window', async () => {
    const derived = await createChainBLog()
    const completedAtMs = noonMs + 7.5 * minuteMs
    await derived.tick(completedAtMs, [
      [mint(1), buildBurst()],
      [mint(1), buildAnatomy({ holdersTop10: null, holderTop1: null, wallets: [] })],
      [mint(1), buildOutcome({ completedAtMs, gradRet: 2.25, ret20m: null, isNonStandardCurve: true })],
    ])
    await derived.tick(completedAtMs + 1)
    await tables.project(derived)
    const [burst] = await liveAt(completedAtMs)
    expect(burst?.anatomy).to.include({ holdersTop10: null, holderTop1: null, buyers: 0, repeatBuyers: 0 })
    expect(burst?.outcome).to.include({ completedAtMs, gradRet: 2.25, ret20m: null, isNonStandardCurve: true })
  })

  it('are listed newest first, ties by mint, inside the span that was asked for', async () => {
    const derived = await createChainBLog()
    const fire = (number: number, atMs: number) => [mint(number), buildBurst({ atMs })] as const
    await derived.tick(noonMs, [fire(3, noonMs), fire(1, noonMs), fire(2, noonMs)])
    await derived.tick(noonMs + 500, [fire(4, noonMs + 500)])
    await derived.tick(noonMs + hourMs, [[mint(2), buildOutcome()]])
    await derived.tick(noonMs + dayMs - 1)
    await derived.tick(noonMs + dayMs)
    await derived.tick(noonMs + dayMs + 500)
    await derived.tick(noonMs + dayMs + 501)
    await tables.project(derived)
    const { queries } = tables
    const ties = [mint(1), mint(2), mint(3)].sort()
    const mintsOf = (rows: readonly Readonly<{ mint: string }>[]) => rows.map((row) => row.mint)
    expect(mintsOf(await liveAt(noonMs + 500, 1))).to.deep.equal([mint(4), ...ties])
    const late = await tables.cutAt(noonMs + hourMs)
    expect(mintsOf(await queries.burstsLive(late, { minutes: 60 })), 'exactly an hour old').to.deep.equal([mint(4)])
    expect(mintsOf(await queries.burstsHistory(late, { hours: 24 })), 'scored alone').to.deep.equal([mint(2)])
    expect(await queries.burstsHistory(late, { hours: 1 }), 'exactly an hour old').to.deep.equal([])
    const quiet = await tables.cutAt(noonMs + dayMs - 1)
    expect((await queries.latestBurst(quiet))?.mint).to.equal(mint(4))
    expect(await queries.lastDay(quiet)).to.deep.equal({ bursts: 4, scored: 1, graduated: 0 })
    const nextDay = await tables.cutAt(noonMs + dayMs)
    expect(await queries.lastDay(nextDay), 'exactly a day old').to.deep.equal({ bursts: 1, scored: 0, graduated: 0 })
    expect(await queries.burstsHistory(nextDay, { hours: 24 })).to.deep.equal([])
    expect(await queries.latestBurst(await tables.cutAt(noonMs + dayMs + 500))).to.equal(null)
  })

  it('are counted as scored and graduated', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs, [
      [mint(1), buildBurst()],
      [mint(2), buildBurst()],
      [mint(3), buildBurst()],
    ])
    await derived.tick(noonMs + minuteMs, [
      [mint(1), buildOutcome({ completedAtMs: noonMs + 30_000, gradRet: 1, ret20m: null })],
      [mint(2), buildOutcome()],
    ])
    await derived.tick(noonMs + 2 * minuteMs)
    await tables.project(derived)
    const dayAt = async (atMs: number) => tables.queries.lastDay(await tables.cutAt(atMs))
    expect(await dayAt(noonMs)).to.deep.equal({ bursts: 3, scored: 0, graduated: 0 })
    expect(await dayAt(noonMs + minuteMs)).to.deep.equal({ bursts: 3, scored: 2, graduated: 1 })
  })

  it('leave every answer when a reorg withdraws them, and stay under their old cuts', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs + 1000, [
      [mint(1), buildBurst()],
      [mint(2), buildBurst({ atMs: noonMs + 500 })],
    ])
    await derived.tick(noonMs + 9000, [
      [mint(1), buildAnatomy()],
      [mint(1), buildOutcome()],
      [mint(2), buildAnatomy({ atMs: noonMs + 500 })],
    ])
    const movedAtMs = noonMs + 2000
    await derived.tick(
      noonMs + 11_000,
      [
        [mint(1), buildWithdrawn()],
        [mint(1), buildWithdrawn({ recordType: 'BurstAnatomy' })],
        [mint(1), buildWithdrawn({ recordType: 'BurstOutcome' })],
        [mint(1), buildWithdrawn({ recordType: 'MintOpened' })],
        [mint(1), buildRestated({ atMs: movedAtMs, supersedesAtMs: noonMs })],
        [mint(1), buildBurst({ atMs: movedAtMs, fillAt: 0.5 })],
        [mint(2), buildRestated({ recordType: 'BurstAnatomy', atMs: noonMs + 500 })],
        [mint(2), buildAnatomy({ atMs: noonMs + 500, wallets: [wallet(1), wallet(2), wallet(3)] })],
      ],
      { revertedFrom: 7 },
    )
    await derived.tick(noonMs + 17_000, [[mint(1), buildWithdrawn({ atMs: movedAtMs })]])
    await derived.tick(noonMs + 20_000, [
      [mint(1), buildRestated()],
      [mint(1), buildBurst({ fillAt: 0.55 })],
    ])
    await derived.tick(noonMs + 21_000)
    await tables.project(derived)
    const at = async (atMs: number) =>
      (await liveAt(atMs)).map(({ mint: name, atMs: firedAtMs, knownAtMs, ...row }) => [
        ...[name === mint(1) ? 1 : 2, firedAtMs - noonMs, row.fillAt, knownAtMs - noonMs],
        ...[row.supersedesAtMs && row.supersedesAtMs - noonMs, row.anatomy?.repeatBuyers, row.outcome !== null],
      ])
    expect(await at(noonMs + 10_999)).to.deep.equal([
      [2, 500, 0.4, 1000, null, 2, false],
      [1, 0, 0.4, 1000, null, 0, true],
    ])
    expect(await at(noonMs + 11_000)).to.deep.equal([
      [1, 2000, 0.5, 11_000, 0, undefined, false],
      [2, 500, 0.4, 1000, null, 0, false],
    ])
    expect(await at(noonMs + 17_000)).to.deep.equal([[2, 500, 0.4, 1000, null, 0, false]])
    expect(await at(noonMs + 20_000), 'the buyers of the other are asked for again').to.deep.equal([
      [2, 500, 0.4, 1000, null, null, false],
      [1, 0, 0.55, 20_000, null, undefined, false],
    ])
    expect(await tables.queries.lastDay(await tables.cutAt(noonMs + 17_000))).to.include({ bursts: 1, scored: 0 })
  })

  it('count as repeat buyers those of earlier bursts of 30 days whose anatomy was known within a minute', async () => {
    const derived = await createChainBLog()
    const w = (...numbers: number[]) => numbers.map(wallet)
    const startMs = noonMs - 40 * dayMs
    const windows = [
      // Burst 1 is exactly 30 days before burst 7. Burst 2 is 1 ms older than burst 1.
      { number: 1, atMs: noonMs - 30 * dayMs, wallets: w(1, 9), knownMs: 5000 },
      { number: 2, atMs: noonMs - 30 * dayMs - 1, wallets: w(2), knownMs: 5000 },
      { number: 3, atMs: noonMs - dayMs, wallets: w(3, 9), knownMs: 5000 },
      // Burst 4 is earlier than burst 7, but becomes known more than a minute later.
      { number: 4, atMs: noonMs - minuteMs, wallets: w(4), knownMs: 2 * minuteMs + 5001 },
      { number: 5, atMs: noonMs - minuteMs, wallets: w(5), knownMs: 2 * minuteMs + 5000 },
      // Bursts 6 and 7 are in the same slot, so neither is earlier.
      { number: 6, atMs: noonMs, wallets: w(6), knownMs: 5000 },
      { number: 7, atMs: noonMs, wallets: w(1, 2, 3, 4, 5, 6, 7), knownMs: 5000 },
      { number: 8, atMs: noonMs + 1000, wallets: w(7, 8), knownMs: 5000 },
    ]
    const records = windows.flatMap(({ number, atMs, wallets, knownMs }) => [
      { atMs, record: [mint(number), buildBurst({ atMs })] as const },
      { atMs: atMs + knownMs, record: [mint(number), buildAnatomy({ atMs, wallets })] as const },
    ])
    await derived.tick(startMs)
    for (const atMs of [...new Set(records.map((one) => one.atMs))].sort((left, right) => left - right))
      await derived.tick(
        atMs,
        records.filter((one) => one.atMs === atMs).map(({ record }) => record),
      )
    await derived.tick(noonMs + minuteMs + 10_000)
    await derived.tick(noonMs + minuteMs + 10_001)
    await tables.project(derived)
    const repeatsIn = async (atMs: number, minutes: number) =>
      Object.fromEntries(
        (await liveAt(atMs, minutes)).map((row) => [
          windows.find(({ number }) => mint(number) === row.mint)?.number,
          row.anatomy?.repeatBuyers,
        ]),
      )
    // Wallets 1, 3 and 5 repeat in burst 7. Burst 4 becomes known too late to count for burst 7 or burst 8.
    const expected = { 4: 0, 5: 0, 6: 0, 7: 3, 8: 1 }
    const lastMs = noonMs + minuteMs + 10_000
    expect(await repeatsIn(lastMs, 60)).to.deep.equal(expected)
    expect(await repeatsIn(lastMs, 2), 'asked about alone').to.deep.equal({ 6: 0, 7: 3, 8: 1 })
    expect(await repeatsIn(lastMs, 2 * 24 * 60), 'asked about together').to.deep.equal({ ...expected, 3: 1 })
    expect((await repeatsIn(noonMs + minuteMs + 5000, 60))[7], 'no earlier one is waited for any more').to.equal(3)
    expect((await repeatsIn(noonMs + minuteMs + 4999, 60))[7], 'an earlier one may still count').to.equal(null)
    expect((await repeatsIn(noonMs + 4999, 60))[7]).to.equal(undefined)
  })

  it('wait for the anatomies of a past that was read at a first start, but not of a mint that was forgotten', async () => {
    const derived = await createChainBLog()
    const [older, younger] = [noonMs - 9 * minuteMs, noonMs - 4 * minuteMs]
    const anatomy = (number: number, atMs: number) => [mint(number), buildAnatomy({ atMs })] as const
    await derived.tick(noonMs, [
      [mint(1), buildBurst({ atMs: older })],
      [mint(2), buildBurst({ atMs: younger })],
      [mint(3), buildBurst({ atMs: noonMs - 2 * hourMs })],
      [mint(3), buildGraduation({ gradAtMs: noonMs - 65 * minuteMs - 1, burst: null })],
    ])
    await derived.tick(noonMs + 2000, [anatomy(2, younger)])
    await derived.tick(noonMs + 5 * minuteMs, [anatomy(1, older)])
    await derived.tick(noonMs + 5 * minuteMs + 1)
    await tables.project(derived)
    const repeatsAt = async (atMs: number) => (await liveAt(atMs, 20)).map((row) => row.anatomy?.repeatBuyers)
    expect(await repeatsAt(noonMs + 2000)).to.deep.equal([null, undefined])
    expect(await repeatsAt(noonMs + 5 * minuteMs)).to.deep.equal([2, 0])
  })
})

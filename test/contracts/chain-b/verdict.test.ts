/** Tests the records about a mint in the tables, as the service knew them at different times. */
import { expect } from 'chai'
import { base58OfHex } from '../../../infra/base58.ts'
import {
  buildCall,
  buildChat,
  buildGrade,
  buildScored,
  unscored,
  withdrawnOnB,
} from '../../projections/calls/derived-log.ts'
import {
  buildAnatomy,
  buildBurst,
  buildDeskOpened,
  buildDeskShadow,
  buildDeskTrade,
  buildGraduation,
  buildOutcome,
  buildSafety,
  createChainBLog,
  type MintRecord,
  mint,
  wallet,
} from '../../projections/chain-b/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import { dayMs, hourMs, minuteMs } from '../projections-tables.ts'
import { chainBTablesOfTests } from './tables.ts'

const nothing = { safety: null, burst: null, grade: null, callersWin35: null, lastTrade: null, shadows: [] }

describe('what is known of a mint', () => {
  const tables = chainBTablesOfTests()
  const at = async (atMs: number, number = 1) => tables.queries.verdict(await tables.cutAt(atMs), mint(number))
  const of = (...records: readonly MintRecord[1][]): readonly MintRecord[] =>
    records.map((its) => [mint(1), its] as const)
  const callOf = (...posters: readonly string[]) => buildCall({ chats: [buildChat({ chat: '-1', posters })] })

  it('is nothing of a mint that nothing was recorded of, whatever it is called', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs, of(buildBurst()))
    await derived.tick(noonMs + 1000)
    await tables.project(derived)
    expect(await at(noonMs, 2)).to.equal(null)
    expect(await tables.queries.verdict(await tables.cutAt(noonMs), "' OR 1 = 1 --")).to.equal(null)
    expect(await at(noonMs)).to.deep.equal({
      ...{ ...nothing, mint: mint(1) },
      burst: { atMs: noonMs, inflowSol: 12.345678901, fillFrom: 0.25, fillAt: 0.4, anatomy: null },
    })
  })

  it('is the newest burst, with its anatomy once that is known, and nothing of its outcome', async () => {
    const derived = await createChainBLog()
    const nextMs = noonMs + hourMs
    await derived.tick(noonMs + 1000, of(buildBurst()))
    await derived.tick(noonMs + 5100, of(buildAnatomy({ holdersTop10: null })))
    await derived.tick(noonMs + 20 * minuteMs, of(buildOutcome()))
    await derived.tick(nextMs, of(buildBurst({ atMs: nextMs, fillAt: 0.5 })))
    await derived.tick(nextMs + 1000)
    await tables.project(derived)
    expect((await at(noonMs + 5099))?.burst).to.deep.include({ atMs: noonMs, anatomy: null })
    const known = (await at(noonMs + 5100))?.burst
    expect(known?.anatomy).to.deep.equal({ bundledShare: 0.6, holdersTop10: null })
    expect((await at(noonMs + 20 * minuteMs))?.burst, 'no look-ahead').to.deep.equal(known)
    expect((await at(nextMs))?.burst).to.deep.include({ atMs: nextMs, fillAt: 0.5, anatomy: null })
  })

  it('is the newest check, whose clock is ahead of the slots, and whether there was a pool by then', async () => {
    const derived = await createChainBLog()
    const checkedAtMs = noonMs + 2000
    const early = { blockAtMs: noonMs }
    await derived.tick(checkedAtMs, of(buildSafety({ checkedAtMs: noonMs - hourMs, score: 1 })), early)
    await derived.tick(checkedAtMs + 1000, of(buildSafety({ checkedAtMs, mintAuthority: wallet(3) })), early)
    await derived.tick(noonMs + hourMs, of(buildGraduation({ gradAtMs: noonMs + 2000 })))
    await derived.tick(noonMs + hourMs + 1000, of(withdrawnOnB('Safety', checkedAtMs, 'burst') as MintRecord[1]))
    await derived.tick(noonMs + hourMs + 2000)
    await tables.project(derived)
    expect((await at(checkedAtMs))?.safety).to.include({ score: 1, hasPool: false, mintAuthority: null })
    expect((await at(checkedAtMs + 1000))?.safety).to.deep.equal({
      ...{ mint: mint(1), checkedAtMs, provider: 'provider.example', score: 17, isRugged: false, hasPool: false },
      ...{ mintAuthority: base58OfHex(wallet(3)), freezeAuthority: null, lpLockedShare: 0.5, topHolderShare: null },
      ...{ fails: ['a', 'b'], reason: 'burst' },
    })
    expect((await at(noonMs + hourMs))?.safety, 'complete at that very instant').to.include({ hasPool: true })
    expect((await at(noonMs + hourMs + 1000))?.safety, 'withdrawn').to.include({ score: 1, hasPool: false })
  })

  it('is the newest check of all reasons, and two of one instant are two', async () => {
    const derived = await createChainBLog()
    const checkedAtMs = noonMs + 2000
    const check = (reason: 'burst' | 'call' | 'graduation', atMs: number, fields: object = {}) =>
      of(buildSafety({ reason, checkedAtMs: atMs, ...fields }))
    const early = { blockAtMs: noonMs }
    await derived.tick(checkedAtMs, check('burst', noonMs), early)
    await derived.tick(checkedAtMs + 1000, check('call', checkedAtMs, { hasPool: true, score: 2 }), early)
    await derived.tick(checkedAtMs + 2000, check('graduation', checkedAtMs, { hasPool: false, score: 3 }), early)
    const call = withdrawnOnB('Safety', checkedAtMs, 'call') as MintRecord[1]
    const graduation = withdrawnOnB('Safety', checkedAtMs, 'graduation') as MintRecord[1]
    await derived.tick(noonMs + hourMs, of(graduation))
    await derived.tick(noonMs + hourMs + 1000, of(call))
    await derived.tick(noonMs + hourMs + 2000)
    await tables.project(derived)
    const safetyAt = async (atMs: number) => (await at(atMs))?.safety
    expect(await safetyAt(checkedAtMs)).to.include({ reason: 'burst', hasPool: false })
    expect(await safetyAt(checkedAtMs + 1000), 'the provider sees a pool').to.include({ reason: 'call', hasPool: true })
    expect(await safetyAt(checkedAtMs + 2000)).to.include({ reason: 'graduation', score: 3, hasPool: false })
    expect(await safetyAt(noonMs + hourMs), 'that of the call stays').to.include({ reason: 'call', score: 2 })
    expect(await safetyAt(noonMs + hourMs + 1000)).to.include({ reason: 'burst', score: 17 })
  })

  it('withdraws a check by a mark of before there were reasons', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs + 1000, of(buildSafety({ checkedAtMs: noonMs })))
    await derived.tick(noonMs + 2000, of(withdrawnOnB('Safety', noonMs) as MintRecord[1]))
    await derived.tick(noonMs + 3000)
    await tables.project(derived)
    expect((await at(noonMs + 1000))?.safety).to.include({ checkedAtMs: noonMs })
    expect(await at(noonMs + 2000)).to.equal(null)
  })

  it('is the grade while its last card is of the last two days', async () => {
    const derived = await createChainBLog()
    const endMs = noonMs + 2 * dayMs
    await derived.tick(noonMs + 1000, of(buildGrade({ gradedSinceMs: noonMs - 3 * dayMs, score: 70 })))
    await derived.tick(endMs - 1)
    await derived.tick(endMs)
    await derived.tick(endMs + 1)
    await tables.project(derived)
    expect((await at(noonMs + 1000))?.grade).to.deep.include({
      token: mint(1),
      grade: 'B',
      score: 70,
      chain: 'chain-b',
    })
    expect((await at(endMs - 1))?.grade, 'a millisecond less').to.include({ score: 70 })
    expect(await at(endMs), 'two days').to.equal(null)
  })

  it('is how often those who called it win, shrunk toward all, from what is scored by then', async () => {
    const derived = await createChainBLog()
    const score = (post: number, poster: string, fields: Parameters<typeof buildScored>[0] = {}) =>
      [
        mint(50 + post),
        buildScored({ chat: '-1', post, poster, postedAtMs: noonMs - dayMs + post, ...fields }),
      ] as const
    await derived.tick(noonMs, [
      ...of(callOf('x', 'y', 'z')),
      // Caller x has two wins in three calls. One win is from a post that names four tokens, so it counts as
      // a quarter. Caller w did not call the mint, and has no win in two calls.
      score(1, 'x'),
      score(2, 'x', { isWin35: false }),
      score(3, 'x', { tokenCount: 4 }),
      score(4, 'w', { isWin35: false }),
      score(5, 'w', { isWin35: false, tokenCount: 3 }),
      // These two records do not count. The first is too old, and the other one has no score.
      score(6, 'x', { postedAtMs: noonMs - 7 * dayMs }),
      [mint(57), unscored('no_price', { chat: '-1', post: 7, poster: 'x', postedAtMs: noonMs - hourMs })],
    ])
    await derived.tick(noonMs + 1000, [score(8, 'y')])
    await derived.tick(noonMs + 2000)
    await tables.project(derived)
    // All callers together have 1.25 wins in 4.25 calls. x has 1.25 wins in 2.25 calls. y and z get the rate
    // of all callers, until y has a scored call.
    const rate = 1.25 / 4.25
    const before = ((1.25 + 10 * rate) / 12.25 + rate + rate) / 3
    expect((await at(noonMs))?.callersWin35).to.be.closeTo(before, 1e-12)
    const after = 2.25 / 5.25
    const expected = ((1.25 + 10 * after) / 12.25 + (1 + 10 * after) / 11 + after) / 3
    expect((await at(noonMs + 1000))?.callersWin35).to.be.closeTo(expected, 1e-12)
  })

  it('is no rate while nothing is scored, but the call is seen; for two days from its first post', async () => {
    const derived = await createChainBLog()
    const endMs = noonMs + 2 * dayMs
    await derived.tick(noonMs + 1000, of(callOf('x')))
    await derived.tick(endMs - 1)
    await derived.tick(endMs)
    await derived.tick(endMs + 1)
    await tables.project(derived)
    expect(await at(noonMs + 1000)).to.deep.equal({ ...nothing, mint: mint(1) })
    expect(await at(endMs - 1)).to.deep.equal({ ...nothing, mint: mint(1) })
    expect(await at(endMs)).to.equal(null)
  })

  it('is no trade before it was closed, and no shadow before its hour is over', async () => {
    const derived = await createChainBLog()
    const [openedAtMs, closedAtMs] = [noonMs + 3000, noonMs + 10 * minuteMs]
    await derived.tick(noonMs, of(buildBurst()))
    await derived.tick(openedAtMs, of(buildDeskOpened({ openedAtMs })))
    await derived.tick(closedAtMs, of(buildDeskTrade({ openedAtMs, closedAtMs, ret: -0.25 })))
    const overMs = noonMs + hourMs + 3001
    await derived.tick(overMs, of(buildDeskShadow({ mae: -0.5 })))
    await derived.tick(overMs + 1000, of(buildDeskShadow({ signalAtMs: noonMs - 1, signal: 'call' })))
    await derived.tick(overMs + 2000)
    await tables.project(derived)
    expect(await at(closedAtMs - 1)).to.deep.include({ lastTrade: null, shadows: [] })
    expect((await at(closedAtMs))?.lastTrade).to.include({ book: 'main', ret: -0.25, exit: 'stop', closedAtMs })
    expect((await at(overMs - 1))?.shadows).to.deep.equal([])
    expect((await at(overMs))?.shadows.map(({ mae }) => mae)).to.deep.equal([-0.5])
    expect(
      (await at(overMs + 1000))?.shadows.map(({ signal }) => signal),
      'oldest first',
    ).to.deep.equal(['call', 'burst'])
  })

  it('may be asked for wherever there is something, and only there', async () => {
    const derived = await createChainBLog()
    const endMs = noonMs + 2 * dayMs
    const records = [
      buildBurst(),
      buildSafety({ checkedAtMs: noonMs }),
      callOf('x'),
      buildGrade(),
      buildDeskShadow({ signalAtMs: noonMs }),
    ]
    await derived.tick(
      noonMs,
      records.map((record, index) => [mint(index + 1), record] as const),
    )
    await derived.tick(endMs - 1)
    await derived.tick(endMs)
    await derived.tick(endMs + 1)
    await tables.project(derived)
    const { queries } = tables
    for (const [atMs, isHeld] of [
      [noonMs, true],
      [endMs - 1, true],
      [endMs, false],
    ] as const) {
      const cut = await tables.cutAt(atMs)
      for (const [index, { type }] of records.entries()) {
        expect(await queries.tracked.mints.mayHold(mint(index + 1), cut), `${type} ${atMs - noonMs}`).to.equal(isHeld)
        expect((await queries.verdict(cut, mint(index + 1))) !== null, `${type} ${atMs - noonMs}`).to.equal(isHeld)
      }
      expect(await queries.tracked.mints.mayHold(mint(9), cut)).to.equal(false)
    }
  })
})

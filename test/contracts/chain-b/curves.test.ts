/** Tests the curves of the front page and the minutes of a mint in the tables. */
import { expect } from 'chai'
import {
  buildMintMinute,
  buildMintOpened,
  buildTradeGap,
  buildWithdrawn,
  createChainBLog,
  mint,
} from '../../projections/chain-b/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import { dayMs, hourMs, minuteMs } from '../projections-tables.ts'
import { chainBTablesOfTests } from './tables.ts'

describe('the curves of chain B in the tables', () => {
  const tables = chainBTablesOfTests()
  const newAt = async (atMs: number, limit = 50) => tables.queries.newCurves(await tables.cutAt(atMs), { limit })
  const fullestAt = async (atMs: number, limit = 50) =>
    tables.queries.fullestCurves(await tables.cutAt(atMs), { limit })
  const minutesAt = async (atMs: number, hours = 24) =>
    tables.queries.mintMinutes(await tables.cutAt(atMs), { mint: mint(1), hours })
  const mintsOf = (rows: readonly Readonly<{ mint: string }>[]) => rows.map((row) => row.mint)

  it('are new for an hour, with their trades of that hour', async () => {
    const derived = await createChainBLog()
    const open = (number: number, launchAtMs: number | null) =>
      [mint(number), buildMintOpened({ openedAtMs: noonMs, launchAtMs, symbol: `S${number}` })] as const
    await derived.tick(noonMs, [
      open(1, noonMs),
      open(2, noonMs - 1000),
      open(3, noonMs),
      open(4, null),
      open(5, noonMs - hourMs),
    ])
    await derived.tick(noonMs + minuteMs, [
      [mint(1), buildMintMinute({ minuteAtMs: noonMs, fill: 0.25, buys: 3, sells: 1 })],
      [mint(1), buildMintMinute({ minuteAtMs: noonMs + minuteMs, fill: 0.5, buys: 2, sells: 2 })],
    ])
    await derived.tick(noonMs + hourMs - 1)
    await derived.tick(noonMs + hourMs)
    await tables.project(derived)
    const ties = [mint(1), mint(3)].sort()
    expect(mintsOf(await newAt(noonMs)), 'the newest first, ties by mint').to.deep.equal([...ties, mint(2)])
    expect(mintsOf(await newAt(noonMs, 1))).to.deep.equal(ties.slice(0, 1))
    expect(mintsOf(await newAt(noonMs + hourMs - 1)), 'exactly an hour ago').to.deep.equal(ties)
    expect(mintsOf(await newAt(noonMs + hourMs))).to.deep.equal([])
    const rowAt = async (atMs: number) => (await newAt(atMs)).find((row) => row.mint === mint(1))
    const launch = { mint: mint(1), name: 'Test', symbol: 'S1', launchAtMs: noonMs, gaps: null }
    expect(await rowAt(noonMs)).to.deep.equal({ ...launch, last: null, buys60m: 0, sells60m: 0 })
    expect(await rowAt(noonMs + minuteMs)).to.deep.equal({
      ...{ ...launch, last: { minuteAtMs: noonMs + minuteMs, fill: 0.5 }, buys60m: 5, sells60m: 3 },
    })
  })

  it('are near graduation by their newest fill, if it is on the curve and from the last hour', async () => {
    const derived = await createChainBLog()
    const minute = (number: number, fill: number | null, minuteAtMs = noonMs) =>
      [mint(number), buildMintMinute({ minuteAtMs, fill })] as const
    await derived.tick(noonMs, [[mint(1), buildMintOpened()]])
    await derived.tick(noonMs + minuteMs, [
      minute(1, 0.5),
      minute(2, 0.9),
      minute(3, 1),
      minute(4, 0.99),
      minute(5, 0.9),
    ])
    await derived.tick(noonMs + 2 * minuteMs, [minute(4, null, noonMs + minuteMs), minute(1, 0.4, noonMs + minuteMs)])
    await derived.tick(noonMs + hourMs - 1)
    await derived.tick(noonMs + hourMs)
    await tables.project(derived)
    const full = [mint(2), mint(5)].sort()
    expect(mintsOf(await fullestAt(noonMs + minuteMs))).to.deep.equal([mint(4), ...full, mint(1)])
    const [first, , last] = await fullestAt(noonMs + 2 * minuteMs)
    expect(mintsOf([first!, last!])).to.deep.equal([full[0], mint(1)])
    expect(last).to.deep.include({ name: 'Test', symbol: 'TEST', last: { minuteAtMs: noonMs + minuteMs, fill: 0.4 } })
    expect(first, 'its launch is not in the tables').to.deep.include({ name: null, symbol: null, launchAtMs: null })
    expect(mintsOf(await fullestAt(noonMs + 2 * minuteMs, 1))).to.deep.equal([full[0]])
    expect(mintsOf(await fullestAt(noonMs + hourMs - 1))).to.deep.equal([...full, mint(1)])
    expect(mintsOf(await fullestAt(noonMs + hourMs))).to.deep.equal([mint(1)])
  })

  it('have minutes, oldest first, as they were known at each cut, without those that a reorg withdrew', async () => {
    const derived = await createChainBLog()
    expect(await tables.newestCutOrNull()).to.equal(null)
    await derived.tick(noonMs, [[mint(2), buildMintOpened()]])
    await derived.tick(noonMs + 2 * minuteMs, [
      [mint(1), buildMintMinute({ minuteAtMs: noonMs + minuteMs, lastPx: 2, fill: null })],
      [mint(1), buildMintMinute({ minuteAtMs: noonMs, lastPx: 1, fill: 0.5 })],
    ])
    const key = { recordType: 'MintMinute', atMs: noonMs + minuteMs }
    await derived.tick(noonMs + 3 * minuteMs, [[mint(1), buildWithdrawn(key)]], { revertedFrom: 20 })
    await derived.tick(noonMs + dayMs - 1)
    await derived.tick(noonMs + dayMs)
    await tables.project(derived)
    expect(await minutesAt(noonMs), 'nothing is known of the mint').to.equal(null)
    const unknown = { mint: mint(1), name: null, symbol: null, launchAtMs: null, gaps: null }
    const first = { minuteAtMs: noonMs, lastPx: 1, fill: 0.5 }
    const second = { minuteAtMs: noonMs + minuteMs, lastPx: 2, fill: null }
    expect(await minutesAt(noonMs + 2 * minuteMs)).to.deep.equal({ ...unknown, minutes: [first, second] })
    expect(await minutesAt(noonMs + 3 * minuteMs)).to.deep.equal({ ...unknown, minutes: [first] })
    expect((await minutesAt(noonMs + dayMs - 1))?.minutes).to.deep.equal([first])
    expect(await minutesAt(noonMs + dayMs), 'exactly a day ago').to.equal(null)
    expect(await minutesAt(noonMs + 3 * minuteMs, 0.01)).to.equal(null)
  })

  it('show missing trades in their time', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs, [
      [mint(1), buildMintOpened()],
      [mint(1), buildMintMinute({ minuteAtMs: noonMs - minuteMs, fill: 0.5 })],
      [mint(1), buildTradeGap()],
    ])
    await derived.tick(noonMs + 2 * hourMs, [
      [mint(1), buildMintMinute({ minuteAtMs: noonMs + 2 * hourMs, fill: 0.5 })],
    ])
    await tables.project(derived)
    const gaps = { trades: null, volume: 1.5, knownAtMs: noonMs }
    expect((await newAt(noonMs))[0]?.gaps).to.deep.equal(gaps)
    expect((await fullestAt(noonMs))[0]?.gaps).to.deep.equal(gaps)
    expect((await fullestAt(noonMs + 2 * hourMs))[0]?.gaps).to.equal(null)
    expect((await minutesAt(noonMs + 2 * hourMs))?.gaps).to.deep.equal(gaps)
    expect((await minutesAt(noonMs + 2 * hourMs, 1))?.gaps).to.equal(null)
  })

  it('keep what the newest opening of a mint said', async () => {
    const derived = await createChainBLog()
    await derived.tick(noonMs, [[mint(1), buildMintOpened({ name: 'Old' })]])
    await derived.tick(noonMs + 1000, [[mint(1), buildMintOpened({ openedAtMs: noonMs + 1000, name: 'New' })]])
    await tables.project(derived)
    expect((await minutesAt(noonMs))?.name).to.equal('Old')
    expect((await minutesAt(noonMs + 1000))?.name).to.equal('New')
  })
})

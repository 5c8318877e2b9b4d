/**
 * Tests the filter that tells whether the tables may have data about an identifier, at different data times
 * (cuts).
 */
import { expect } from 'chai'
import { createChainATracked } from '../../projections/chain-a/queries/tracked.ts'
import { launchCurves } from '../../projections/chain-a/tables/launch-curves.ts'
import type { StageCut } from '../../projections/cuts.ts'
import { projections } from '../../projections/projections.ts'
import { rebuildProjections } from '../../projections/sink/rebuild.ts'
import { createTracked, identifiersIn } from '../../projections/tracked.ts'
import {
  address,
  buildCurve,
  buildPoolOpened,
  buildProfile,
  buildWithdrawn,
  createDerivedLog,
  noonMs,
  poolId,
} from '../projections/derived-log.ts'
import { createRandomMarket, randomPoolCount } from '../projections/random-market.ts'
import { dayMs, hourMs, logger, minuteMs, type Tables } from './projections-tables.ts'

export function trackedAnswers(tables: Tables): void {
  /**
   * Returns the filter over a reader that counts its queries. The reader fails its queries while `isDown` is
   * true.
   */
  const createAsked = () => {
    const state = { count: 0, isDown: false }
    const query: Tables['reader']['query'] = (sql, parameters) => {
      state.count += 1
      return state.isDown ? Promise.reject(new RangeError('down')) : tables.reader.query(sql, parameters)
    }
    return { state, tracked: createChainATracked({ ...tables.reader, query }) }
  }

  it('denies nothing that a query finds, at any cut of a market with reorgs', async () => {
    const { tracked } = createAsked()
    const derived = await createDerivedLog()
    const market = createRandomMarket(3)
    const found: string[] = []
    const denied: string[] = []
    const judge = async (name: string, isFound: boolean, mayHold: Promise<boolean>) => {
      if (isFound) found.push(name)
      if (isFound && !(await mayHold)) denied.push(name)
    }
    for (let turn = 0; turn < 4; turn++) {
      for (let count = 0; count < 40; count++) {
        const { atMs, records, fields } = market()
        await derived.tick(atMs, records, fields)
      }
      await tables.project(derived)
      const cut = await tables.newestCut()
      for (let number = 1; number <= randomPoolCount; number++) {
        const [pool, token] = [poolId(number), address(number)]
        const { poolFlow, rugCheck } = tables.queries
        await judge(`pool ${number}`, (await poolFlow(cut, pool)) !== null, tracked.pools.mayHold(pool, cut))
        await judge(`token ${number}`, (await rugCheck(cut, token)) !== null, tracked.tokens.mayHold(token, cut))
      }
    }
    expect(denied).to.deep.equal([])
    expect(found.filter((name) => name.startsWith('pool'))).to.have.length.above(8)
    expect(found.filter((name) => name.startsWith('token'))).to.have.length.above(8)
  })

  it('denies what is older than can be shown, and what is named nowhere, without a query once the cut is reached', async () => {
    const derived = await createDerivedLog()
    await derived.tick(noonMs, [
      [address(1), buildPoolOpened({ pool: poolId(1), createdAtMs: noonMs - 23 * hourMs })],
      [address(2), buildPoolOpened({ pool: poolId(2), createdAtMs: noonMs - 25 * hourMs })],
      [address(3), buildProfile({ pool: poolId(3) })],
      [address(4), buildCurve({ readAtMs: noonMs - 6 * dayMs })],
      [address(5), buildCurve({ curve: address(0xc5), readAtMs: noonMs - 8 * dayMs })],
      [address(6), buildPoolOpened({ pool: poolId(6), createdAtMs: noonMs })],
    ])
    await derived.tick(noonMs + 1000, [
      [address(6), buildWithdrawn({ recordType: 'PoolOpened', pool: poolId(6), atMs: noonMs, tier: null })],
      [address(7), buildPoolOpened({ pool: poolId(7) })],
    ])
    await derived.tick(noonMs + 3000)
    await tables.project(derived)
    const { state, tracked } = createAsked()
    const early = await tables.cutAt(noonMs)
    const late = await tables.cutAt(noonMs + 1000)
    const held = async (cut: StageCut) => {
      const [pools, tokens]: number[][] = [[], []]
      for (let number = 1; number <= 9; number++) {
        if (await tracked.pools.mayHold(poolId(number), cut)) pools?.push(number)
        if (await tracked.tokens.mayHold(address(number), cut)) tokens?.push(number)
      }
      return { pools, tokens }
    }
    expect(await held(early)).to.deep.equal({ pools: [1, 6], tokens: [1, 3, 4, 6] })
    const asked = state.count
    await held(early)
    expect(state.count).to.equal(asked)
    // Pool 6 is withdrawn, but the filter does not deny it. The query leaves out withdrawn rows.
    expect(await held(late)).to.deep.equal({ pools: [1, 6, 7], tokens: [1, 3, 4, 6, 7] })
    const reached = state.count
    expect(await held(early), 'at the older cut').to.deep.equal({ pools: [1, 6, 7], tokens: [1, 3, 4, 6, 7] })
    expect(state.count).to.equal(reached)
  })

  it('says neither yes nor no while it cannot be filled, and asks for nothing that it holds', async () => {
    const derived = await createDerivedLog()
    await derived.tick(noonMs, [[address(1), buildPoolOpened({ pool: poolId(1) })]])
    await derived.tick(noonMs + 3000, [[address(3), buildPoolOpened({ pool: poolId(3) })]])
    await derived.tick(noonMs + 5000)
    await tables.project(derived)
    const { state, tracked } = createAsked()
    const cut = await tables.cutAt(noonMs)
    const failure = async (asked: Promise<boolean>) => (await asked.catch((error) => error)).message
    state.isDown = true
    expect(await failure(tracked.pools.mayHold(poolId(1), cut))).to.equal('down')
    state.isDown = false
    expect(await tracked.pools.mayHold(poolId(1), cut)).to.equal(true)
    state.isDown = true
    const next = await tables.cutAt(noonMs + 3000)
    expect(await tracked.pools.mayHold(poolId(1), next)).to.equal(true)
    expect(await failure(tracked.pools.mayHold(poolId(2), next))).to.equal('down')
    state.isDown = false
    expect(await tracked.pools.mayHold(poolId(2), next)).to.equal(false)
  })

  it('extends once for all that ask at a new cut', async () => {
    const derived = await createDerivedLog()
    await derived.tick(noonMs)
    await derived.tick(noonMs + 3000)
    await tables.project(derived)
    const { state, tracked } = createAsked()
    const cut = await tables.cutAt(noonMs)
    const denied = await Promise.all(
      Array.from({ length: 50 }, (_, index) => tracked.tokens.mayHold(address(index), cut)),
    )
    expect(denied).to.not.include(true)
    expect(state.count, 'the identity of the tables, and the names').to.equal(2)
  })

  const forEver = () => createTracked(tables.reader, [identifiersIn(launchCurves, 'token', null)])

  it('is made anew a minute after the tables were exchanged, at the latest', async () => {
    const { tracked } = createAsked()
    const curves = forEver()
    const old = await createDerivedLog()
    await old.tick(noonMs, [[address(1), buildCurve()]])
    await old.tick(noonMs + 3000)
    await tables.project(old)
    const cut = await tables.cutAt(noonMs)
    expect(await tracked.tokens.mayHold(address(2), cut)).to.equal(false)
    expect(await curves.mayHold(address(1), cut)).to.equal(true)

    const other = await createDerivedLog()
    await other.tick(noonMs, [[address(2), buildCurve()]])
    await other.tick(noonMs + minuteMs)
    const { signal } = new AbortController()
    await rebuildProjections({ projections, ...other, logger, signal, database: tables.options })
    const rebuilt = await tables.cutAt(noonMs + minuteMs)
    expect(await tracked.tokens.mayHold(address(2), rebuilt)).to.equal(true)
    // Asks for an unknown identifier first. Only a denial reads the identity of the tables, and so notices
    // that they were exchanged.
    expect(await curves.mayHold(address(9), rebuilt)).to.equal(false)
    expect(await curves.mayHold(address(1), rebuilt)).to.equal(false)
  })

  it('is made anew once a day, without what has left the tables', async () => {
    const curves = forEver()
    const derived = await createDerivedLog()
    await derived.tick(noonMs, [[address(1), buildCurve()]])
    await derived.tick(noonMs + 23 * hourMs)
    await derived.tick(noonMs + 25 * hourMs)
    await derived.tick(noonMs + 26 * hourMs)
    await tables.project(derived)
    const held = async (atMs: number) => {
      const cut = await tables.cutAt(atMs)
      await curves.mayHold(address(9), cut)
      return curves.mayHold(address(1), cut)
    }
    expect(await held(noonMs)).to.equal(true)
    await tables.writer.command('TRUNCATE TABLE launch_curves')
    expect(await held(noonMs + 23 * hourMs)).to.equal(true)
    expect(await held(noonMs + 25 * hourMs)).to.equal(false)
  })
}

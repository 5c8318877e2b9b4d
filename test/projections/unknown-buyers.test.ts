/** If the buyers of a burst are unknown, an answer has null and never a number. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { createChainAQueries } from '../../projections/chain-a/queries/chain-a.ts'
import { createChainBQueries } from '../../projections/chain-b/queries/chain-b.ts'
import { createCuts } from '../../projections/cuts.ts'
import { tablesOf } from '../../projections/projection.ts'
import { projections } from '../../projections/projections.ts'
import { projectToEnd } from '../../projections/sink/run.ts'
import { watermarkTable } from '../../projections/watermarks.ts'
import type { Tier } from '../../schemas/chain-a/derived.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import type { Stage } from '../../schemas/stage.ts'
import { silentLogger } from '../replay/stage-log.ts'
import * as chainB from './chain-b/derived-log.ts'
import { address, buildBurst, buildBuyers, buildWithdrawn, createDerivedLog, noonMs, poolId } from './derived-log.ts'

const secMs = 1000

describe('the buyers of bursts', () => {
  let dataDir: string
  let database: Database

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    database = await createDatabase({ dataDir, role: 'writer' })
  })
  after(async () => {
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const project = async ({ log, registry }: Pick<chainB.ChainBLog, 'log' | 'registry'>) => {
    for (const table of [...tablesOf(projections).map(({ name }) => name), watermarkTable])
      await database.command(`TRUNCATE TABLE IF EXISTS ${table}`)
    const { signal } = new AbortController()
    await projectToEnd({ projections, log, registry, database, logger: silentLogger, signal })
  }
  const cutAt = async (atMs: number, stage: Stage) =>
    (await createCuts({ database }).at(atMs, [stage]))?.stages[stage.name] ?? expect.fail('there is no cut')

  describe('of chain A', () => {
    const [one, two] = [address(101), address(102)]

    /**
     * A burst at noon, and the wallets that the lookup of its buyers found. With `wallets` undefined, the
     * lookup has not answered.
     */
    type Found = Readonly<{ tier?: Tier; wallets?: readonly `0x${string}`[] | null; isWithdrawn?: true }>

    /**
     * Returns the row of the burst at one minute after noon. In another burst, both wallets bought half a
     * minute after noon.
     */
    const rowOf = async ({ tier = 'main', wallets, isWithdrawn }: Found) => {
      const derived = await createDerivedLog()
      const [key, other] = [
        { pool: poolId(1), tier, atMs: noonMs },
        { pool: poolId(2), tier: 'main', atMs: noonMs + 30 * secMs },
      ] as const
      const burst = [address(1), buildBurst(key)] as const
      const buyers = wallets === undefined ? [] : [[address(1), buildBuyers({ ...key, wallets })] as const]
      await derived.tick(noonMs + secMs, [burst])
      await derived.tick(noonMs + 6 * secMs, buyers)
      const withdrawn = [address(1), buildWithdrawn({ recordType: 'BurstBuyers', ...key })] as const
      if (isWithdrawn) await derived.tick(noonMs + 8 * secMs, [withdrawn])
      await derived.tick(noonMs + 31 * secMs, [
        [address(2), buildBurst(other)],
        [address(2), buildBuyers({ ...other, wallets: [one, two] })],
      ])
      await derived.tick(noonMs + 60 * secMs)
      await derived.tick(noonMs + 61 * secMs)
      await project(derived)
      const cut = await cutAt(noonMs + 60 * secMs, chainAStage)
      const rows = await createChainAQueries({ database }).burstsLive(cut, { tier: 'all', lp: 'all', minutes: 60 })
      expect(rows).to.have.length(2)
      const row = rows.find(({ pool }) => pool === key.pool) ?? expect.fail('the burst is missing')
      return { buyers: row.buyers, repeatBuyers: row.repeatBuyers, knownAtMs: row.filled.seconds?.knownAtMs ?? null }
    }
    const unknown = { buyers: null, repeatBuyers: null, knownAtMs: null }

    for (const [says, found, expected] of [
      ['are counted once the lookup has answered', { wallets: [one, two, one] }, { buyers: 2, repeatBuyers: 0 }],
      ['are none when the lookup found none', { wallets: [] }, { buyers: 0, repeatBuyers: 0 }],
    ] as const)
      it(says, async () => {
        expect(await rowOf(found)).to.deep.equal({ ...expected, knownAtMs: noonMs + 6 * secMs })
      })

    for (const [says, found] of [
      ['before the lookup has answered', {}],
      ['when the lookup failed', { wallets: null }],
      ['when a reorg withdrew what the lookup had found', { wallets: [one, two], isWithdrawn: true }],
      ['in a tier whose buyers are counted and not shown', { tier: 'refire', wallets: [one, two] }],
      ['in a tier whose buyers are not looked up', { tier: 'lite' }],
    ] as const)
      it(`are unknown ${says}`, async () => expect(await rowOf(found)).to.deep.equal(unknown))
  })

  describe('of chain B', () => {
    /**
     * An anatomy describes a burst and names its buyers.
     *     burst 1  fires .......... anatomy at 7 s
     *     burst 2     fires ...... anatomy at 5 s
     *     burst 3        fires, without an anatomy
     */
    it('are unknown until the anatomy is known, and the repeat buyers until those of the burst before are', async () => {
      const [first, second, third] = [noonMs, noonMs + secMs, noonMs + 2 * secMs]
      const { createChainBLog, buildBurst, buildAnatomy, mint, wallet } = chainB
      const derived = await createChainBLog()
      await derived.tick(noonMs + 3 * secMs, [
        [mint(1), buildBurst({ atMs: first })],
        [mint(2), buildBurst({ atMs: second })],
        [mint(3), buildBurst({ atMs: third })],
      ])
      await derived.tick(noonMs + 5 * secMs, [
        [mint(2), buildAnatomy({ atMs: second, wallets: [wallet(1), wallet(2), wallet(3)] })],
      ])
      await derived.tick(noonMs + 7 * secMs, [
        [mint(1), buildAnatomy({ atMs: first, wallets: [wallet(1), wallet(2)] })],
      ])
      await derived.tick(noonMs + 8 * secMs)
      await project(derived)
      const rowsAt = async (atMs: number) => {
        const cut = await cutAt(atMs, chainBStage)
        const rows = await createChainBQueries({ database }).burstsLive(cut, { minutes: 60 })
        return rows.map(({ anatomy, filled }) => [
          anatomy && [anatomy.buyers, anatomy.repeatBuyers],
          filled.seconds?.knownAtMs ?? null,
        ])
      }
      const unknown = [null, null]
      expect(await rowsAt(noonMs + 5 * secMs - 1)).to.deep.equal([unknown, unknown, unknown])
      expect(await rowsAt(noonMs + 5 * secMs)).to.deep.equal([unknown, [[3, null], noonMs + 5 * secMs], unknown])
      expect(await rowsAt(noonMs + 7 * secMs)).to.deep.equal([
        unknown,
        [[3, 2], noonMs + 5 * secMs],
        [[2, 0], noonMs + 7 * secMs],
      ])
    })
  })
})

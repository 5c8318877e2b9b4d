/**
 * Projects the real stage on a chain with reorgs. A correction is a change that a reorg made to a published
 * row. The corrections in the tables must equal those computed from the log, field by field.
 */
import { expect } from 'chai'
import type { Database } from '../../infra/clickhouse/database.ts'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { chainA } from '../../processors/stages.ts'
import { chainAProjection } from '../../projections/chain-a/projection.ts'
import { createChainACorrections } from '../../projections/chain-a/queries/corrected.ts'
import type { Correction } from '../../projections/corrections.ts'
import { tablesOf } from '../../projections/projection.ts'
import { projections } from '../../projections/projections.ts'
import { camelCase } from '../../projections/select.ts'
import { migrate, readMigrations } from '../../projections/sink/migrate.ts'
import { projectToEnd } from '../../projections/sink/run.ts'
import { watermarkTable } from '../../projections/watermarks.ts'
import { lastSeqOf } from '../replay/keyed-record.ts'
import { reorgedMarket } from '../replay/reorgs/reorged-market.ts'
import type { ReorgPlan } from '../replay/reorgs/with-reorgs.ts'
import { appendFacts, openStage, runUntil, silentLogger } from '../replay/stage-log.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import { correctedIn, type MarkedRow } from './corrected-of.ts'
import { address, buildLp, buildRestated, createDerivedLog, type DerivedLog, noonMs, poolId } from './derived-log.ts'

const partition = 0
const all = { afterMs: 0, toMs: Date.UTC(2100, 0, 1) }

/**
 * Three reorgs at each of nine places. The first moves facts by three blocks. The second mines the facts
 * again with other hashes. The third drops them.
 */
const plans: readonly ReorgPlan[] = [100, 200, 300, 400, 500, 600, 700, 800, 900].flatMap((ofTicks) =>
  [{ laterBy: 3 }, 'same' as const, 'dropped' as const].map((fate) => ({
    ...{ ofTicks, depth: 400, shortBy: 0, fates: [fate], isRehashed: true },
  })),
)

const hidden: ReadonlySet<string> = new Set(['chats', 'chat', 'chatName', 'poster', 'post'])
const columnsOf = new Map<string, ReadonlySet<string>>()

/** The field names that the table of this record type shows. */
function fieldsOf(recordType: string): ReadonlySet<string> {
  const row = chainAProjection.withdrawnRow({ recordType, pool: '0x', tier: 'main', atMs: 0, name: ':0' }, '')
  return new Set(Object.keys(row?.table.columns ?? {}).map(camelCase))
}

const plain = (value: unknown): unknown => (typeof value === 'bigint' ? String(value) : (value ?? null))

/** Returns the changed fields that corrections report, with the values before and after. Leaves out lists and objects. */
function changesOf({ recordType, before, after, isWithdrawn }: MarkedRow): Readonly<Record<string, unknown>> {
  const told = columnsOf.get(recordType) ?? fieldsOf(recordType)
  columnsOf.set(recordType, told)
  const [former, latter] = [before ?? {}, isWithdrawn ? {} : (after ?? {})] as Record<string, unknown>[]
  const changes: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(former ?? {}), ...Object.keys(latter ?? {})])) {
    const [from, to] = [plain(former?.[name]), plain(latter?.[name])]
    const isOneValue = typeof (from ?? to) !== 'object'
    if (told.has(name) && !hidden.has(name) && isOneValue && from !== to) changes[name] = [from, to]
  }
  return changes
}

const nameOf = (
  row: Pick<Correction, 'recordType' | 'token' | 'atMs' | 'movedFromAtMs' | 'isWithdrawn' | 'knownAtMs'>,
) => [row.knownAtMs, row.recordType, row.token, row.atMs, row.movedFromAtMs, row.isWithdrawn].join(' ')

describe('corrections', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  const project = async ({ log, registry }: Pick<DerivedLog, 'log' | 'registry'>) => {
    for (const name of [...tablesOf(projections).map((table) => table.name), watermarkTable])
      await database.command(`TRUNCATE TABLE ${name}`)
    const options = { projections, log, registry, database, logger: silentLogger }
    await projectToEnd({ ...options, signal: new AbortController().signal })
    return createChainACorrections(database).knownIn(all, 100_000)
  }

  describe('of a chain with reorgs', () => {
    let expected: readonly MarkedRow[]
    let told: readonly Correction[]

    before(async () => {
      const records = reorgedMarket(1, plans)
      const registry = createMemoryRegistry()
      const open = await openStage(chainA, registry)
      const log = createHoledLog({ nowMs: () => 0 })
      await appendFacts({ ...open, log, partition }, records)
      await runUntil({ ...open, partition }, lastSeqOf(records), { log })
      told = await project({ log, registry })
      expected = await correctedIn({ log, codec: open.derivedCodec, stage: chainA.stage, partition })
    })

    it('are each told once, in the order of the log, and none besides', () => {
      const names = expected.map(nameOf)
      expect(told.map(nameOf).filter((name) => !names.includes(name))).to.deep.equal([])
      const visible = expected.filter(
        (row) =>
          (row.isWithdrawn || row.movedFromAtMs !== null || Object.keys(changesOf(row)).length > 0) &&
          fieldsOf(row.recordType).size > 0 &&
          row.recordType !== 'TradeGap',
      )
      const toldNames = told.map(nameOf)
      expect(visible.map(nameOf).filter((name) => !toldNames.includes(name))).to.deep.equal([])
      expect(told.map(({ knownAtMs }) => knownAtMs)).to.deep.equal(
        told.map(({ knownAtMs }) => knownAtMs).sort((left, right) => left - right),
      )
      const kinds = new Set(told.map((one) => [one.isWithdrawn, one.movedFromAtMs !== null].join()))
      expect(kinds, 'withdrawn, moved and changed rows').to.have.lengthOf(3)
    })

    it('say what each field said before and after', () => {
      let changeCount = 0
      for (const row of expected) {
        const ofRow = told.filter((one) => nameOf(one) === nameOf(row))
        const changes = changesOf(row)
        const names = Object.keys(changes)
        // In this test, all calls of a token at one time have the same name, so they are skipped.
        if (ofRow.length !== 1 || names.length === 0) continue
        const said = ofRow[0]?.changes.filter(({ field }) => names.includes(field)) ?? []
        expect(Object.fromEntries(said.map(({ field, from, to }) => [field, [from, to]])), nameOf(row)).to.deep.equal(
          changes,
        )
        changeCount += names.length
      }
      expect(changeCount).to.be.greaterThan(50)
    })

    it('name no chat and no poster', () => {
      const names = told.flatMap(({ key, changes }) => [...Object.keys(key), ...changes.map(({ field }) => field)])
      expect(names.filter((name) => hidden.has(name))).to.deep.equal([])
      expect(told.some(({ recordType }) => recordType === 'CallScored')).to.equal(true)
    })

    it('are those of the time asked for, and no more than asked for', async () => {
      const corrections = createChainACorrections(database)
      const middle = told[Math.floor(told.length / 2)]?.knownAtMs ?? 0
      const before = await corrections.knownIn({ afterMs: 0, toMs: middle }, 100_000)
      const after = await corrections.knownIn({ afterMs: middle, toMs: all.toMs }, 100_000)
      expect([...before, ...after]).to.deep.equal(told)
      expect(before.length).to.be.within(1, told.length - 1)
      expect(await corrections.knownIn(all, 7)).to.deep.equal(told.slice(-7))
    })
  })
  const burst = { pool: poolId(1), tier: 'main', atMs: noonMs } as const

  it('of the liquidity are told where the node named another owner, with what was said before', async () => {
    const derived = await createDerivedLog()
    await derived.tick(noonMs + 1000, [[address(1), buildLp({ ...burst, class: 'held', insiderShare: 0.9 })]])
    await derived.tick(noonMs + 9000, [[address(1), buildLp({ ...burst, class: 'unknown', insiderShare: 0.2 })]])
    await derived.tick(noonMs + 9500, [[address(2), buildLp({ ...burst, pool: poolId(2) })]])
    const told = await project(derived)
    expect(told).to.have.lengthOf(1)
    expect(told[0]).to.include({ recordType: 'BurstLp', reason: 'owner_check', knownAtMs: noonMs + 9000, atMs: noonMs })
    expect(told[0]?.key).to.deep.equal({ atMs: noonMs, pool: poolId(1), tier: 'main' })
    expect(told[0]?.changes).to.deep.equal([
      { field: 'class', from: 'held', to: 'unknown' },
      { field: 'insiderShare', from: 0.9, to: 0.2 },
    ])
  })

  it('of the liquidity after a reorg are told once, as of the reorg', async () => {
    const derived = await createDerivedLog()
    await derived.tick(noonMs + 1000, [[address(1), buildLp({ ...burst, class: 'held' })]])
    await derived.tick(noonMs + 9000, [
      [address(1), buildRestated({ ...burst, recordType: 'BurstLp', supersedesAtMs: null })],
      [address(1), buildLp({ ...burst, class: 'safe' })],
    ])
    const told = await project(derived)
    expect(told.map(({ reason, changes }) => [reason, changes])).to.deep.equal([
      ['reorg', [{ field: 'class', from: 'held', to: 'safe' }]],
    ])
  })

  it('of before the table of marks was there are not kept, and it is said', async () => {
    const corrections = createChainACorrections(database)
    expect(await corrections.missingUntilMs()).to.equal(0)
    const [since] = (await readMigrations(projections)).filter(({ name }) => name === '0081-restatements-since.sql')
    // A database of an older version has ticks but no marks of corrected rows.
    await database.command(since?.sql ?? '')
    expect(await corrections.missingUntilMs()).to.equal(noonMs + 9000)
    await database.command(since?.sql ?? '')
    expect(await database.query("SELECT topic FROM restatements WHERE table_name = ''")).to.have.lengthOf(1)
    expect(await corrections.knownIn(all, 100)).to.have.lengthOf(1)
  })
})

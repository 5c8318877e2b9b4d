/** Opens exported files with the libraries of quants, and runs the programs of the guide over them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { forms } from '../../../infra/archive/columns.ts'
import { exportDay } from '../../../infra/archive/export-day.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { replayedStages } from '../../../infra/replay/replayed-topics.ts'
import { chainA } from '../../../processors/stages.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { burstQueries } from '../../bench/archive/burst-queries.ts'
import type { KeyedRecord } from '../../replay/keyed-record.ts'
import { reorgedMarket } from '../../replay/reorgs/reorged-market.ts'
import { second, sqrtPriceX96Of } from '../../support/builders/build-facts.ts'
import { hasPython, noPython, runPython } from '../../support/python/python.ts'
import { programOf, runBacktest } from '../replay/guide.ts'
import { firstDay, laterMs, never, reorgPlan, runStage } from './filled-log.ts'

const q192 = 2n ** 192n

/**
 * Makes pools deep and their prices calm, so that trades are held for some time. In every second pool, ETH is the other
 * currency.
 */
function calmed(records: readonly KeyedRecord<ChainATypes>[]): readonly KeyedRecord<ChainATypes>[] {
  const isTurned = (pool: string) => Number.parseInt(pool.slice(-1), 16) % 2 === 1
  const opening = sqrtPriceX96Of(1e-9)
  return records.map(({ key, record }) => {
    if (record.type === 'PoolCreated' && isTurned(record.data.pool))
      return { key, record: { ...record, data: { ...record.data, ethIsCurrency0: false, fee: 10_000 } } }
    if (record.type !== 'Swap') return { key, record }
    const calm = opening + (record.data.sqrtPriceX96 - opening) / 2n
    const sqrtPriceX96 = isTurned(record.data.pool) ? q192 / calm : calm
    return { key, record: { ...record, data: { ...record.data, sqrtPriceX96, liquidity: 10n ** 24n } } }
  })
}

/** The count of the swaps, the sum of their ETH in wei, and the first and the last knowledge time in nanoseconds. */
function lineOf(records: readonly KeyedRecord<ChainATypes>[]): string {
  let [count, wei, knownAt] = [0, 0n, 0]
  const knownAts: number[] = []
  for (const { record } of records.toReversed())
    if (record.type === 'Tick') knownAt = record.data.knownAtMs
    else if (record.type === 'Swap') {
      count++
      wei += record.data.ethWei
      knownAts.push(knownAt)
    }
  return `${count} ${wei} ${Math.min(...knownAts)}000000 ${Math.max(...knownAts)}000000\n`
}

const typesOfTimes = `
import sys, duckdb, polars as pl, pyarrow.dataset as ds
folder = f"{sys.argv[1]}/topic=chain-a-facts"
for name in ("ts_event", "ts_recv", "ts_published"):
    print(duckdb.sql(f"SELECT typeof({name}) FROM '{folder}/*/*.parquet' LIMIT 1").fetchall()[0][0], end=" ")
    print(ds.dataset(folder).schema.field(name).type, end=" ")
    print(pl.scan_parquet(f"{folder}/*/*.parquet").collect_schema()[name] == pl.Datetime("ns", "UTC"))
`

/**
 * Writes a log of chain A over a reorg, and its first day to files of both forms. All records get this time of
 * publication, also those that became known later.
 */
async function writeFiles(root: string, publishedAtMs: EpochMs) {
  // The log ends while some of the backtest's trades are held.
  const market = calmed(reorgedMarket(11, [reorgPlan(100, 40)], 12))
  const records = market.slice(
    0,
    1 + market.findLastIndex(({ record }) => record.type === 'Tick' && record.data.blockAtMs < second(1400)),
  )
  const ticks = records.filter(({ record }) => record.type === 'Tick')
  const dataDir = join(root, 'data')
  const open = await openLog({ dataDir, nowMs: () => publishedAtMs })
  await runStage(open, chainA, [records, ticks, ticks, ticks])
  for (const form of forms) {
    const secrets = { callerIds: 'callers', ruleIds: 'rules' }
    const exporting = { open, folder: join(root, form), form, secrets, day: firstDay, signal: never }
    await exportDay({ ...exporting, stages: replayedStages({ CHAIN_A_REORG_BLOCKS_MAX: 1200 }), nowMs: () => laterMs })
  }
  await open.close()
  return { records, dataDir }
}

/** What the backtest in TypeScript prints for the whole log. */
function backtest({ records, dataDir }: Awaited<ReturnType<typeof writeFiles>>): Promise<string> {
  const knownAts = records.flatMap(({ record }) => (record.type === 'Tick' ? [record.data.knownAtMs] : []))
  return runBacktest(dataDir, `${knownAts[0]}`, `${knownAts.at(-1)}`)
}

describe('exported files in Python', () => {
  if (hasPython()) testIn()
  else it(noPython())
})

function testIn() {
  let root: string
  let written: Awaited<ReturnType<typeof writeFiles>>
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-readers-'))
    written = await writeFiles(root, firstDay.from)
  })
  after(() => rm(root, { recursive: true, force: true }))

  it('give the backtest in Polars the numbers of the backtest in TypeScript', async () => {
    const expected = await backtest(written)
    expect(expected).to.match(/^[1-9]\d* trades, [1-9] still held, mean return -?\d+\.\d\d %\n$/)
    const code = await programOf('python', 'still held')
    expect(code.trimEnd().split('\n')).to.have.lengthOf.at.most(30)
    for (const form of forms) expect(runPython(code, join(root, form)), form).to.equal(expected)
  })

  it('give both backtests no burst before it was published', async () => {
    const lateRoot = join(root, 'late')
    const late = await writeFiles(lateRoot, second(700))
    const expected = await backtest(late)
    expect(expected)
      .to.match(/^[1-9]/)
      .and.to.not.equal(await backtest(written))
    const code = await programOf('python', 'still held')
    for (const form of forms) expect(runPython(code, join(lateRoot, form)), form).to.equal(expected)
  })

  it('give DuckDB, pyarrow and Polars the same count, exact sum and times', async () => {
    for (const library of ['import duckdb', 'import pyarrow as pa', 'swaps = pl.scan_parquet'])
      for (const form of forms)
        expect(runPython(await programOf('python', library), join(root, form)), library).to.equal(
          lineOf(written.records),
        )
  })

  it('have instants in UTC with nanoseconds in each of them', () => {
    for (const form of forms)
      expect(runPython(typesOfTimes, join(root, form))).to.equal(
        'TIMESTAMPTZ_NS timestamp[ns, tz=UTC] True\n'.repeat(3),
      )
  })

  it('give the rule of bursts in SQL the first bursts of the service', () => {
    const { first, recorded } = burstQueries['chain-a'](join(root, 'public'))
    const rows = 'import sys, duckdb\nprint(sorted(duckdb.sql(sys.argv[1]).fetchall()))'
    expect(runPython(rows, first))
      .to.equal(runPython(rows, recorded))
      .and.to.match(/0x.*0x/)
  })

  if (hasPython(['polars', 'nautilus_trader'])) {
    it('are written to a catalog of NautilusTrader, with the knowledge time as ts_init', async () => {
      const [first] = written.records.flatMap(({ record }) => (record.type === 'Swap' ? [record.data.pool] : []))
      const ofPool = written.records.filter(({ record }) => record.type !== 'Swap' || record.data.pool === first)
      const [count, , ...knownAts] = lineOf(ofPool).split(' ')
      const code = await programOf('python', 'nautilus_trader')
      expect(runPython(code, join(root, 'public'), first ?? '', join(root, 'catalog'))).to.equal(
        [count, ...knownAts].join(' '),
      )
    })
  } else it(noPython(['polars', 'nautilus_trader']))
}

import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { chainBProjection } from '../../../projections/chain-b/projection.ts'
import { selectCopyStats } from '../../../projections/chain-b/queries/copy-stats.ts'
import { createLeaderListInForce, leaderLists } from '../../../projections/chain-b/queries/leader-list.ts'
import { createOtherLeaders } from '../../../projections/chain-b/queries/other-leaders.ts'
import { chainBCopies } from '../../../projections/chain-b/tables/chain-b-copies.ts'
import { chainBCopyResults } from '../../../projections/chain-b/tables/chain-b-copy-results.ts'
import { chainBLeaderLists } from '../../../projections/chain-b/tables/chain-b-leader-lists.ts'
import { chainBTradeGaps } from '../../../projections/chain-b/tables/chain-b-trade-gaps.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { columnsOf } from '../../../projections/table.ts'
import { createTradeGaps } from '../../../projections/trade-gaps/trade-gaps.ts'
import { dayMs, hourMs } from '../../../schemas/units.ts'
import { count, spent } from '../rounds.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const cut: StageCut = { atMs: nowMs, blockNumber: 1, blockAtMs: nowMs, coinPrice: null, source: 'simulated' }
const days = 14
const rounds = 3
/** As many as on a simulated day. */
const buysPerDay = [30_000]
const walletCount = 20_000

/**
 * Fills the tables with 14 days of buys by tracked wallets. Prints the CPU time of two results that are computed
 * from them: the list of leaders, and the answer about the busiest wallet. For comparison, a query reads the same
 * number of rows and only takes the mean of their returns.
 */
export async function measureHourlyProducts(dataDir: string): Promise<void> {
  for (const perDay of buysPerDay) {
    const database = await createDatabase({ dataDir: `${dataDir}-${perDay}`, role: 'writer' })
    try {
      await migrate(database, await readMigrations([chainBProjection]))
      await fill(database, perDay)
      await measure(database, perDay)
    } finally {
      await database.close()
    }
  }
}

/** A few wallets make most buys: the wallet of rank r buys in proportion to 1 / r. A third of the buys are big. */
async function fill(database: Database, perDay: number): Promise<void> {
  const total = perDay * days
  const wallet = `concat('wallet', repeat('x', 30), toString(toUInt32(pow(${walletCount}, rand(1) / 4294967296))))`
  const place = `concat('mint', repeat('x', 34), toString(intDiv(number, 200))) AS mint,
    ${nowMs - days * dayMs} + intDiv(number * ${days * dayMs}, ${total}) AS at_ms,
    concat(repeat('s', 78), toString(number)) AS tx_hash, toInt32(0) AS log_index`
  const stamp = `at_ms + 3600000 AS known_at_ms, known_at_ms AS published_at_ms, 0 AS log_partition, number AS log_offset,
    number AS tick_seq, 0 AS withdrawn`
  const isBig = 'rand(2) % 3 = 0'
  const results = `${place}, ${wallet} AS wallet, rand(3) % 2 AS is_hit, arrayMap(x -> rand(4) / 1e10, range(12)) AS path,
    if(rand(5) % 2 = 0, toInt32(rand(6) % 3600), NULL) AS sale_after_sec, 0.5 AS sale_share,
    rand(7) / 4e9 - 0.5 AS sale_gain, 0.01 AS quote_drift, 0.02 AS fill_slip,
    if(${isBig}, rand(8) / 2e9 - 1, NULL) AS ret, if(${isBig}, 'stop', NULL) AS exit, toInt32(60) AS exit_sec, ${stamp}`
  const insert = (name: string, columns: readonly string[], select: string) =>
    database.command(
      `INSERT INTO ${name} (${columns.join(', ')}) SETTINGS max_partitions_per_insert_block = 100 ${select}`,
    )
  const resultColumns = columnsOf(chainBCopyResults)
  await insert(
    chainBCopyResults.name,
    resultColumns,
    `SELECT ${resultColumns.join(', ')} FROM (SELECT number, ${results} FROM numbers(${total}))`,
  )
  await insert(
    chainBCopies.name,
    columnsOf(chainBCopies),
    `SELECT mint, at_ms, tx_hash, log_index, 1, wallet, toInt256(1e9), 0.4, at_ms - 600000, 5e-8, NULL,
      known_at_ms - 3600000, known_at_ms - 3600000, log_partition, log_offset, tick_seq, 0 FROM ${chainBCopyResults.name}`,
  )
}

async function measure(database: Database, perDay: number): Promise<void> {
  const rows = perDay * days
  const floor = await medianOf(async () => {
    await database.query(
      `SELECT wallet, avg(ret) FROM ${chainBCopyResults.name} WHERE known_at_ms <= ${nowMs} GROUP BY wallet`,
    )
  })
  console.log(`${count(rows)} followed buys of ${days} days:`)
  const tell = (name: string, { wallMs, cpuMs }: Cost) =>
    console.log(
      `  ${name.padEnd(34)}${wallMs.toFixed(0).padStart(7)} ms ${cpuMs.toFixed(0).padStart(7)} ms CPU   ${(cpuMs / floor.cpuMs).toFixed(1)}`,
    )
  tell('mean of their returns by wallet', floor)
  const rebuild = await medianOf(async () => void (await leaderLists.valuesAt(database, cut, 'chain-b-derived')))
  tell('rebuild of the list', rebuild)
  const values = await leaderLists.valuesAt(database, cut, 'chain-b-derived')
  const lists = Array.from({ length: 24 * days }, (_, hour) => nowMs - hour * hourMs)
  await database.insert({
    table: chainBLeaderLists.name,
    columns: columnsOf(chainBLeaderLists),
    rows: lists.map((atMs) => [...values, atMs, atMs, 0, 0, 0, 0]),
  })
  const list = await createLeaderListInForce(database)(cut)
  const gaps = createTradeGaps({ database, table: chainBTradeGaps, coinOf: Number })
  const otherLeaders = createOtherLeaders(database)
  if (list === null) throw new TypeError('there is no list')
  const [busiest] = await database.query<{ wallet: string }>(
    `SELECT wallet FROM ${chainBCopies.name} GROUP BY wallet ORDER BY count() DESC, wallet LIMIT 1`,
  )
  const wallets = { busiest: busiest?.wallet ?? '', leader: list.leaders[0]?.wallet ?? '' }
  tell('the list in force', await medianOf(async () => void (await createLeaderListInForce(database)(cut))))
  const then = { ...cut, atMs: list.knownAtMs, blockAtMs: list.rebuiltAtMs }
  tell('the buys of all leaders', await medianOf(async () => void (await createOtherLeaders(database)(then))))
  for (const [name, wallet] of Object.entries(wallets))
    tell(
      `answer about the ${name}`,
      await medianOf(async () => void (await selectCopyStats({ database, gaps, otherLeaders }, { list, cut }, wallet))),
    )
}

type Cost = Readonly<{ wallMs: number; cpuMs: number }>

async function medianOf(work: () => Promise<void>): Promise<Cost> {
  await work()
  const costs: Cost[] = []
  for (let round = 0; round < rounds; round++) costs.push(await spent(work))
  costs.sort((left, right) => left.cpuMs - right.cpuMs)
  return costs[Math.floor(rounds / 2)] ?? { wallMs: Number.NaN, cpuMs: Number.NaN }
}

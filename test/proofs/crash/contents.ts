/** Reads all log records, table rows and answers of a data directory, as text that can be compared. */
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import type { Log } from '../../../infra/log/log.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { readAll } from '../../../infra/log/read-back.ts'
import { createCallsQueries } from '../../../projections/calls/queries/calls.ts'
import { boardWindows, type CallsQueries } from '../../../projections/calls/queries/calls-queries.ts'
import { callTablesOf } from '../../../projections/calls/tables.ts'
import { calledChainA } from '../../../projections/chain-a/called-chain.ts'
import { createChainAQueries } from '../../../projections/chain-a/queries/chain-a.ts'
import type { ChainAQueries } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import { launchCurves } from '../../../projections/chain-a/tables/launch-curves.ts'
import { calledChainB } from '../../../projections/chain-b/called-chain.ts'
import { createChainBQueries } from '../../../projections/chain-b/queries/chain-b.ts'
import type { ChainBQueries } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { chainBCopies } from '../../../projections/chain-b/tables/chain-b-copies.ts'
import { selectBotCards } from '../../../projections/chats/queries/bot-cards.ts'
import { type Cut, createCuts, type StageCut } from '../../../projections/cuts.ts'
import { tablesOf } from '../../../projections/projection.ts'
import { projections } from '../../../projections/projections.ts'
import { watermarkTable } from '../../../projections/watermarks.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import type { Stage } from '../../../schemas/stage.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { simulatedChains } from './simulated-chains.ts'

/** The lines of each log partition, table or query, by name. Each line is a record, row or answer, in order. */
export type Contents = Readonly<Record<string, readonly string[]>>

const stages = simulatedChains.map(({ runnable }) => runnable.stage)

export async function readContents(dataDir: string): Promise<Contents> {
  const open = await openLog({ dataDir, nowMs: () => 0 })
  const database = await createDatabase({ dataDir, role: 'reader' })
  try {
    return {
      ...(await logContents(open.log, stages)),
      ...(await tableContents(database)),
      ...(await answers(database)),
    }
  } finally {
    await database.close()
    await open.close()
  }
}

/** The contents of both topics of each stage. */
export async function logContents(log: Log, stages: readonly Stage[]): Promise<Contents> {
  const contents: Record<string, string[]> = {}
  for (const { name, partitionCount } of stages.flatMap(({ factTopic, derivedTopic }) => [factTopic, derivedTopic]))
    for (let partition = 0; partition < partitionCount; partition++)
      contents[`${name}/${partition}`] = await recordsOf(log, name, partition)
  return contents
}

/** Each line has the offset, the time of the append, the key and the bytes. */
async function recordsOf(log: Log, topic: TopicName, partition: number): Promise<string[]> {
  const lines: string[] = []
  for await (const batch of readAll(log, { topic, partition }))
    for (let at = 0; at < batch.count; at++) {
      const value = batch.valueAt(at)?.toString('hex')
      lines.push(`${batch.offsetAt(at)} ${batch.timestampMsAt(at)} ${batch.keyAt(at)} ${value}`)
    }
  return lines
}

/** Every column of every row. A duplicate row appears twice. */
async function tableContents(database: Database): Promise<Contents> {
  const contents: Record<string, string[]> = {}
  for (const table of [...tablesOf(projections).map(({ name }) => name), `${watermarkTable} FINAL`]) {
    const rows = await database.query<object>(`SELECT * FROM ${table} ORDER BY ALL`)
    contents[table] = rows.map((row) => JSON.stringify(row))
  }
  return contents
}

const everyBurst = { tier: 'all', lp: 'all' } as const
const askedPoolsMax = 5
const askedTokensMax = 8
const askedWalletsMax = 8

type Answers = Readonly<Record<string, readonly unknown[]>>

/** One entry for each method of `Queries`. The code does not compile if an entry is missing. */
type AnswersOfEach<Queries> = Readonly<Record<keyof Queries, readonly unknown[]>>

/** The queries for each stage. A test of this folder fails if a stage with sold answers is missing here. */
const questionsOf: Readonly<Record<string, (database: Database, cut: StageCut) => Promise<Answers>>> = {
  [chainAStage.name]: answersOfChainA,
  [chainBStage.name]: answersOfChainB,
  [chatsStage.name]: answersOfCalls,
}

async function answers(database: Database): Promise<Contents> {
  const contents: Record<string, readonly string[]> = {}
  for (const stage of stages) {
    const newest = await createCuts({ database }).newest([stage])
    const cut = newest?.stages[stage.name]
    const told: Answers = cut ? { cut: [cut], ...(await questionsOf[stage.name]?.(database, cut)) } : { cut: [] }
    for (const [name, rows] of Object.entries(told))
      contents[`${stage.name} ${name}`] = rows.map((row) => JSON.stringify(row))
  }
  return contents
}

/**
 * Calls use records of all stages. So their cut (the time for which a query answers) must include all stages.
 */
async function answersOfCalls(database: Database, ofChats: StageCut): Promise<AnswersOfEach<CallsQueries> & Answers> {
  const cut = (await createCuts({ database }).newest(stages)) as Cut
  const queries = createCallsQueries({ database, chains: [calledChainA, calledChainB] })
  const called = await database.query<{ token: string }>(
    `SELECT DISTINCT token FROM ${callTablesOf(chainAStage.name).Call.name} ORDER BY token LIMIT ${askedTokensMax}`,
  )
  const ofEach = <Answer>(ask: (token: string) => Promise<Answer>) => Promise.all(called.map(({ token }) => ask(token)))
  const boards = []
  for (const window of boardWindows) boards.push(await queries.board(cut, window))
  return {
    live: await queries.live(cut, { minutes: 120, chain: null }),
    rebuiltAt: [await queries.rebuiltAt(cut)],
    outcomes: [await queries.outcomes(cut, { hours: 48, chain: null, limit: 2000 })],
    board: boards,
    grade: await ofEach((token) => queries.grade(cut, token)),
    precall: await ofEach((token) => queries.precall(cut, token)),
    ofToken: await ofEach((token) => queries.ofToken(cut, token)),
    tracked: await ofEach((token) => queries.tracked.grades.mayHold(token, ofChats)),
    botCards: await selectBotCards(database, ofChats),
  }
}

/** More trades than a proof has. */
const allTrades = { sinceMs: 0, book: 'all', limit: 100_000 } as const

async function answersOfChainB(database: Database, cut: StageCut): Promise<AnswersOfEach<ChainBQueries>> {
  const queries = createChainBQueries({ database })
  const copied = await database.query<{ wallet: string }>(
    `SELECT DISTINCT wallet FROM ${chainBCopies.name} ORDER BY wallet LIMIT ${askedWalletsMax}`,
  )
  const wallets = copied.map(({ wallet }) => wallet)
  const copyStats = []
  for (const wallet of wallets) copyStats.push(await queries.copyStats(cut, wallet))
  const burstsLive = await queries.burstsLive(cut, { minutes: 60 })
  const mints = [...new Set(burstsLive.map(({ mint }) => mint))].slice(0, askedTokensMax)
  const verdict = []
  for (const mint of mints) verdict.push(await queries.verdict(cut, mint))
  const mintMinutes = []
  for (const mint of mints) mintMinutes.push(await queries.mintMinutes(cut, { mint, hours: 24 }))
  return {
    burstsLive,
    latestBurst: [await queries.latestBurst(cut)],
    burstsHistory: await queries.burstsHistory(cut, { hours: 24 }),
    graduationsLive: await queries.graduationsLive(cut, { minutes: 240 }),
    graduationsHistory: [await queries.graduationsHistory(cut, { hours: 48, limit: 2000 })],
    newCurves: await queries.newCurves(cut, { limit: 100 }),
    fullestCurves: await queries.fullestCurves(cut, { limit: 100 }),
    mintMinutes,
    lastDay: [await queries.lastDay(cut)],
    gapCounts: [await queries.gapCounts(cut)],
    desk: await queries.desk.compared(cut, allTrades),
    leaderList: [await queries.leaderList(cut)],
    tracked: await Promise.all([
      ...wallets.map((wallet) => queries.tracked.wallets.mayHold(wallet, cut)),
      ...mints.map((mint) => queries.tracked.mints.mayHold(mint, cut)),
    ]),
    copyStats,
    verdict,
  }
}

async function answersOfChainA(database: Database, cut: StageCut): Promise<AnswersOfEach<ChainAQueries>> {
  const queries = createChainAQueries({ database })
  const poolsNew = await queries.poolsNew(cut, { hours: 24, limit: 200 })
  const curves = await database.query<{ token: string }>(
    `SELECT DISTINCT token FROM ${launchCurves.name} ORDER BY token LIMIT ${askedTokensMax}`,
  )
  const tokens = [...poolsNew.slice(0, askedTokensMax), ...curves].map(({ token }) => token)
  const poolFlow = []
  for (const { pool } of poolsNew.slice(0, askedPoolsMax)) poolFlow.push(await queries.poolFlow(cut, pool))
  const rugCheck = []
  for (const token of tokens) rugCheck.push(await queries.rugCheck(cut, token))
  const verdict = []
  for (const token of tokens) verdict.push(await queries.verdict(cut, token))
  const tokenPrices = []
  for (const token of tokens) tokenPrices.push(await queries.tokenPrices(cut, { token, hours: 24 }))
  const { walletsTracked, crews } = await queries.crews(cut, { minBursts: 1, limit: 25 })
  return {
    burstsLive: await queries.burstsLive(cut, { ...everyBurst, minutes: 60 }),
    latestBurst: [await queries.latestBurst(cut, everyBurst)],
    burstsHistory: await queries.burstsHistory(cut, { ...everyBurst, hours: 24 }),
    poolsNew,
    poolsNewCounted: [await queries.poolsNewCounted(cut, { hours: 24, limit: 200 })],
    tracked: await Promise.all(tokens.map((token) => queries.tracked.tokens.mayHold(token, cut))),
    poolFlow,
    tokenPrices,
    rugCheck,
    verdict,
    crews: [walletsTracked, ...crews],
    lastDay: [await queries.lastDay(cut)],
    gapCounts: [await queries.gapCounts(cut)],
    desk: await queries.desk.compared(cut, allTrades),
    counts: [await queries.counts(cut)],
  }
}

/** One sentence for each name with different lines, with the first difference. */
export function differences(expected: Contents, actual: Contents): string[] {
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
  return [...names].flatMap((name) => {
    const [left, right] = [expected[name] ?? [], actual[name] ?? []]
    const at = left.findIndex((line, index) => line !== right[index])
    if (at < 0 && left.length === right.length) return []
    const first = at < 0 ? left.length : at
    const shown = (line: string | undefined) => line?.slice(0, 300) ?? 'nothing'
    return [
      `${name}: ${right.length} lines for ${left.length}; line ${first} is ${shown(right[first])} for ${shown(left[first])}`,
    ]
  })
}

/**
 * Runs a session of several rounds with faults, and compares the derived records and tables with those of an
 * undisturbed run.
 */
import { createRandom } from '../../../../ingest/simulated/random.ts'
import { type Contents, differences } from '../../crash/contents.ts'
import { waitForTables } from '../../crash/pipeline.ts'
import { bagOfFaults, strike } from './faults.ts'
import { type Follower, followTheirs } from './follower.ts'
import { derivedLines } from './lines.ts'
import { closeSession, openSession, programsOf, type Session, type SessionOptions } from './session.ts'
import { openTables, type TablesAddress, tableContents } from './tables.ts'
import type { Step } from './undisturbed.ts'
import { inTime } from './wait-until.ts'

const hurriedPaceMs = 5
/**
 * The lengths of a slow feed and of a fast feed, in milliseconds. The workers keep up only with the slow
 * feed.
 */
const feedMsChoices = [2500, 400] as const

export type Chaos = Readonly<{ roundCount: number; seed: number; signal: AbortSignal; onRound?: () => void }>

/** Plays one session, and adds its findings to the report. Fails if a program does not recover. */
export async function playSession(
  options: SessionOptions,
  { roundCount, seed, signal, onRound }: Chaos,
): Promise<void> {
  const { undisturbed, report, cluster, name } = options
  const session = await openSession(options, createRandom(seed, 5, 2), { withCrew: true })
  const theirs = await followTheirs(cluster.kafka.brokers, session)
  try {
    await session.until('the first two share the partitions', () =>
      session.crew.workers.every((its) => its.ours()?.length === 2),
    )
    let bag: readonly string[] = []
    for (let round = 0; round < roundCount && !signal.aborted; round++) {
      if (bag.length === 0) bag = bagOfFaults(session)
      const [fault = '', ...rest] = bag
      bag = rest
      await playRound(session, fault, shareOf(undisturbed.steps, round, roundCount))
      report.rounds++
      onRound?.()
    }
    await session.feeder.feedTo(Number.POSITIVE_INFINITY, hurriedPaceMs)
    await session.settled()
    await compare(session, options, theirs)
    await inTime('all end', endOrderly(session))
  } catch (error) {
    const said = session.crew.workers.map((worker) => worker.stderr().slice(-1500)).join('\n')
    report.mismatches.push(`${name}: ${error instanceof Error ? error.message : error}\n${said}`)
  } finally {
    report.sessions++
    await theirs.close()
    await closeSession(session)
  }
}

async function playRound(session: Session, fault: string, steps: readonly Step[]): Promise<void> {
  const feedMs = session.random.pick(feedMsChoices)
  const feed = () => session.feeder.feedTo(steps.at(-1)?.seq ?? 0, feedMs / (steps.length + 1))
  await inTime(fault, strike(session, fault, { feed, feedMs }))
  const struckAtMs = performance.now()
  await session.settled()
  session.report.recoveriesMs.push(performance.now() - struckAtMs)
}

/** The steps of one round. */
function shareOf(steps: readonly Step[], round: number, roundCount: number): readonly Step[] {
  const until = (rounds: number) => Math.floor((rounds / roundCount) * steps.length)
  return steps.slice(until(round), until(round + 1))
}

async function compare(session: Session, options: SessionOptions, theirs: Omit<Follower, 'seqs'>): Promise<void> {
  const { undisturbed, report, cluster, name } = options
  const expected = undisturbed.derived
  const isWhole = () => Object.values(theirs.contents()).flat().length >= Object.values(expected).flat().length
  await session.until('a consumer has seen as many records as were due', isWhole)
  const tables = { url: cluster.engine.url, name }
  await inTime('the tables are whole', tablesReach(session, tables))
  const again: Record<string, readonly string[]> = {}
  for (const [partition, name] of Object.keys(expected).entries())
    again[name] = await derivedLines(session.log, session.stage, partition)
  report.mismatches.push(
    ...[
      ...differences(expected, again),
      ...differences(seenBy('our reader', expected), session.ours.contents()),
      ...differences(seenBy('a consumer', expected), theirs.contents()),
      ...differences(undisturbed.tables, await tableContents(tables)),
      ...session.ours.faults(),
      ...theirs.faults(),
    ].map((sentence) => `${name}: ${sentence}`),
  )
}

const seenBy = (who: string, expected: Contents): Contents =>
  Object.fromEntries(Object.entries(expected).map(([name, lines]) => [`${who} of ${name}`, lines]))

async function tablesReach({ feeder, stage }: Session, address: TablesAddress): Promise<void> {
  const database = await openTables(address)
  await waitForTables(database, stage, { seq: feeder.seq() })
  await database.close()
}

/**
 * Stops each program, which must end with code 0. First waits for a log line of the program, because an
 * earlier signal may not be handled.
 */
async function endOrderly(session: Session): Promise<void> {
  await Promise.all(
    programsOf(session).map(async (program) => {
      await program.until(/"level":/)
      await program.stop()
    }),
  )
}

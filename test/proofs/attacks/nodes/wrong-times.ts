/**
 * The nodes of both chains and a price feed report wrong times for some seconds, and then right times. The
 * service must keep running and write none of the wrong times. Soon it must give answers about new blocks
 * again. A service that starts while the times are wrong must do the same.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedLog } from '../../../../infra/log/embedded/open-embedded-log.ts'
import { freePorts } from '../../../../infra/ports.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../../../schemas/chain-b/stage.ts'
import { topics } from '../../../../schemas/topics.ts'
import { readRecords } from '../../../ingest/read-records.ts'
import { type RunningProgram, startProgram } from '../../../support/programs.ts'
import { type Lie, startTimedChains, type TimedChains } from './timed-chains.ts'

export type LyingTime = Readonly<{ name: string; lie: Lie; isAtStart?: boolean }>

const lieMs = 3_000
const year2100Sec = Date.UTC(2100, 0) / 1000
export const lyingTimes: readonly LyingTime[] = [
  { name: 'the year 2100', lie: (second) => year2100Sec + (second % 1_000_000) },
  { name: 'the second 1', lie: () => 1 },
  { name: 'an hour ahead', lie: (second) => second + 3_600 },
  { name: 'a day behind', lie: (second) => second - 86_400 },
  { name: 'the newest time of an Ethereum block', lie: () => Number.MAX_SAFE_INTEGER },
  { name: 'falling times', lie: (second) => 3_400_000_000 - second },
  { name: 'the year 2100, and the service starts then', lie: () => year2100Sec, isAtStart: true },
]

export type WrongTimes = Readonly<{
  /**
   * For each kind of wrong time, the seconds until the answers covered new blocks of both chains again. Null
   * if a chain did not recover, or if the service ended.
   */
  freshAfterSec: Readonly<Record<string, number | null>>
  /** The records of the log with impossible times. */
  wrong: readonly string[]
  records: number
  /** The output of the service. */
  said: string
}>

export async function tellWrongTimes(lies: readonly LyingTime[]): Promise<WrongTimes> {
  const dataDir = mkdtempSync(join(tmpdir(), 'launch-data-times-'))
  const chains = await startTimedChains()
  const freshAfterSec: Record<string, number | null> = {}
  const [port = 0] = await freePorts(1)
  const start = () =>
    startProgram('up', { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn', ...chains.environment })
  let service = start()
  try {
    if ((await secondsUntilFresh({ chains, port, service })) === null)
      throw new TypeError(`the service is not fresh before any lie: ${service.stderr()}`)
    for (const { name, lie, isAtStart = false } of lies) {
      if (isAtStart) {
        service.kill('SIGKILL')
        await service.done
      }
      chains.lie(lie)
      if (isAtStart) service = start()
      await sleep(isAtStart ? 4 * lieMs : lieMs)
      chains.lie(null)
      freshAfterSec[name] = await secondsUntilFresh({ chains, port, service })
    }
    const said = service.stderr()
    await service.stop().catch(() => {})
    return { freshAfterSec, said, ...(await readTimes(dataDir)) }
  } finally {
    service.kill('SIGKILL')
    await service.done
    await chains.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const patienceMs = 180_000

type Watched = Readonly<{ chains: TimedChains; port: number; service: RunningProgram }>

/**
 * Waits until the service knows a newer block of each chain than the newest one at the time of the call.
 * Returns the seconds waited, or null if the service ends or the wait is too long.
 */
async function secondsUntilFresh({ chains, port, service }: Watched): Promise<number | null> {
  const wanted = chains.heads()
  const startedAtMs = performance.now()
  let hasEnded = false
  void service.done.then(() => {
    hasEnded = true
  })
  while (performance.now() - startedAtMs < patienceMs) {
    if (hasEnded) return null
    const blocks = await blocksAt(port)
    if (Object.entries(wanted).every(([chain, block]) => (blocks[chain] ?? 0) > block))
      return Math.round((performance.now() - startedAtMs) / 1000)
    await sleep(250)
  }
  return null
}

async function blocksAt(port: number): Promise<Readonly<Record<string, number>>> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/health`, { signal: AbortSignal.timeout(5_000) })
    const { chains } = (await response.json()) as Readonly<{ chains?: Readonly<Record<string, { block?: number }>> }>
    return Object.fromEntries(Object.entries(chains ?? {}).map(([name, { block = 0 }]) => [name, block]))
  } catch {
    return {}
  }
}

/**
 * The greatest age of a correct block time in the log, in milliseconds. The chains begin a minute before the
 * service, so an older time is wrong.
 */
const pastMsMax = 30 * 60_000
const aheadMsMax = 10 * 60_000

async function readTimes(dataDir: string): Promise<Pick<WrongTimes, 'wrong' | 'records'>> {
  const { log, registry, close } = await openEmbeddedLog(dataDir, { nowMs: Date.now, topicTable: topics })
  try {
    const read = [
      ...(await readRecords(log, 'chain-a-facts', (await createIngestCodecs(chainAStage, registry)).facts)),
      ...(await readRecords(log, 'chain-b-facts', (await createIngestCodecs(chainBStage, registry)).facts)),
    ]
    const wrong = read.flatMap(({ record }) => (record === null ? [] : wrongIn(record)))
    return { wrong, records: read.length }
  } finally {
    await close()
  }
}

const wrongIn = ({ type, data }: Readonly<{ type: string; data: object }>): readonly string[] =>
  Object.entries(data)
    .filter(([name, value]) => /(^a|A)tMs$/.test(name) && typeof value === 'number')
    .filter(([, value]) => value < Date.now() - pastMsMax || value > Date.now() + aheadMsMax)
    .map(([name, value]) => `${type}.${name} ${value}`)

const isUnhurtByTimes = ({ freshAfterSec, wrong, records }: WrongTimes): boolean =>
  records > 0 && wrong.length === 0 && Object.values(freshAfterSec).every((seconds) => seconds !== null)

/** Returns false if the service ended, did not recover after a wrong time, or wrote a wrong time. */
export async function attackByWrongTimes(): Promise<boolean> {
  const result = await tellWrongTimes(lyingTimes)
  for (const [name, seconds] of Object.entries(result.freshAfterSec))
    console.log(`${name}: ${seconds === null ? 'not fresh any more' : `fresh again after ${seconds} s`}`)
  console.log(`${result.records} records in the log, ${result.wrong.length} with a wrong time`)
  for (const wrong of result.wrong.slice(0, 10)) console.log(`  ${wrong}`)
  if (!isUnhurtByTimes(result)) console.log(result.said.slice(-4_000))
  return isUnhurtByTimes(result)
}

/** Measures the memory of this process and the size of its folders. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { readEngineMemory } from './engine-memory.ts'
import { type ProcessMemory, readProcessMemory } from './process-memory.ts'
import type { SharedClock } from './shared-clock.ts'

/** The values at a simulated hour in MB: memory, and the two folders on disk. */
export type Sample = Readonly<{ hour: number; memory: ProcessMemory; logMb: number; tablesMb: number }>

type Measured = Readonly<{ dataDir: string; clock: SharedClock; database: Database }>

const megabyte = 1_048_576
const mega = (bytes: number): number => Math.round(bytes / megabyte)

/** The simulated hour, the facts so far, and the resident memory before the garbage was collected. */
type Moment = Readonly<{ hour: number; facts: number; uncollectedBytes: number }>

/** Measures after a garbage collection, and prints a line. */
export function createMeter({ dataDir, clock, database }: Measured) {
  let before = { facts: 0, atMs: performance.now() }
  console.log(
    'MB; rss = own pages + mapped pages of the log + those of programs (before garbage was collected); js = heap in use + buffers, by thread',
  )
  return async ({ hour, facts, uncollectedBytes }: Moment): Promise<Sample> => {
    const rate = ((facts - before.facts) / (performance.now() - before.atMs)) * 1000
    const memory = await readProcessMemory(join(dataDir, 'log'))
    const engine = await readEngineMemory(database)
    const mainMb = mega(await bytesIn(join(dataDir, 'log', 'main')))
    const logMb = mega(await bytesIn(join(dataDir, 'log')))
    const tablesMb = mega(await bytesIn(join(dataDir, 'clickhouse')))
    const { rssMb, anonMb, codeMb } = memory
    const cells = [
      `${hour} h`.padStart(4),
      `${facts.toLocaleString('en')} facts, ${Math.round(rate)}/s`.padStart(28),
      `rss ${rssMb} = ${anonMb} + ${memory.logMb} + ${codeMb} (${mega(uncollectedBytes)})`,
      `engine ${engine.usedMb} used ${engine.heldMb} held ${engine.cachesMb} caches`,
      `js ${javascriptOf(clock)}`,
      `${sum(clock.column('tokens'))} tokens ${sum(clock.column('timers'))} timers`,
      `disk: log ${logMb} (${mainMb} without facts), tables ${tablesMb} (${engine.partsMb} in ${engine.parts} parts)`,
    ]
    console.log(cells.join(' | '))
    before = { facts, atMs: performance.now() }
    return { hour, memory, logMb, tablesMb }
  }
}

function javascriptOf(clock: SharedClock): string {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  const threads = [
    ['main', heap, external],
    ['stage', clock.get('stageHeap'), clock.get('stageBuffers')],
    ['project', clock.get('projectHeap'), clock.get('projectBuffers')],
  ] as const
  return threads.map(([name, used, buffers]) => `${name} ${mega(used)}+${mega(buffers)}`).join(' ')
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The bytes on disk. Files that are removed during the count do not count. */
async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  let bytes = 0
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (found?.isFile()) bytes += found.blocks * 512
  }
  return bytes
}

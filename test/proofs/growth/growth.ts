/**
 * `npm run growth -- [minutes] [kafka]` starts the service with default settings in a new data directory, and
 * buys nothing. Every minute it prints the memory of each process and the size of the data directory. At the
 * end it prints how fast they grew in the second half of the time. With `kafka`, it uses the broker and the
 * registry of `npm run kafka:up`.
 */
import assert from 'node:assert/strict'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LocalKafka, startKafka } from '../../../infra/development/kafka/cluster.ts'
import { closeAll } from '../../support/close-all.ts'
import { type Service, startService } from '../../support/service.ts'
import { measureProcesses } from './processes.ts'
import { type Point, secondHalf, slopeOf } from './slope.ts'

const sampleMs = 5_000
const printMs = 60_000
const megabyte = 1_048_576

const [minutesText = '60', log = 'embedded'] = process.argv.slice(2)
const minutes = Number(minutesText)
assert.ok(minutes > 0 && ['embedded', 'kafka'].includes(log), 'npm run growth -- [minutes] [kafka]')

/** The measured points, by name. */
type Series = Map<string, Point[]>

async function measure(dataDir: string): Promise<Series> {
  const series: Series = new Map()
  const startedAtMs = performance.now()
  let printedAtMs = Number.NEGATIVE_INFINITY
  for (let elapsedMs = 0; elapsedMs < minutes * 60_000; elapsedMs = performance.now() - startedAtMs) {
    const values = await sample(dataDir)
    for (const [name, value] of values) {
      const points = series.get(name) ?? []
      series.set(name, points)
      points.push({ hour: elapsedMs / 3_600_000, value })
    }
    if (elapsedMs - printedAtMs >= printMs) {
      printedAtMs = elapsedMs
      const texts = values.map(([name, value]) => `${name} ${Math.round(value)}`)
      console.log(`${Math.round(elapsedMs / 60_000)} min, MB: ${texts.join(', ')}`)
    }
    await sleep(sampleMs)
  }
  return series
}

async function sample(dataDir: string): Promise<readonly (readonly [name: string, valueMb: number])[]> {
  const processes = (await measureProcesses()).flatMap(({ name, rssMb, anonMb }) => [
    [`${name} RSS`, rssMb] as const,
    [`${name} own pages`, anonMb] as const,
  ])
  return [...processes, ['data directory', (await bytesOf(dataDir)) / megabyte]]
}

/**
 * Returns the bytes on disk, not the file sizes, because LMDB files have holes. A file may be removed during
 * the count.
 */
async function bytesOf(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => null)
  if (stats === null) return 0
  if (!stats.isDirectory()) return stats.blocks * 512
  const sizes = await Promise.all((await readdir(path).catch(() => [])).map((name) => bytesOf(join(path, name))))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

function printSlopes(series: Series): void {
  console.log(`slope of the second half of ${minutes} minutes, MB an hour`)
  for (const [name, points] of series) {
    const slope = slopeOf(secondHalf(points))
    console.log(
      `  ${name.padEnd(24)}${slope.toFixed(1).padStart(8)}   at last ${Math.round(points.at(-1)?.value ?? 0)} MB`,
    )
  }
}

const folder = await mkdtemp(join(tmpdir(), 'launch-data-growth-'))
let kafka: LocalKafka | undefined
let service: Service | undefined
try {
  const dataDir = join(folder, 'data')
  if (log === 'kafka') kafka = await startKafka({ dataDir: join(folder, 'kafka'), withRegistry: true })
  const shared = kafka ? { KAFKA_BROKERS: kafka.brokers, SCHEMA_REGISTRY_URL: kafka.registryUrl ?? '' } : {}
  service = await startService({ DATA_DIR: dataDir, ...shared })
  printSlopes(await measure(folder))
} finally {
  await closeAll(service?.stop, kafka?.stop)
  await rm(folder, { recursive: true, force: true })
}

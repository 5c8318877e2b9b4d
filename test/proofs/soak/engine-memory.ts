/**
 * Reads the memory of the embedded ClickHouse from its own counters: the allocator, the caches, and the size
 * of the table parts on disk. All sizes are in MB.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'

export type EngineMemory = Readonly<{
  /** The memory that the engine uses, and the memory that its allocator has from the system. */
  usedMb: number
  heldMb: number
  cachesMb: number
  /** The active parts. Merged parts stay on disk for another half minute. */
  parts: number
  partsMb: number
}>

const megabyte = 1_048_576

export async function readEngineMemory(database: Database): Promise<EngineMemory> {
  const [allocator] = await database.query<{ stats: string }>('SELECT stats FROM system.jemalloc_stats')
  const [caches] = await database.query<{ bytes: string }>(
    "SELECT sum(value) AS bytes FROM system.metrics WHERE metric LIKE '%CacheBytes' OR metric = 'FilesystemCacheSize'",
  )
  const [tables] = await database.query<{ parts: string; bytes: string }>(
    'SELECT count() AS parts, sum(bytes_on_disk) AS bytes FROM system.parts WHERE database = currentDatabase() AND active',
  )
  const said = (name: string): number =>
    Math.round(Number(new RegExp(`${name}: (\\d+)`).exec(allocator?.stats ?? '')?.[1] ?? 0) / megabyte)
  return {
    usedMb: said('Allocated'),
    heldMb: said('resident'),
    cachesMb: Math.round(Number(caches?.bytes ?? 0) / megabyte),
    parts: Number(tables?.parts ?? 0),
    partsMb: Math.round(Number(tables?.bytes ?? 0) / megabyte),
  }
}

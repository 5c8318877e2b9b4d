import { type Check, examine, ok } from '../../check.ts'
import { loadLmdb } from '../../data-dir/lmdb.ts'

export function checkEmbeddedLog(): Promise<Check> {
  const name = 'log'
  return examine({ name, toDo: 'install the optional package lmdb (npm ci), or set KAFKA_BROKERS' }, async () => {
    await loadLmdb()
    return ok(name, 'embedded in the data folder, for one process: "launch-data up" (KAFKA_BROKERS is not set)')
  })
}

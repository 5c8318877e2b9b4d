/** The log: the embedded one, or brokers, topics and registry of a cluster. */

import { type Check, examine, ok } from '../../check.ts'
import type { Config } from '../../config.ts'
import { loadLmdb } from '../../data-dir/lmdb.ts'
import { checkKafka } from './check-kafka.ts'
import { checkRegistry } from './check-registry.ts'

export function checkLog(config: Config): readonly Promise<Check>[] {
  if (config.KAFKA_BROKERS === undefined) return [checkEmbeddedLog()]
  return [...checkKafka(config), ...checkRegistry(config)]
}

function checkEmbeddedLog(): Promise<Check> {
  const name = 'log'
  return examine({ name, toDo: 'install the optional package lmdb (npm ci), or set KAFKA_BROKERS' }, async () => {
    await loadLmdb()
    return ok(name, 'embedded in the data folder, for one process: "launch-data up" (KAFKA_BROKERS is not set)')
  })
}

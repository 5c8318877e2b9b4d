/** Opens the log that the argument names, and waits for an append that never comes. */
import { createEmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'

const log = await createEmbeddedLog({ dataDir: process.argv[2] ?? '', nowMs: () => 0 })
void log.waitForAppend({ topic: 'chain-a-facts', partition: 0, offset: 0 }, new AbortController().signal)
console.log('waiting')

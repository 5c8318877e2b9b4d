/**
 * Reads a topic of a log in a data directory from its beginning, until it is killed. Prints each value with
 * its partition and offset.
 */
import { createEmbeddedReader } from '../../../../infra/log/embedded/embedded-reader.ts'
import { followTopic } from '../../../../infra/log/follow.ts'
import { topics } from '../../../../schemas/topics.ts'

const log = await createEmbeddedReader(process.argv[2] ?? '')
setInterval(() => {}, 60_000)
await followTopic(log, topics['chain-a-facts'], {
  signal: new AbortController().signal,
  offsetOf: () => 0,
  async onBatch(batch, partition) {
    for (let index = 0; index < batch.count; index++)
      process.stdout.write(`${partition} ${batch.offsetAt(index)} ${batch.valueAt(index)}\n`)
  },
})

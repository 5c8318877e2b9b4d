import { expect } from 'chai'
import { OperationError, type OperationErrorCode } from '../../../infra/errors.ts'
import { restartPauseMsOf } from '../../../infra/log/kafka/share-partitions.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { runPartitions } from '../../../processors/runtime/run-partitions.ts'
import type { StageDependencies } from '../../../processors/runtime/task.ts'
import { openStage, silentLogger } from '../../replay/stage-log.ts'
import { toyTopics } from '../../replay/toy/toy-records.ts'
import { toy } from '../../replay/toy/toy-stage.ts'

/**
 * The length of a writer's session, in milliseconds. After another worker has taken over a partition, this
 * worker waits for a third of it before it restarts.
 */
const sessionMs = 3

/**
 * Runs two partitions and counts how often each of them begins. The second partition fails one time per code
 * in `codes`.
 */
async function work(codes: readonly OperationErrorCode[]) {
  const log = createMemoryLog({ nowMs: () => 0, topicTable: toyTopics })
  const stop = new AbortController()
  const begun = { first: 0, second: 0 }
  const failures = [...codes]
  const openWriter: typeof log.openWriter = async (writerId, options) => {
    if (!writerId.startsWith('stage-')) return log.openWriter(writerId, options)
    const isFirst = writerId.endsWith('-0')
    begun[isFirst ? 'first' : 'second'] += 1
    const code = isFirst ? undefined : failures.shift()
    if (code !== undefined) throw new OperationError(code, 'it fails')
    // The second partition has no failures left, so the test can stop.
    if (!isFirst) setImmediate(() => stop.abort())
    return log.openWriter(writerId, options)
  }
  const dependencies: StageDependencies = {
    ...(await openStage(toy, undefined, toyTopics)),
    log: { ...log, openWriter },
    processors: [],
    nowMs: Date.now,
    logger: silentLogger,
  }
  const ended = await runPartitions(dependencies, {
    partitions: [0, 1],
    signal: stop.signal,
    restartPauseMs: restartPauseMsOf(sessionMs),
  }).then(
    () => 'as told',
    (error: OperationError) => error.code,
  )
  return { ended, begun }
}

describe('a worker of the stage', () => {
  it('takes a partition up again that was taken from it, or whose log was away, and leaves the others alone', async () => {
    const { ended, begun } = await work(['writer_fenced', 'log_unavailable', 'writer_fenced'])
    expect(ended).to.equal('as told')
    expect(begun).to.deep.equal({ first: 1, second: 4 })
  })

  it('ends with a failure that waiting does not mend', async () => {
    for (const code of ['determinism_broken', 'record_corrupt', 'log_failed'] as const) {
      const { ended, begun } = await work([code])
      expect(ended).to.equal(code)
      expect(begun).to.deep.equal({ first: 1, second: 1 })
    }
  })
})

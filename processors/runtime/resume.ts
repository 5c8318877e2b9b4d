/**
 * Finds the point at which a task (one partition of a stage) begins to read facts. This is right after the
 * newest snapshot that is not later than the last tick that the task has written. If there is no such
 * snapshot, the task begins at the first fact.
 */
import { OperationError } from '../../infra/errors.ts'
import type { Tick } from '../../schemas/tick.ts'
import { lastForwardedTick } from './restatement/last-forwarded.ts'
import { createPublished, type Published } from './restatement/published.ts'
import { reachesBack } from './restatement/reaches-back.ts'
import type { SnapshotStore } from './snapshots/snapshot-store.ts'
import { fitsCode, type StageDependencies, taskName, topicsOf } from './task.ts'
import { type AnyWalk, createWalk } from './walk.ts'

export type Resumed = Readonly<{
  walk: AnyWalk
  factsOffset: number
  /**
   * The last tick that the task has written. The task processes the facts up to this tick again, without
   * writing. Null if the task has never written a tick.
   */
  forwarded: Tick | null
  /**
   * The published records, which the task must produce again from the facts up to `forwarded`. Null if this
   * is impossible, because there is no snapshot and the first facts are gone from the log.
   */
  published: Published | null
}>

/**
 * Restores the state of a task. The caller must first have prevented the previous run of the task from
 * writing (fencing). Fails with `offset_out_of_range` if facts that the task has not read are gone from the
 * log.
 */
export async function resume(
  dependencies: StageDependencies,
  partition: number,
  snapshots: SnapshotStore,
): Promise<Resumed> {
  const { log, logger } = dependencies
  const { factTopic, derivedTopic } = topicsOf(dependencies)
  const task = taskName(dependencies, partition)
  const forwarded = await lastForwardedTick(dependencies, partition)
  const walk = createWalk(dependencies)
  const stored = await snapshots.newest(forwarded?.seq ?? Number.NEGATIVE_INFINITY, fitsCode(dependencies))
  const facts = await log.bounds(factTopic, partition)
  if (stored === null) {
    const isWhole = facts.startOffset === 0
    if (forwarded !== null && !isWhole)
      logger.warn(
        { task },
        'this version can restore no snapshot, and the log no longer has the first facts. The stage computes its state from the facts that are left, and does not compare the results with the published records',
      )
    const derived = await log.bounds(derivedTopic, partition)
    const published = isWhole ? createPublished(dependencies, partition, derived.startOffset) : null
    return { walk, factsOffset: facts.startOffset, forwarded, published }
  }
  const { factsOffset, derivedOffset, seq } = stored.manifest
  if (!(await reachesBack(dependencies, partition, stored.manifest)))
    throw new OperationError(
      'offset_out_of_range',
      `the log no longer has the facts of ${task} after tick ${seq}. Start over with another log (KAFKA_TOPIC_PREFIX or DATA_DIR)`,
      {
        context: { topic: factTopic, partition, factsOffset, startOffset: facts.startOffset },
      },
    )
  walk.restore(stored.state)
  return { walk, factsOffset, forwarded, published: createPublished(dependencies, partition, derivedOffset) }
}

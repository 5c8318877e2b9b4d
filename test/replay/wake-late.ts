/**
 * A task stands still with an append made up, as in a process that its machine has put to sleep; a later one does all its
 * work; then the append of the first arrives.
 */
import type { Log } from '../../infra/log/log.ts'
import type { StageTypes } from '../../schemas/stage.ts'
import { inBatchesOf, type OpenStage, runUntil } from './stage-log.ts'

/** Small, so that a task has many appends. */
const batchAppends = 20
/** Of its appends of derived records: some are made, more are left. */
const standsStillAt = 3

type Late<Types extends StageTypes> = Readonly<{
  open: OpenStage<Types>
  partition: number
  lastSeq: number
  /** As the first and the later one see it. */
  logs: readonly [Log, Log]
}>

/** Resolves, when both have ended, with the code that the first one failed with; null if it did not fail. */
export async function wakeLate<Types extends StageTypes>({
  open,
  partition,
  lastSeq,
  logs: [first, later],
}: Late<Types>): Promise<string | null> {
  const run = (log: Log) => runUntil({ ...open, partition }, lastSeq, { log: inBatchesOf(log, batchAppends) })
  const still = standingStill(first)
  const late = run(still.log).then(
    () => null,
    (error: unknown) => {
      // Not by its class: an adapter that is imported when its log is opened is not the module that mocha has required.
      if (error instanceof Error && 'code' in error) return String(error.code)
      throw error
    },
  )
  await Promise.race([still.stands, late])
  await run(later)
  still.wake()
  return late
}

function standingStill(log: Log) {
  const [standing, waking] = [createGate(), createGate()]
  let count = 0
  const openWriter: Log['openWriter'] = async (writerId, options) => {
    const writer = await log.openWriter(writerId, options)
    return {
      ...writer,
      append: async (records) => {
        if (records.every(({ topic }) => topic.endsWith('derived')) && ++count === standsStillAt) {
          standing.open()
          await waking.passed
        }
        await writer.append(records)
      },
    }
  }
  return { log: { ...log, openWriter }, stands: standing.passed, wake: waking.open }
}

function createGate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

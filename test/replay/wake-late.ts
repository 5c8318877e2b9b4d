/**
 * Tests a task that is suspended just before an append. A later task does all the work. Then the append of
 * the first task arrives.
 */
import type { Log } from '../../infra/log/log.ts'
import type { StageTypes } from '../../schemas/stage.ts'
import { inBatchesOf, type OpenStage, runUntil } from './stage-log.ts'

/** The number of ticks per read. It is small, so that a task makes many appends itself. */
export const ticksPerRead = 20
/**
 * The number of the append before which the first task stops, counted over appends of derived records. After
 * this append, the task still has more appends to make.
 */
const standsStillAt = 3

type Late<Types extends StageTypes> = Readonly<{
  open: OpenStage<Types>
  partition: number
  lastSeq: number
  /** The logs as seen by the first task and by the later task. */
  logs: readonly [Log, Log]
  /** The number of ticks in each append of the facts. */
  ticksPerAppend?: number
}>

/**
 * Resolves when both tasks have ended. Returns the error code of the first task, or null if it did not fail.
 */
export async function wakeLate<Types extends StageTypes>({
  open,
  partition,
  lastSeq,
  logs: [first, later],
  ticksPerAppend = 1,
}: Late<Types>): Promise<string | null> {
  const appends = ticksPerRead / ticksPerAppend
  const run = (log: Log) => runUntil({ ...open, partition }, lastSeq, { log: inBatchesOf(log, appends) })
  const still = standingStill(first)
  const late = run(still.log).then(
    () => null,
    (error: unknown) => {
      // Checks `code` instead of the class. The module of a log adapter is loaded twice, so its error class
      // exists twice.
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

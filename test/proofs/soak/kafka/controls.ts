/**
 * Shows that the workers need two protections. The fence stops an old worker from writing. The suppression
 * skips records that are already derived. Without either of them, the proof finds a difference.
 */
import { createRandom } from '../../../../ingest/simulated/random.ts'
import { type Contents, differences } from '../../crash/contents.ts'
import { startTestWorker, startWorker, type Worker } from './crew.ts'
import { derivedLines } from './lines.ts'
import { closeSession, openSession, type Session, type SessionOptions } from './session.ts'
import { waitUntil } from './wait-until.ts'

const paceMs = 5
const wholeMarket = Number.POSITIVE_INFINITY

/**
 * A worker stops before a prepared append, and another worker does the same work. Then the stopped worker
 * continues. Without `fence`, its append is written too.
 */
export const wakeLate = (options: SessionOptions, without?: 'fence'): Promise<string[]> =>
  differencesAfter(options, async (session) => {
    const late = hire(session, startTestWorker({ standsStillAt: 12, ...(without && { without }) }, session))
    await late.until(/partitions assigned/)
    const feeding = session.feeder.feedTo(wholeMarket, paceMs)
    await late.until(/stands still/)
    hire(session, startWorker(session))
    await feeding
    await session.settled()
    const joinCount = late.joinCount()
    late.kill('SIGCONT')
    // The first worker has failed, or it has new partitions. In both cases its old work has ended.
    const hasEnded = () => session.report.mismatches.some((sentence) => sentence.includes('ended with'))
    await waitUntil('what it had begun has ended', () => late.joinCount() > joinCount || hasEnded())
  })

/**
 * A worker is killed midway, and another worker takes over. Without `suppression`, the other worker does not
 * see the derived records.
 */
export const takeOverMidway = (options: SessionOptions, without?: 'suppression'): Promise<string[]> =>
  differencesAfter(options, async (session) => {
    const { steps } = options.undisturbed
    const first = hire(session, startWorker(session))
    await first.until(/partitions assigned/)
    await session.feeder.feedTo(steps[Math.floor(steps.length / 2)]?.seq ?? 0, paceMs)
    await session.settled()
    first.kill('SIGKILL')
    hire(session, startTestWorker(without ? { without } : {}, session))
    await session.feeder.feedTo(wholeMarket, paceMs)
    await session.settled()
  })

async function differencesAfter(options: SessionOptions, play: (session: Session) => Promise<void>): Promise<string[]> {
  const session = await openSession(options, createRandom(1), { withCrew: false })
  try {
    await play(session)
    const contents: Record<string, Contents[string]> = {}
    const expected = options.undisturbed.derived
    for (const [partition, name] of Object.keys(expected).entries())
      contents[name] = await derivedLines(session.log, session.stage, partition)
    return differences(expected, contents)
  } finally {
    await closeSession(session)
  }
}

function hire(session: Session, worker: Worker): Worker {
  session.crew.workers.push(worker)
  return worker
}

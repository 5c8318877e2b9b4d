/**
 * The faults of a round. They happen while facts arrive. Each fault resolves as soon as it no longer disturbs
 * a worker.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CrashPointName } from '../../../../infra/crash-points.ts'
import { shuffled } from '../../../../ingest/simulated/random.ts'
import { countIn } from './chaos-report.ts'
import { startSink, startTestWorker, startWorker, type Worker } from './crew.ts'
import { isTransactionOpen } from './open-transactions.ts'
import { type Session, sessionMs } from './session.ts'
import type { WorkerJob } from './worker.ts'

/**
 * The crash points of a worker. A kill comes at the n-th pass of its point, and n is at most the given
 * number.
 */
const pointsOfWorkers: Readonly<Partial<Record<CrashPointName, number>>> = {
  'stage-before-commit': 12,
  'log-before-commit': 12,
  'log-after-commit': 12,
  'stage-after-commit': 12,
  'stage-restated': 2,
  'snapshot-chunk-written': 3,
  'snapshot-before-manifest': 3,
  'snapshot-after-manifest': 3,
}
export const workerPoints = Object.keys(pointsOfWorkers) as readonly CrashPointName[]

export type Round = Readonly<{
  /** Appends the facts of the round in about `feedMs`. */
  feed: () => Promise<void>
  feedMs: number
}>

type Fault = (session: Session, round: Round) => Promise<void>

const faults: Readonly<Record<string, Fault>> = {
  'kill one': async (session, { feed, feedMs }) => {
    const feeding = feed()
    await sleep(session.random.whole(0, feedMs))
    await killAndReplace(session, session.random.whole(0, 1))
    await feeding
  },

  'kill both': async (session, { feed, feedMs }) => {
    const feeding = feed()
    await sleep(session.random.whole(0, feedMs))
    await Promise.all([killAndReplace(session, 0), killAndReplace(session, 1)])
    await feeding
  },

  'kill at a point': async (session, { feed }) => {
    const name = leastStruck(session)
    const hit = session.random.whole(1, pointsOfWorkers[name] ?? 1)
    const guest = invite(session, { crash: { name, hit } })
    await joined(guest)
    await feed()
    await Promise.race([guest.done, sleep(sessionMs / 2)])
    if (await hasEnded(guest)) countIn(session.report.byPoint, name)
    else await kill(session, guest)
  },

  'kill one while another joins': async (session, { feed }) => {
    const guest = invite(session, {})
    const feeding = feed()
    const [first] = session.crew.workers
    await session.until('the workers share anew', () => first?.ours() === null || guest.ours() !== null)
    await sleep(session.random.whole(0, 200))
    await killAndReplace(session, session.random.whole(0, 1))
    await feeding
    await joined(guest)
    await guest.stop()
  },

  'join and leave': async (session, { feed }) => {
    const guest = invite(session, {})
    const feeding = feed()
    await joined(guest)
    await sleep(session.random.whole(0, 1000))
    await guest.stop()
    await feeding
  },

  'stand still': async (session, { feed, feedMs }) => {
    const feeding = feed()
    await sleep(session.random.whole(0, feedMs))
    const worker = session.crew.workers[session.random.whole(0, 1)] as Worker
    const doing = doingOf(session, worker)
    worker.kill('SIGSTOP')
    countIn(session.report.byFault, `stood still ${await placeOf(session, doing)}`)
    await sleep(sessionMs + session.random.whole(300, 2000))
    await wake(session, worker)
    await feeding
  },

  'stand still before an append': async (session, { feed }) => {
    const guest = invite(session, { standsStillAt: session.random.whole(2, 12) })
    await joined(guest)
    await feed()
    const stopped = await Promise.race([guest.until(/stands still/).then(() => true), sleep(1000).then(() => false)])
    if (stopped) {
      countIn(session.report.byFault, 'stood still before an append')
      await session.settled()
      await wake(session, guest)
    }
    // The worker may reach the point where it stops itself only now. So it gets SIGCONT again and again until
    // it ends.
    const waking = setInterval(() => guest.kill('SIGCONT'), 200)
    await guest.stop().finally(() => clearInterval(waking))
  },

  'restart the broker': async (session, { feed, feedMs }) => {
    const signal = session.random.chance(0.5) ? 'SIGTERM' : 'SIGKILL'
    // A program ends if it finds no broker at its start. So all programs must have started before the broker
    // stops. The programs report their start only when there is work, so one step of facts is appended first.
    await session.feeder.feedTo(session.feeder.seq() + 1, 0)
    await Promise.all([...session.crew.workers.map(joined), session.crew.sink?.until(/has read all of its input/)])
    const feeding = feed()
    await sleep(session.random.whole(0, feedMs))
    await session.cluster.kafka.restartBroker(0, signal)
    countIn(session.report.byFault, `broker ended with ${signal}`)
    await feeding
  },
}

/** Every kind of fault, some twice, in a random order. */
export function bagOfFaults(session: Session): readonly string[] {
  return shuffled([...Object.keys(faults), 'kill one', 'kill at a point'], session.random)
}

const sinkKillRatio = 0.25

export async function strike(session: Session, name: string, round: Round): Promise<void> {
  countIn(session.report.byFault, name)
  const fault = faults[name] as Fault
  if (session.random.chance(sinkKillRatio)) await killSink(session)
  await fault(session, round)
}

async function killSink(session: Session): Promise<void> {
  session.crew.sink?.kill('SIGKILL')
  await session.crew.sink?.done
  countIn(session.report.byFault, 'kill the sink besides')
  session.crew.sink = startSink(session)
}

function invite(session: Session, job: Omit<WorkerJob, 'stage'>): Worker {
  const guest = startTestWorker(job, session)
  session.crew.guests.push(guest)
  return guest
}

const joined = (worker: Worker): Promise<void> => worker.until(/partitions assigned/)

async function hasEnded(worker: Worker): Promise<boolean> {
  return Promise.race([worker.done.then(() => true), sleep(0).then(() => false)])
}

/** Waits until the worker notices the loss of its partitions and gets new ones. */
async function wake(session: Session, worker: Worker): Promise<void> {
  const joinCount = worker.joinCount()
  worker.kill('SIGCONT')
  await session.until('the worker that stood still has joined again', () => worker.joinCount() > joinCount)
}

async function killAndReplace(session: Session, index: number): Promise<void> {
  const { workers } = session.crew
  await kill(session, workers[index] as Worker)
  workers[index] = startWorker(session)
}

async function kill(session: Session, worker: Worker): Promise<void> {
  const doing = doingOf(session, worker)
  worker.kill('SIGKILL')
  await worker.done
  countIn(session.report.byPoint, await placeOf(session, doing))
}

type Doing = Readonly<{ what: string; partitions: readonly number[] }>

/** Returns what the worker is doing, as its log output and the derived records show it. */
function doingOf({ feeder, ours }: Session, worker: Worker): Doing {
  const partitions = worker.ours() ?? []
  if (worker.joinCount() === 0) return { what: 'while it started', partitions }
  if (worker.ours() === null) return { what: 'while partitions were shared anew', partitions }
  const isBehind = partitions.some((partition) => (ours.seqs()[partition] ?? 0) < feeder.seq())
  return { what: isBehind ? 'while it folded' : 'while it waited', partitions }
}

async function placeOf({ cluster, stage, topicPrefix }: Session, { what, partitions }: Doing): Promise<string> {
  if (partitions.length === 0) return what
  const isOpen = await isTransactionOpen(cluster.kafka.brokers, `${topicPrefix}${stage.derivedTopic.name}`, partitions)
  return isOpen ? 'with its transaction open' : what
}

function leastStruck({ random, report }: Session): CrashPointName {
  const least = Math.min(...workerPoints.map((name) => report.byPoint[name] ?? 0))
  const [name] = shuffled(
    workerPoints.filter((each) => (report.byPoint[each] ?? 0) === least),
    random,
  )
  return name as CrashPointName
}

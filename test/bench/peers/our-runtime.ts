/** Runs the job on our runtime, in threads that share the partitions, like a stage of the service. */
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import { createKafkaLog } from '../../../infra/log/kafka/kafka-log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { partitionsOf } from '../../../processors/runtime/run-stage.ts'
import { type Topic, topics } from '../../../schemas/topics.ts'
import { countSnapshots, runWithOwnTurns, type SnapshotCount } from '../stage/snapshot-pace.ts'
import { createPeerCodecs, peerBursts, peerStageOn } from './job.ts'
import { type Place, sayFirst, tellSnapshots } from './place.ts'
import { partitionCount } from './workload.ts'

type Share = Readonly<{ place: Place; snapshotEveryMs: number; index: number; count: number }>

/** What a thread tells: the time of its first record, or the number of its snapshots so far. */
type Told = number | SnapshotCount

/** The default number of threads of a stage in the service (`STAGE_THREADS`). */
const defaultThreads = 2

const tellEveryMs = 100

/** Runs until a SIGTERM. Prints a line at the first record of any thread, and the snapshots of all threads. */
export async function runOurs(place: Place, snapshotEveryMs: number, threads = defaultThreads): Promise<void> {
  const counts = new Map<Worker, SnapshotCount>()
  const sum = (key: keyof SnapshotCount) => [...counts.values()].reduce((total, count) => total + count[key], 0)
  tellSnapshots(() => ({ taken: sum('taken'), bytes: sum('bytes') }))
  let isBegun = false
  const workers = Array.from({ length: threads }, (_, index) => {
    const share: Share = { place, snapshotEveryMs, index, count: threads }
    const worker = new Worker(new URL('./our-thread.js', import.meta.url), { workerData: share })
    worker.on('message', (told: Told) => {
      if (typeof told !== 'number') counts.set(worker, told)
      else if (!isBegun) {
        isBegun = true
        sayFirst(told)
      }
    })
    return worker
  })
  // A thread that fails ends the process, because an error of a worker without a listener is thrown here.
  process.once('SIGTERM', () => {
    for (const worker of workers) worker.postMessage('stop')
  })
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve))))
}

/** One of the threads. It commits whole ticks in one transaction, as in the service. */
export async function runShare(): Promise<void> {
  const { place, snapshotEveryMs, index, count: threads } = workerData as Share
  const { brokers, topicIn, topicOut, id } = place
  const port = parentPort as MessagePort
  const topicOf = (name: string): Topic => ({ ...topics['chain-a-derived'], name, partitionCount })
  const [factTopic, derivedTopic] = [topicOf(topicIn), topicOf(topicOut)]
  const topicTable = { [topicIn]: factTopic, [topicOut]: derivedTopic, snapshots: topics.snapshots }
  const logger = createLogger(id, 'warn')
  const kafka = await createKafkaLog({ brokers: brokers.split(','), nowMs: Date.now, logger, topicTable })
  const { log, count } = countSnapshots(kafka)
  const tell = (told: Told) => port.postMessage(told)
  // While the port has a listener, it keeps the thread alive. Waiting for records does not.
  const ending = new AbortController()
  port.once('message', () => ending.abort())
  setInterval(() => tell(count()), tellEveryMs).unref()
  const stage = peerStageOn({ name: id, factTopic, derivedTopic })
  const codecs = createPeerCodecs(() => tell(Date.now()))
  await runWithOwnTurns(
    { log, nowMs: Date.now, logger, stage, processors: [peerBursts], snapshotEveryMs, ...codecs },
    ending.signal,
    partitionsOf(stage, { index, count: threads }),
  )
  await log.close()
  port.close()
}

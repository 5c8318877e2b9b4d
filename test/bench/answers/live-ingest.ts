/**
 * A thread that runs ingest with simulated trades. The simulated time begins some minutes ago instead of one
 * day ago. So the data is live soon.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openLog } from '../../../infra/log/open-log.ts'
import { createSimulator } from '../../../ingest/chain-a/simulated/simulator.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { runIngest } from '../../../ingest/run-ingest.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { silentLogger } from '../../replay/stage-log.ts'

export type LiveIngestData = Readonly<{ dataDir: string }>

const dayMs = 86_400_000
const pastMs = 10 * 60_000
/** With this number of launches, the few minutes have as many trades per second as a usual day. */
const launchesPerDay = 20_000

export async function runLiveIngest(): Promise<void> {
  const { dataDir } = workerData as LiveIngestData
  const stopping = new AbortController()
  parentPort?.once('message', () => stopping.abort())
  const { log, registry, close } = await openLog({ dataDir, nowMs: Date.now })
  const market = { seed: 1, launchesPerDay }
  const simulator = createSimulator({ ...market, nowMs: Date.now })
  // The simulator begins its trades one day before the time of its first `nowMs` call. So this first call
  // returns a time that is one day ahead, less a few minutes.
  let askedCount = 0
  const nowMs = () => Date.now() + (askedCount++ === 0 ? dayMs - pastMs : 0)
  const { source } = createSimulator({ ...market, nowMs })
  await runIngest({
    chain: { ...simulator, source },
    ...{ log, nowMs: Date.now, logger: silentLogger, signal: stopping.signal },
    codecs: await createIngestCodecs(chainAStage, registry),
  })
  await close()
  parentPort?.close()
}

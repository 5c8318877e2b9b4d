import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, rm } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { readLast } from '../../infra/log/read-back.ts'
import { createLogger } from '../../infra/telemetry.ts'
import { partitionsOf, runStage } from '../../processors/runtime/run-stage.ts'
import { isTick, type StageTypes } from '../../schemas/stage.ts'
import { type BenchStageName, benchStages, factsOf, type OpenFacts, openFacts } from './fact-log.ts'
import { compete, type Spent, spent } from './rounds.ts'

type StageBench = Readonly<{ dataDir: string; stageName: BenchStageName; facts: number; rounds: number }>
type StageLog = Readonly<{ dataDir: string; stageName: BenchStageName }>

/** Prints facts/s of a byte scan, of a decode of every record by avsc, and of the stage from the log to committed outputs. */
export async function measureStage({ dataDir, stageName, facts, rounds }: StageBench): Promise<void> {
  const its = { dataDir, stageName }
  const [scan, decode, stage, threads] = await compete(
    [
      { name: 'raw byte scan', run: () => timed(its, scanBytes) },
      { name: 'whole-record decode', run: () => timed(its, decodeAll) },
      { name: 'stage, one thread', run: () => onCopy(its, (copy) => timed(copy, (open) => runStageToEnd(open))) },
      { name: `stage, ${threadCount} threads`, run: () => onCopy(its, runInThreads) },
    ],
    { rounds, units: facts },
  )
  assert(scan && decode && stage && threads)
  const ofDecode = (stage.perSecond / decode.perSecond).toFixed(2)
  const ofDecodeCpu = (decode.cpuSecondsPerMillion / stage.cpuSecondsPerMillion).toFixed(2)
  const ofDecodeInThreads = (threads.perSecond / decode.perSecond).toFixed(2)
  const ofScan = (stage.perSecond / scan.perSecond).toFixed(3)
  console.log(
    `  stage: ${ofDecode} x decode (aim 1.0), ${ofDecodeCpu} x by CPU; ${ofScan} x scan; in ${threadCount} threads ${ofDecodeInThreads} x decode`,
  )
}

async function timed({ dataDir, stageName }: StageLog, run: (open: OpenFacts) => Promise<void>): Promise<Spent> {
  const open = await openFacts<StageTypes>(dataDir, benchStages[stageName])
  const result = await spent(() => run(open))
  await open.log.close()
  return result
}

/** What a run derives must not be there for the next. */
async function onCopy({ dataDir, stageName }: StageLog, run: (copy: StageLog) => Promise<Spent>): Promise<Spent> {
  const copy = `${dataDir}-copy`
  await cp(dataDir, copy, { recursive: true })
  const result = await run({ dataDir: copy, stageName })
  await rm(copy, { recursive: true })
  return result
}

/** Keeps what is read from being optimised away. */
let checksum = 0

async function scanBytes(open: OpenFacts): Promise<void> {
  for (const partition of partitionsOf(open.stage))
    for await (const { bytes } of factsOf(open, partition))
      for (let at = 0; at < bytes.length; at += 8) checksum = (checksum + (bytes[at] ?? 0)) | 0
}

async function decodeAll(open: OpenFacts): Promise<void> {
  for (const partition of partitionsOf(open.stage))
    for await (const batch of factsOf(open, partition))
      for (let index = 0; index < batch.count; index++) {
        const value = batch.valueAt(index)
        if (value) checksum = (checksum + open.factCodec.decode(value).type.length) | 0
      }
}

/** As many as the service starts with. */
const threadCount = 2

/** The threads' own start is left out, as that of the one thread is. */
async function runInThreads({ dataDir, stageName }: StageLog): Promise<Spent> {
  const workers = Array.from({ length: threadCount }, (_, index) => {
    const share = { index, count: threadCount }
    return new Worker(new URL('./stage-thread.js', import.meta.url), { workerData: { dataDir, stageName, share } })
  })
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  return spent(async () => {
    const done = workers.map((worker) => once(worker, 'message'))
    for (const worker of workers) worker.postMessage('go')
    await Promise.all(done)
  })
}

export async function runStageToEnd(open: OpenFacts, run: readonly number[] = partitionsOf(open.stage)): Promise<void> {
  const finished = new AbortController()
  const seqs = new Map<number, number>()
  const lastSeq = await lastTickSeq(open)
  await runStage(
    {
      ...open,
      nowMs: Date.now,
      logger: createLogger('bench', 'warn'),
      onProgress({ partition, seq }) {
        seqs.set(partition, seq)
        if (run.every((each) => seqs.get(each) === lastSeq)) finished.abort()
      },
    },
    finished.signal,
    run,
  )
}

async function lastTickSeq({ log, stage, factCodec }: OpenFacts): Promise<number> {
  const found = await readLast(
    log,
    { topic: stage.factTopic.name, partition: 0 },
    (batch, index) => batch.keyAt(index) === 'tick',
  )
  const record = found && factCodec.decode(found.batch.valueAt(found.index) as Buffer)
  assert(record && isTick(record), 'the facts end with a tick')
  return record.data.seq
}

/**
 * Tests which data age the free routes show while one of the programs is stopped. The log records, the
 * processing stage and the tables are real.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { runStage } from '../../processors/runtime/run-stage.ts'
import { chainA } from '../../processors/stages.ts'
import { chainAProjection } from '../../projections/chain-a/projection.ts'
import { type Cuts, createCuts } from '../../projections/cuts.ts'
import { runProjections } from '../../projections/sink/run.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { tickKey } from '../../schemas/topics.ts'
import { buildTick, noonMs } from '../projections/derived-log.ts'
import { openStage, silentLogger } from '../replay/stage-log.ts'
import { closeAll } from '../support/close-all.ts'
import { bodyOf, edgeOfTests } from './edge.ts'

const { factTopic } = chainAStage

describe('the age of the data', () => {
  let cuts: Cuts
  const edge = edgeOfTests({
    cuts: {
      newest: (stages) => cuts.newest(stages),
      at: (atMs, stages) => cuts.at(atMs, stages),
      oldestAtMs: (stages) => cuts.oldestAtMs(stages),
    },
  })
  const registry = createMemoryRegistry()
  const log = createMemoryLog({ nowMs: () => noonMs })
  let dataDir: string
  let writer: Database
  let reader: Database
  let seq = 0

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    writer = await createDatabase({ dataDir, name: 'dead', role: 'writer' })
    reader = await createDatabase({ dataDir, name: 'dead', role: 'reader' })
    cuts = createCuts({ database: reader })
  })
  after(() => closeAll(writer?.close, reader?.close, () => rm(dataDir, { recursive: true, force: true })))

  type Program = Readonly<{ stop(): Promise<void> }>
  const start = (run: (signal: AbortSignal) => Promise<void>): Program => {
    const stopping = new AbortController()
    const running = run(stopping.signal)
    return {
      async stop() {
        stopping.abort()
        await running
      },
    }
  }
  const startStage = async () => {
    const open = await openStage(chainA, registry)
    const dependencies = { ...open, log, nowMs: () => 0, logger: silentLogger, snapshotEveryMs: 1e12 }
    return start((signal) => runStage(dependencies, signal))
  }
  const startSink = () =>
    start((signal) =>
      runProjections({
        ...{ projections: [chainAProjection], log, registry, database: writer, logger: silentLogger },
        ...{ signal, flushIntervalMs: 5 },
      }),
    )

  /**
   * Appends one tick (the record that closes a time step) per second, in the same way as the ingest program.
   * `blockSec` returns the time of the newest block at a tick, in seconds.
   */
  const tell = async (fromSec: number, toSec: number, blockSec = (sec: number) => sec) => {
    const { factCodec } = await openStage(chainA, registry)
    const ingest = await log.openWriter('ingest-chain-a')
    for (let sec = fromSec; sec <= toSec; sec++) {
      seq += 1
      const times = {
        knownAtMs: noonMs + sec * 1000,
        blockAtMs: noonMs + blockSec(sec) * 1000,
        blockNumber: blockSec(sec),
      }
      const value = factCodec.encode('Tick', buildTick({ seq, ...times, rulesVersion: chainAStage.rulesVersion }))
      const partitions = Array.from({ length: factTopic.partitionCount }, (_, partition) => partition)
      await ingest.append(partitions.map((partition) => ({ topic: factTopic.name, partition, key: tickKey, value })))
    }
    await ingest.close()
  }
  const shown = async (sec: number) => {
    while (((await cuts.newest([chainAStage]))?.atMs ?? 0) < noonMs + sec * 1000) await sleep(5)
  }
  /** Reads the age from all routes that show an age. */
  const agesAt = async (sec: number): Promise<readonly unknown[]> => {
    edge.nowMs = noonMs + sec * 1000
    const data = await Promise.all(['/', '/health'].map(async (path) => (await bodyOf(edge.get(path))).data))
    const { dataAgeSec } = (await (await edge.get('/v1/health')).json()) as { dataAgeSec: number }
    return [...data.map((told) => (told as { ageSec: number }).ageSec), dataAgeSec]
  }

  it('grows while the stage, the tables or ingest stand still, and falls when they go on', async () => {
    let [stage, sink] = [await startStage(), startSink()]
    await tell(1, 10)
    await shown(10)
    expect(await agesAt(10), 'all run').to.deep.equal([0, 0, 0])

    await stage.stop()
    await tell(11, 70)
    expect(await agesAt(40), 'no stage').to.deep.equal([30, 30, 30])
    expect(await agesAt(70), 'no stage').to.deep.equal([60, 60, 60])
    stage = await startStage()
    await shown(70)
    expect(await agesAt(70), 'the stage is back').to.deep.equal([0, 0, 0])

    await sink.stop()
    await tell(71, 130)
    expect(await agesAt(130), 'no sink').to.deep.equal([60, 60, 60])
    sink = startSink()
    await shown(130)
    expect(await agesAt(130), 'the sink is back').to.deep.equal([0, 0, 0])

    expect(await agesAt(190), 'no ingest').to.deep.equal([60, 60, 60])

    await tell(131, 190, () => 130)
    await shown(190)
    expect(await agesAt(190), 'no blocks').to.deep.equal([60, 60, 60])
    await Promise.all([stage.stop(), sink.stop()])
  })
})

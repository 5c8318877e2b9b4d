/** Workers and a sink on their own topics and tables. The simulated facts are fed step by step. */

import { prepareSchemas } from '../../../../infra/codec/prepare-schemas.ts'
import { createConfluentRegistry } from '../../../../infra/codec/registry/confluent-registry.ts'
import { OperationError } from '../../../../infra/errors.ts'
import { createKafkaLog } from '../../../../infra/log/kafka/kafka-log.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { createIngestCodecs } from '../../../../ingest/codecs.ts'
import type { Random } from '../../../../ingest/simulated/random.ts'
import type { Stage } from '../../../../schemas/stage.ts'
import { topics } from '../../../../schemas/topics.ts'
import { silentLogger } from '../../../replay/stage-log.ts'
import type { RunningProgram } from '../../../support/programs.ts'
import type { ChaosReport } from './chaos-report.ts'
import type { Cluster } from './cluster.ts'
import { type Crew, startSink, startWorker } from './crew.ts'
import { createFeeder, type Feeder } from './feeder.ts'
import { type Follower, followOurs } from './follower.ts'
import type { Undisturbed } from './undisturbed.ts'
import { waitUntil } from './wait-until.ts'

/** The shortest session timeout that Kafka brokers allow, in milliseconds. */
export const sessionMs = 6000

export type SessionOptions = Readonly<{
  cluster: Cluster
  undisturbed: Undisturbed
  /** The name of the topics and tables, of letters and digits. */
  name: string
  report: ChaosReport
}>

export type Session = Readonly<{
  cluster: Cluster
  stage: Stage
  topicPrefix: string
  environment: Readonly<Record<string, string>>
  onFailure: (sentence: string) => void
  random: Random
  report: ChaosReport
  log: Log
  feeder: Feeder
  ours: Follower
  crew: { -readonly [Part in keyof Crew]: Crew[Part] }
  /** Waits until `isSo` is true. Fails after the time limit, or when a program has failed. */
  until(what: string, isSo: () => boolean): Promise<void>
  /** Resolves when all appended facts are derived. */
  settled(): Promise<void>
}>

export async function openSession(
  { cluster, undisturbed, name, report }: SessionOptions,
  random: Random,
  { withCrew }: Readonly<{ withCrew: boolean }>,
): Promise<Session> {
  const { kafka, engine, dataDir } = cluster
  const { stage, steps } = undisturbed
  const topicPrefix = `${name}-`
  const environment = {
    KAFKA_BROKERS: kafka.brokers,
    KAFKA_TOPIC_PREFIX: topicPrefix,
    KAFKA_SESSION_MS: String(sessionMs),
    SCHEMA_REGISTRY_URL: kafka.registryUrl ?? '',
    CLICKHOUSE_URL: `${engine.url}/${name}`,
    DATA_DIR: dataDir,
    STAGE_THREADS: '1',
  }
  const onFailure = (sentence: string) => void report.mismatches.push(`${name}: ${sentence}`)
  const hiring = { environment, onFailure, stage }
  const log = await createKafkaLog({
    brokers: kafka.brokers.split(','),
    nowMs: Date.now,
    logger: silentLogger,
    topicPrefix,
  })
  const registry = await createConfluentRegistry({ url: kafka.registryUrl ?? '', topicPrefix })
  await prepareSchemas(registry, topics)
  const codecs = await createIngestCodecs(stage, registry)
  const feeder = createFeeder({ log, codecs, stage, steps })
  const ours = followOurs(log, codecs.derived, stage)
  const mismatchCount = report.mismatches.length
  const until = (what: string, isSo: () => boolean) =>
    waitUntil(what, () => {
      const [failure] = report.mismatches.slice(mismatchCount)
      if (failure) throw new OperationError('program_failed', failure)
      return isSo()
    })
  return {
    ...{ cluster, stage, topicPrefix, environment, onFailure, random, report, log, feeder, ours },
    crew: withCrew
      ? { workers: [startWorker(hiring), startWorker(hiring)], sink: startSink(hiring), guests: [] }
      : { workers: [], sink: null, guests: [] },
    until,
    settled: () => until('all that was fed is derived', () => ours.seqs().every((seq) => seq >= feeder.seq())),
  }
}

export async function closeSession(session: Session): Promise<void> {
  const programs = [...programsOf(session), ...session.crew.guests]
  for (const program of programs) program.kill('SIGKILL')
  await Promise.all(programs.map(({ done }) => done))
  await session.ours.close()
  await session.log.close()
}

export const programsOf = ({ crew }: Session): readonly RunningProgram[] =>
  crew.sink ? [...crew.workers, crew.sink] : crew.workers

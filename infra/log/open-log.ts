/** Opens the log that the configuration names: on Kafka, or embedded. */
import { type Topic, type TopicTable, topics } from '../../schemas/topics.ts'
import type { Check } from '../check.ts'
import type { SchemaRegistry } from '../codec/schema-codec.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../telemetry.ts'
import {
  clearPasswordText,
  clearPasswordToDo,
  type KafkaSettings,
  kafkaSettings,
  sendsPasswordInClear,
} from './kafka/kafka-settings.ts'
import type { Log, LogReader } from './log.ts'

export type OpenLog = Readonly<{
  log: Log
  registry: SchemaRegistry
  /**
   * Divides the partitions of a topic among workers, and runs `work` on the partitions of this worker. A
   * shared log has workers in any number of processes, and calls `work` again after each rebalance. An
   * embedded log gives this worker its `share` and calls `work` one time. Ends when the signal aborts, or
   * with the failure of `work`.
   */
  sharePartitions(sharing: Sharing): Promise<void>
  /**
   * The pause in milliseconds before failed work on one partition starts again. `failureCount` is the number of
   * failures in a row. Null if the failure must end the worker.
   */
  restartPauseMs(error: unknown, failureCount: number): number | null
  /** Notices about this log for the operator. A program shows them when it starts. */
  notices?: readonly string[]
  /**
   * Returns the disk space of the log in bytes, by the names of its parts. A log on servers does not know its disk space.
   */
  sizes?(): Promise<ReadonlyMap<string, number>>
  close(): Promise<void>
}>

export type OpenReader = Readonly<{
  log: LogReader
  registry: SchemaRegistry
  /**
   * Lets retention delete the records that were appended before this time. Until the first call, the owner of
   * an embedded log keeps all records for this reader, but only for a limited time (`readerWaitMsMax`). On
   * Kafka, retention does not wait for readers.
   */
  holdFrom(appendedAtMs: number): void
  /**
   * The range of knowledge time (`from` inclusive, `to` exclusive) that a log holds completely although it does not grow,
   * such as files of whole days. Without it, the ticks show what the log holds.
   */
  wholeRange?: Readonly<{ from: number; to: number }>
  close(): Promise<void>
}>

type Sharing = Readonly<{
  groupId: string
  topic: Topic
  /**
   * The index of this worker, and the number of workers in its process. Only the embedded log uses this share, because
   * only Kafka has consumer groups.
   */
  share: Readonly<{ index: number; count: number }>
  signal: AbortSignal
  /** Must run until its signal aborts. A rebalance aborts the signal too. */
  work(partitions: readonly number[], signal: AbortSignal): Promise<void>
}>

export type LogSettings = Readonly<{
  dataDir: string
  nowMs: () => number
  /** The topics of the log. Default: the topics of this service. */
  topicTable?: TopicTable
  /** The Kafka cluster of the log. Default: the embedded log in `dataDir`. */
  kafka?: KafkaSettings & Readonly<{ logger: Logger }>
}>

/** The settings of the log that the configuration names. */
export function logSettings(
  config: Config,
  { nowMs, logger }: Readonly<{ nowMs: () => number; logger: Logger }>,
): LogSettings {
  const kafka = kafkaSettings(config)
  return { dataDir: config.DATA_DIR, nowMs, ...(kafka === null ? {} : { kafka: { ...kafka, logger } }) }
}

/**
 * Opens the log and registers its schemas. The adapters are loaded only when they are used. Fails with:
 * - `dependency_missing` if the package of the embedded log is not installed
 * - `schema_incompatible` if this version's schemas cannot read the records in the log
 * - `log_unavailable` or `registry_unreachable` if the cluster cannot be reached
 */
export async function openLog({ dataDir, nowMs, kafka, topicTable = topics }: LogSettings): Promise<OpenLog> {
  const table = { nowMs, topicTable }
  if (kafka !== undefined) {
    const { openKafkaLog } = await import('./kafka/open-kafka-log.ts')
    return openKafkaLog(kafka, table)
  }
  const { openEmbeddedLog } = await import('./embedded/open-embedded-log.ts')
  return openEmbeddedLog(dataDir, table)
}

/**
 * Opens the log read-only. Another process may write to the log at the same time. An embedded log is not
 * changed, and the opening fails with `log_missing` if there is no log. On Kafka, this function opens the log
 * as `openLog` does.
 */
export async function openLogReader(settings: LogSettings): Promise<OpenReader> {
  const { dataDir, kafka, topicTable = topics } = settings
  if (kafka !== undefined) return { ...(await openLog(settings)), holdFrom: () => {} }
  const { openEmbeddedReader } = await import('./embedded/open-embedded-log.ts')
  return openEmbeddedReader(dataDir, topicTable)
}

/** The facts about the log that a program needs before it opens the log. */
export type LogChoice = Readonly<{
  /**
   * Whether several processes can open the log at the same time. False if the log is in `DATA_DIR`. Then only
   * the process that has locked the directory may open the log, in any number of threads.
   */
  isShared: boolean
  /** Warnings for the operator when a program starts. They never contain a secret. */
  warnings: readonly string[]
  /** The checks of the log by `launch-data doctor`. They change nothing. */
  checks(): Promise<readonly Check[]>
  /**
   * Copies the log into a folder, for a backup. The owner of the log may write at the same time. Null if the log is on
   * servers, which have their own tools for this.
   */
  copyTo: ((folder: string, signal: AbortSignal) => Promise<void>) | null
}>

/** The variables that must be set for a shared log. */
export const sharedLogVariables = 'KAFKA_BROKERS and SCHEMA_REGISTRY_URL'

export function logChoiceOf(config: Config): LogChoice {
  const kafka = kafkaSettings(config)
  return kafka === null ? embeddedChoice(config) : kafkaChoice(kafka)
}

const embeddedChoice = ({ DATA_DIR: dataDir }: Config): LogChoice => ({
  isShared: false,
  warnings: [],
  async checks() {
    const { checkEmbeddedLog } = await import('./embedded/check-embedded-log.ts')
    return [await checkEmbeddedLog(dataDir)]
  },
  async copyTo(folder, signal) {
    const { copyEmbeddedLog } = await import('./embedded/copy-embedded-log.ts')
    await copyEmbeddedLog(dataDir, folder, signal)
  },
})

const kafkaChoice = (kafka: KafkaSettings): LogChoice => ({
  isShared: true,
  warnings: sendsPasswordInClear(kafka.security) ? [`${clearPasswordText}. TO DO: ${clearPasswordToDo}`] : [],
  async checks() {
    const { checkKafka } = await import('./kafka/check-kafka.ts')
    const { checkRegistry } = await import('../codec/registry/check-registry.ts')
    return Promise.all([...checkKafka(kafka), checkRegistry(kafka)])
  },
  copyTo: null,
})

/**
 * Starts one Kafka broker in KRaft mode on the loopback interface. The first broker of a cluster is also its
 * controller.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { OperationError } from '../../errors.ts'
import { type JavaOptions, type JavaProcess, shortLived, startJava } from './java-process.ts'

export type BrokerOptions = Readonly<{
  jarsDir: string
  /** The folder of this broker. If the folder has data of an earlier run, the broker serves that data again. */
  dir: string
  clusterId: string
  /** The number of the broker in its cluster, from 1 on. Broker 1 is also the controller. */
  nodeId: number
  port: number
  controllerPort: number
  outlivesUs: boolean
  /**
   * Whether Java uses its optimizing compiler for the broker. Measurements need this compiler. Without the
   * compiler, a start takes half the processor time.
   */
  isMeasured: boolean
  signal?: AbortSignal | undefined
  /** Entries of `server.properties`. An entry replaces the entry of the same name that this file sets. */
  settings?: Readonly<Record<string, string>> | undefined
}>

const logSettings = fileURLToPath(new URL('./log4j2.properties', import.meta.url))

/**
 * Starts a broker and resolves when it accepts requests. Fails with `program_failed` and the last lines of its output.
 */
export async function startBroker(options: BrokerOptions): Promise<JavaProcess> {
  await mkdir(options.dir, { recursive: true })
  const settingsPath = join(options.dir, 'server.properties')
  await writeFile(settingsPath, settingsOf(options))
  if (!existsSync(join(options.dir, 'data', 'meta.properties'))) await format(options, settingsPath)
  // Each start writes a new log file, because the line that shows readiness must not come from an earlier start.
  const logPath = join(options.dir, `broker-${Date.now()}.log`)
  const java: JavaOptions = {
    ...options,
    name: `broker ${options.nodeId}`,
    args: [...(options.isMeasured ? [] : shortLived), '-Xmx512m', ...classesOf(options), 'kafka.Kafka', settingsPath],
    logPath,
  }
  return startJava(java, async () => (await readFile(logPath, 'utf8')).includes('Kafka Server started'))
}

async function format(options: BrokerOptions, settingsPath: string): Promise<void> {
  const tool = [...shortLived, ...classesOf(options), 'kafka.tools.StorageTool']
  try {
    await promisify(execFile)('java', [...tool, 'format', '-t', options.clusterId, '-c', settingsPath])
  } catch (cause) {
    throw new OperationError(
      'program_failed',
      `the storage folder of broker ${options.nodeId} could not be formatted`,
      {
        cause,
      },
    )
  }
}

const classesOf = ({ jarsDir }: BrokerOptions): readonly string[] => [
  `-Dlog4j2.configurationFile=${logSettings}`,
  '-cp',
  join(jarsDir, '*'),
]

/** The text of `server.properties`. Replication factors are 1, so that a single broker is enough. */
function settingsOf({ nodeId, dir, port, controllerPort, settings }: BrokerOptions): string {
  const isController = nodeId === 1
  const listener = `PLAINTEXT://127.0.0.1:${port}`
  return Object.entries({
    'process.roles': isController ? 'broker,controller' : 'broker',
    'node.id': nodeId,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: isController ? `${listener},CONTROLLER://127.0.0.1:${controllerPort}` : listener,
    'advertised.listeners': listener,
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': join(dir, 'data'),
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 4,
    'group.initial.rebalance.delay.ms': 0,
    // A killed broker can rejoin only after its last session has timed out. So the time-out is short.
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 500,
    // Kafka's default buffer for the log cleaner takes a quarter of the heap, so a smaller one is set.
    'log.cleaner.dedupe.buffer.size': 32 * 1024 * 1024,
    ...settings,
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

/** A Kafka cluster on this machine for development and tests: brokers and, optionally, a schema registry. */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../ports.ts'
import { startBroker } from './broker.ts'
import { fetchJars, type Report } from './jars.ts'
import { type JavaOptions, type JavaProcess, shortLived, startJava } from './java-process.ts'

export type LocalKafkaOptions = Readonly<{
  /**
   * The folder of the cluster. `stop` keeps this folder, and a later cluster in it serves the same data. Default: a
   * temporary folder, which `stop` removes.
   */
  dataDir?: string
  brokerCount?: number
  withRegistry?: boolean
  /**
   * Whether the Java processes continue when this process ends. By default they end with this process, even if it is
   * killed with SIGKILL.
   */
  outlivesUs?: boolean
  /**
   * Whether Java uses its optimizing compiler for the brokers. Measurements need this compiler. With the
   * compiler, a start takes twice the processor time.
   */
  isMeasured?: boolean
  report?: Report
  /** Aborts the start. Processes that have already started are then stopped. */
  signal?: AbortSignal
  /** Entries of `server.properties`. An entry replaces our own entry of the same name. */
  brokerSettings?: Readonly<Record<string, string>>
}>

export type LocalKafka = Readonly<{
  /** The value of `KAFKA_BROKERS`: `host:port` of every broker, comma-separated. */
  brokers: string
  /** The value of `SCHEMA_REGISTRY_URL`. Null without a registry. */
  registryUrl: string | null
  dataDir: string
  /** The process ids of the running brokers, to which tests send SIGSTOP and SIGKILL. */
  brokerPids(): readonly number[]
  registryPid: number | null
  /**
   * Stops the broker with this index, which counts from 0. SIGTERM, the default, shuts the broker down cleanly. After
   * SIGKILL the broker recovers its log at its next start.
   */
  stopBroker(index?: number, signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts a stopped broker again, with the same port and data. */
  startBroker(index?: number): Promise<void>
  restartBroker(index?: number, signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Kills all processes. Removes the folder if it is temporary. */
  stop(): Promise<void>
}>

/**
 * Starts a cluster. Fails with `dependency_missing` (no Java or Maven, or no network at the first start) or
 * `program_failed`.
 */
export async function startKafka(options: LocalKafkaOptions = {}): Promise<LocalKafka> {
  const { brokerCount = 1, withRegistry = false, outlivesUs = false, report = () => {}, signal } = options
  const brokerJars = await fetchJars('broker', report)
  const registryJars = withRegistry ? await fetchJars('registry', report) : null
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'launch-data-kafka-')))
  const [controllerPort = 0, registryPort = 0, ...ports] = await freePorts(2 + brokerCount)
  const clusterId = (await keptClusterId(dataDir)) ?? clusterIdOf(randomBytes(16))
  const running = new Map<number, JavaProcess>()
  let registry: JavaProcess | null = null

  const start = async (index: number): Promise<void> => {
    if (running.has(index)) return
    const [dir, port] = [brokerDir(dataDir, index), ports[index] ?? 0]
    const nodeId = index + 1
    const { brokerSettings: settings, isMeasured = false } = options
    const place = { jarsDir: brokerJars, dir, clusterId, nodeId, port, controllerPort }
    running.set(index, await startBroker({ ...place, outlivesUs, isMeasured, signal, settings }))
  }
  const stop = async (index: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    await running.get(index)?.stop(signal)
    running.delete(index)
  }
  const stopAll = async (): Promise<void> => {
    await Promise.all([registry?.stop('SIGKILL'), ...[...running.keys()].map((index) => stop(index, 'SIGKILL'))])
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
  }

  const started = await Promise.allSettled([
    ...ports.map((_, index) => start(index)),
    ...(registryJars === null ? [] : [startRegistryIn(registryJars)]),
  ])
  const failed = started.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') {
    await stopAll()
    throw failed.reason
  }

  async function startRegistryIn(jarsDir: string): Promise<void> {
    registry = await startRegistry({ jarsDir, dir: join(dataDir, 'registry'), port: registryPort, outlivesUs, signal })
  }

  return {
    brokers: ports.map((port) => `127.0.0.1:${port}`).join(','),
    registryUrl: withRegistry ? registryUrlAt(registryPort) : null,
    dataDir,
    brokerPids: () => [...running.values()].map(({ pid }) => pid),
    registryPid: (registry as JavaProcess | null)?.pid ?? null,
    startBroker: (index = 0) => start(index),
    stopBroker: (index = 0, signal = 'SIGTERM') => stop(index, signal),
    restartBroker: async (index = 0, signal = 'SIGTERM') => {
      await stop(index, signal)
      await start(index)
    },
    stop: stopAll,
  }
}

const brokerDir = (dataDir: string, index: number): string => join(dataDir, `broker-${index + 1}`)

/**
 * A cluster id of 16 random bytes. The id must not begin with a dash, because Kafka's tools would read such
 * an argument as an option.
 */
export const clusterIdOf = ([first = 0, ...others]: Uint8Array): string =>
  Buffer.from([first & 0x7f, ...others]).toString('base64url')

/**
 * The cluster id in the existing data, or null. The new cluster must have the same id, because a broker does not start
 * on the data of another cluster.
 */
async function keptClusterId(dataDir: string): Promise<string | null> {
  try {
    const properties = await readFile(join(brokerDir(dataDir, 0), 'data', 'meta.properties'), 'utf8')
    return /^cluster\.id=(.+)$/m.exec(properties)?.[1] ?? null
  } catch {
    return null
  }
}

/**
 * The options of a schema registry with Confluent's protocol. The program is Apicurio, which keeps its schemas in
 * memory.
 */
type RegistryOptions = Readonly<{
  jarsDir: string
  dir: string
  port: number
  outlivesUs: boolean
  signal?: AbortSignal | undefined
}>

export const registryUrlAt = (port: number): string => `http://127.0.0.1:${port}/apis/ccompat/v7`

/**
 * Starts the registry and resolves when it accepts requests. Fails with `program_failed` and the last lines of its
 * output.
 */
export async function startRegistry(options: RegistryOptions): Promise<JavaProcess> {
  const { jarsDir, dir, port } = options
  await mkdir(dir, { recursive: true })
  const jar = (await readdir(jarsDir)).find((file) => file.endsWith('-runner.jar')) ?? 'runner.jar'
  const java: JavaOptions = {
    ...options,
    name: 'the schema registry',
    args: [
      ...shortLived,
      '-Xmx512m',
      '-Dquarkus.http.host=127.0.0.1',
      `-Dquarkus.http.port=${port}`,
      ...['-jar', join(jarsDir, jar)],
    ],
    logPath: join(dir, 'registry.log'),
  }
  const url = `${registryUrlAt(port)}/subjects`
  return startJava(java, () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
}

/**
 * The local Kafka cluster that `kafka:up` started, recorded in a file for `kafka:down`. Each user has at most
 * one such cluster.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { processStart } from '../../data-dir/process-start.ts'
import type { LocalKafka } from './cluster.ts'
import { cacheDir } from './jars.ts'
import { stopProcess } from './java-process.ts'

export type KeptCluster = Readonly<{
  brokers: string
  registryUrl: string
  dataDir: string
  /** The processes of the cluster. The start time distinguishes a process from a later process with the same id. */
  processes: readonly Readonly<{ pid: number; startedAt: string | null }>[]
}>

const statePath = (): string => join(cacheDir(), 'cluster.json')

/** Reads the recorded cluster. Returns null if no cluster was started, or if it was stopped. */
export async function readKeptCluster(): Promise<KeptCluster | null> {
  try {
    return JSON.parse(await readFile(statePath(), 'utf8')) as KeptCluster
  } catch {
    return null
  }
}

export async function keepCluster(kafka: LocalKafka): Promise<KeptCluster> {
  const pids = [...kafka.brokerPids(), ...(kafka.registryPid === null ? [] : [kafka.registryPid])]
  const kept = {
    brokers: kafka.brokers,
    registryUrl: kafka.registryUrl ?? '',
    dataDir: kafka.dataDir,
    processes: pids.map((pid) => ({ pid, startedAt: processStart(pid) })),
  }
  await mkdir(dirname(statePath()), { recursive: true })
  await writeFile(statePath(), JSON.stringify(kept))
  return kept
}

/** Whether all processes of the cluster run. */
export const isUp = ({ processes }: KeptCluster): boolean => processes.every(isThere)

export async function stopKeptCluster({ processes, dataDir }: KeptCluster): Promise<void> {
  await Promise.all(processes.filter(isThere).map(({ pid }) => stopProcess(pid, 'SIGTERM')))
  await rm(dataDir, { recursive: true, force: true })
  await rm(statePath(), { force: true })
}

const isThere = ({ pid, startedAt }: KeptCluster['processes'][number]): boolean =>
  startedAt !== null && processStart(pid) === startedAt

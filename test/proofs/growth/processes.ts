/** The descendants of this process and their memory. It reads /proc, so it works only on Linux. */
import { readdir, readFile } from 'node:fs/promises'

export type Measured = Readonly<{
  name: string
  pid: number
  parent: number
  /** The resident memory. It includes pages of mapped files, which the system can reclaim. */
  rssMb: number
  /** The anonymous memory, which the system cannot reclaim. */
  anonMb: number
}>

/** The names of processes by a part of their command line. Shells that only wait for a process are left out. */
const names = [
  [/launch-data\.js/, 'service'],
  [/\/anvil\b/, 'local chain'],
  [/kafka\.Kafka/, 'broker'],
  [/^\S*java\b/, 'registry'],
] as const

type Status = Readonly<{ pid: number; parent: number; rssMb: number; anonMb: number }>

/** Leaves out processes that no pattern names, such as very short ones. */
export async function measureProcesses(): Promise<readonly Measured[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const all = (await Promise.all(pids.map(readStatus))).filter((status) => status !== null)
  const below = descendantsOf(process.pid, all)
  const measured = await Promise.all(
    below.map(async ({ pid, parent, rssMb, anonMb }) => {
      const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')
      const name = /^\S*sh /.test(command) ? undefined : names.find(([pattern]) => pattern.test(command))?.[1]
      return name === undefined ? [] : [{ name, pid, parent, rssMb, anonMb }]
    }),
  )
  return measured.flat()
}

function descendantsOf(pid: number, all: readonly Status[]): readonly Status[] {
  const children = all.filter(({ parent }) => parent === pid)
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, all)])
}

async function readStatus(pid: number): Promise<Status | null> {
  // The process may have ended.
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const number = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN)
  const [parent, rss, anon] = [number('PPid'), number('VmRSS'), number('RssAnon')]
  return Number.isNaN(rss) ? null : { pid, parent, rssMb: rss / 1024, anonMb: anon / 1024 }
}

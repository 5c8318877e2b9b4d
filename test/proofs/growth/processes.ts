/** The processes below this one and what memory they hold. Linux only: it reads /proc. */
import { readdir, readFile } from 'node:fs/promises'

export type Measured = Readonly<{
  name: string
  pid: number
  parent: number
  /** With the pages of mapped files, which the system takes back when it wants them. */
  rssMb: number
  /** Its own pages. */
  anonMb: number
}>

/** By a part of the command line; shells that only wait for another process are none of them. */
const names = [
  [/launch-data\.js/, 'service'],
  [/\/anvil\b/, 'local chain'],
  [/kafka\.Kafka/, 'broker'],
  [/^\S*java\b/, 'registry'],
] as const

type Status = Readonly<{ pid: number; parent: number; rssMb: number; anonMb: number }>

/** Processes of no known name are left out, such as those that live for a moment. */
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
  // A process may end while it is read.
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const number = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN)
  const [parent, rss, anon] = [number('PPid'), number('VmRSS'), number('RssAnon')]
  return Number.isNaN(rss) ? null : { pid, parent, rssMb: rss / 1024, anonMb: anon / 1024 }
}

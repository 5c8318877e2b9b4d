/**
 * The memory of a process in MB, by whether the system can reclaim it. The split works only on Linux. On
 * other systems everything counts as anonymous.
 */
import { readFile } from 'node:fs/promises'

export type ProcessMemory = Readonly<{
  rssMb: number
  /** Anonymous pages, which only the process can release. */
  anonMb: number
  /** Pages of the log's files. The system can reclaim them, because they are on disk. */
  logMb: number
  codeMb: number
}>

const megabyte = 1_048_576

export async function readProcessMemory(logFolder: string): Promise<ProcessMemory> {
  const rssMb = Math.round(process.memoryUsage.rss() / megabyte)
  const smaps = await readFile('/proc/self/smaps', 'utf8').catch(() => null)
  if (smaps === null) return { rssMb, anonMb: rssMb, logMb: 0, codeMb: 0 }
  const kilobytes = { anon: 0, log: 0, code: 0 }
  let isLog = false
  for (const line of smaps.split('\n')) {
    const range = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$/.exec(line)
    if (range) isLog = range[1]?.startsWith(logFolder) ?? false
    const [, field, value] = /^(Rss|Anonymous): +(\d+) kB$/.exec(line) ?? []
    if (field === 'Rss') kilobytes[isLog ? 'log' : 'code'] += Number(value)
    if (field !== 'Anonymous') continue
    kilobytes.anon += Number(value)
    kilobytes[isLog ? 'log' : 'code'] -= Number(value)
  }
  const mb = (value: number): number => Math.round(value / 1024)
  return { rssMb, anonMb: mb(kilobytes.anon), logMb: mb(kilobytes.log), codeMb: mb(kilobytes.code) }
}

import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/**
 * Returns the user and system time of a process, in seconds. They are the 14th and 15th field of its stat
 * file. The fields are counted from the end of the name, because the name may hold spaces.
 */
export function cpuSecondsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

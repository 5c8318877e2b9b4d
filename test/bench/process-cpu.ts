import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** The user and system time of a process: the 14th and 15th field of its stat file, counted after the name in brackets. */
export function cpuSecondsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

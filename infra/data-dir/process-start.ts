/**
 * The start time of a process. The system can use a process id again. The id and the start time together
 * identify one process of this machine.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The start time as text. Null if no process with this id is running. A zombie does not count as running. */
export function processStart(pid: number): string | null {
  if (process.platform === 'linux') return linuxStart(pid)
  if (!isRunning(pid)) return null
  if (process.platform === 'win32') return 'running'
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null
  } catch {
    return null
  }
}

function linuxStart(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 2 is the command in brackets, and the command may contain brackets. The state follows the last
    // bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state] = fields
    const startTicks = fields[19]
    return state === 'Z' || state === 'X' || startTicks === undefined ? null : `${boot}/${startTicks}`
  } catch {
    return null
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Notices that the npm that started this process has ended. npm forwards a signal only to its shell, and the
 * shell does not forward the signal to this process. If npm is killed, no signal is forwarded at all.
 */
import { readFileSync } from 'node:fs'

type Watch = Readonly<{
  /** Called once, when npm has ended. */
  onGone: () => void
  environment: NodeJS.ProcessEnv
}>

const lookMs = 500

/**
 * Starts the watch, which does nothing if no npm script started this process. The watch does not keep the process
 * alive. Returns a function that stops the watch.
 */
export function watchNpm({ onGone, environment }: Watch): () => void {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = environment
  if (event === undefined) return () => {}
  const parent = process.ppid
  const shellParent = isShellOf(parent, script) ? parentOf(parent) : null
  const isGone = () => process.ppid !== parent || (shellParent !== null && parentOf(parent) !== shellParent)
  const looking = setInterval(() => {
    if (!isGone()) return
    clearInterval(looking)
    onGone()
  }, lookMs)
  looking.unref()
  return () => clearInterval(looking)
}

/**
 * Whether a process is the shell in which npm runs this script. That shell remains if npm is killed. The function reads
 * /proc, so it finds the shell only on Linux.
 */
function isShellOf(pid: number, script: string): boolean {
  const [, option, command] = read(`/proc/${pid}/cmdline`)?.split('\0') ?? []
  return option === '-c' && command !== undefined && command.startsWith(script)
}

function parentOf(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`)
  // In `/proc/<pid>/stat`, field 2 is the command in brackets, and the command may contain brackets. After
  // the last bracket come the state and the id of the parent.
  const [, parent] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return parent === undefined ? null : Number(parent)
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/**
 * Notices that the npm that started this process has ended. npm forwards a signal only to its shell, not to the
 * processes in it, and forwards nothing if it is killed.
 */
import { readFileSync } from 'node:fs'

type Watch = Readonly<{
  /** Called once, when npm has ended. */
  onGone: () => void
  environment: NodeJS.ProcessEnv
}>

const lookMs = 500

/**
 * Does nothing if no npm script started this process. Keeps no process alive. Returns a function that stops the watch.
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

/** If npm is killed, the shell that it started remains. This reads /proc, so it works only on Linux. */
function isShellOf(pid: number, script: string): boolean {
  const [, option, command] = read(`/proc/${pid}/cmdline`)?.split('\0') ?? []
  return option === '-c' && command !== undefined && command.startsWith(script)
}

function parentOf(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`)
  // The second field is the command in brackets, which may itself contain brackets. The parent follows the state.
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

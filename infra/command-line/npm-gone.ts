/**
 * Notices that the npm which started this process is gone. npm passes a signal on to the shell that it started, not to what
 * runs in there, and it passes nothing on when it is killed itself.
 */
import { readFileSync } from 'node:fs'

type Watch = Readonly<{
  /** Called once, when npm is gone. */
  onGone: () => void
  environment: NodeJS.ProcessEnv
}>

const lookMs = 500

/** Watches nothing when no npm script started this process. Keeps no process alive. Returns how to stop watching. */
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

/** A shell that npm started stays behind when npm is killed. What is read here exists on Linux. */
function isShellOf(pid: number, script: string): boolean {
  const [, option, command] = read(`/proc/${pid}/cmdline`)?.split('\0') ?? []
  return option === '-c' && command !== undefined && command.startsWith(script)
}

function parentOf(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`)
  // The second field is the command in brackets and may contain brackets itself: the parent follows the state.
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

import { execFileSync } from 'node:child_process'

/** Whether this machine has promtool, the checker of Prometheus. Debian has it in the package `prometheus`. */
export const hasPromtool: boolean = (() => {
  try {
    return execFileSync('promtool', ['--version'], { stdio: 'pipe' }).length >= 0
  } catch {
    return false
  }
})()

/** Runs promtool and returns its output. Throws with its messages if it finds a fault. */
export function promtool(argv: readonly string[], input = ''): string {
  return execFileSync('promtool', argv, { input, encoding: 'utf8', stdio: 'pipe' })
}

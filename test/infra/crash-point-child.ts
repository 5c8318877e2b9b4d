/**
 * Arms the crash point (a place where the process kills itself) that the arguments name. Then passes crash
 * points in a loop, and prints the number of each pass.
 */
import { armCrashPoint, type CrashPointName, crashPoint } from '../../infra/crash-points.ts'

const [name, hit] = process.argv.slice(2)
armCrashPoint(name as CrashPointName, Number(hit))
for (let pass = 1; pass <= 5; pass++) {
  process.stdout.write(`${pass}`)
  crashPoint('sink-planned')
  crashPoint('sink-before-done')
}

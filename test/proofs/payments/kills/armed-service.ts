/** Runs the service as an operator does. When the process gets SIGUSR2, it arms a crash point. */
import { readFileSync } from 'node:fs'
import { main } from '../../../../infra/command-line/command-line.ts'
import { armCrashPoint, type CrashPointName } from '../../../../infra/crash-points.ts'

const [, , pointFile = ''] = process.argv
process.on('SIGUSR2', () => {
  armCrashPoint(readFileSync(pointFile, 'utf8') as CrashPointName, 1)
  process.stdout.write('armed\n')
})
await main([process.execPath, 'launch-data', 'up'])

/** `npm run test:all`: everything that can be run unattended, one after the other, each with the time it took. */
import { spawnSync } from 'node:child_process'

/** Not `mocha --import tsx`: it looks for a file of that name. */
const oneFile = 'node --import tsx node_modules/mocha/bin/mocha.js --no-package --exit --timeout 900000'.split(' ')

/** The last ones take more of the samples that the shorter runs draw from. */
const steps: readonly Readonly<{ name: string; command: readonly string[] }>[] = [
  { name: 'check, with other draws', command: ['env', 'PROPERTY_SEED=random', 'npm', 'run', 'check'] },
  { name: 'integration', command: ['npm', 'run', 'test:integration'] },
  { name: 'full matrix', command: ['npx', 'mocha', '--no-package', '--config', '.mocharc.matrix.json'] },
  { name: 'reorgs, 250 seeds', command: ['npm', 'run', 'reorgs', '--', '250'] },
  { name: 'faulty nodes, 250 seeds', command: ['npm', 'run', 'faults', '--', '250'] },
  { name: 'cuts of a drawn log, 500', command: ['env', 'CUT_COUNT=500', ...oneFile, 'test/api/cuts.test.ts'] },
  { name: 'cuts of a running service, 500', command: ['npm', 'run', 'cuts', '--', '500'] },
  { name: 'cuts that are sold early', command: ['npm', 'run', 'cuts', '--', '60', '--early', '--kills', '0'] },
]

const results = steps.map(({ name, command: [program = '', ...rest] }) => {
  process.stdout.write(`\n=== ${name}\n`)
  const startedAtMs = Date.now()
  const { status } = spawnSync(program, rest, { stdio: 'inherit' })
  return { name, isPassed: status === 0, seconds: Math.round((Date.now() - startedAtMs) / 1000) }
})

const lines = results.map(
  ({ name, isPassed, seconds }) => `${isPassed ? 'passed' : 'FAILED'}  ${String(seconds).padStart(5)} s  ${name}`,
)
process.stdout.write(`\n${lines.join('\n')}\n`)
process.exitCode = results.every(({ isPassed }) => isPassed) ? 0 : 1

/**
 * Runs all tests that can run without a person (`npm run test:all`). The steps run one after the other. The
 * time of each step is printed.
 */
import { spawnSync } from 'node:child_process'

/**
 * The command for one test file. `mocha --import tsx` does not work, because Mocha would look for a file
 * named `tsx`.
 */
const oneFile = 'node --import tsx node_modules/mocha/bin/mocha.js --no-package --exit --timeout 900000'.split(' ')

/** The test commands, in the order in which they run. A number in a name is the number of random cases. */
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

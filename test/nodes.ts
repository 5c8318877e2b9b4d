/**
 * `npm run test:nodes [-- version…] [-- file…] [-- --few]`: runs the tests of `npm test` with several versions of Node, each from
 * its npm package. Without versions, it takes the oldest that the service supports, the two current ones with long-term
 * support, and the newest. With files, it runs only these test files. With `--few`, it runs some files that use native
 * packages, bundles, threads and HTTP, which a version of Node breaks first.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

const versionsDefault = ['20.19.0', '22.23.3', '24.21.0', '26.12.1']

const fewFiles = [
  'test/api/edge/app.test.ts',
  'test/api/edge/listen.test.ts',
  'test/contracts/chain-b/curves.test.ts',
  'test/infra/command-line/command-line.test.ts',
  'test/infra/log/embedded/embedded-log.test.ts',
  'test/infra/typescript/bundle.test.ts',
  'test/replay/chain-b-stage.test.ts',
]

const given = process.argv.slice(2).filter((word) => word !== '--')
const words = given.flatMap((word) => (word === '--few' ? fewFiles : word))
const isVersion = (word: string) => /^\d+(\.\d+){0,2}$/.test(word)
const versions = words.some(isVersion) ? words.filter(isVersion) : versionsDefault
const files = words.filter((word) => !isVersion(word))

const isPassed = versions.map((version) => {
  const folder = mkdtempSync(join(tmpdir(), 'launch-data-node-'))
  try {
    return runWith(version, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
for (const [index, version] of versions.entries())
  process.stdout.write(`${isPassed[index] ? 'passed' : 'FAILED'}  Node ${version}\n`)
process.exitCode = isPassed.every(Boolean) ? 0 : 1

/** Installs this version of Node in the folder, and returns whether the tests pass with it. */
function runWith(version: string, folder: string): boolean {
  const name = `node-${process.platform}-${process.arch}`
  process.stdout.write(`\n=== Node ${version}\n`)
  const install = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
  if (spawnSync('npm', [...install, `${name}@${version}`], { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
    return false
  const node = join(folder, 'node_modules', name, 'bin', 'node')
  // Tests also start programs by the name `node`.
  const path = [dirname(node), process.env.PATH].join(delimiter)
  // The settings in `package.json` name all files, so single files are run without them.
  const settings = ['--no-package', '--node-option', 'import=tsx', '--exit', '--timeout', '180000']
  const sideBySide = ['--parallel', '--jobs', '2']
  const only = files.length === 0 ? [] : [...settings, ...sideBySide, '--require', './test/property-seed.ts', ...files]
  const { status } = spawnSync(node, ['node_modules/mocha/bin/mocha.js', '--reporter', 'dot', ...only], {
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  })
  return status === 0
}

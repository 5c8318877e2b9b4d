import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as Readonly<{ scripts: Record<string, string> }>
/** The scripts that start a TypeScript program of the repository, with the path of the program. */
const programs = Object.entries(scripts).flatMap(([name, command]) => {
  const path = /^node .*--import tsx .*?(\S+\.ts)$/.exec(command)?.[1]
  return path === undefined ? [] : [{ name, command, path }]
})

describe('--help of the npm scripts', () => {
  it('is there for each script that starts a TypeScript program', () => {
    expect(programs).to.have.length.above(25)
    for (const { name, command } of programs)
      expect(command, name).to.contain('--import ./infra/development/print-help.js ')
  })

  it('prints the first comment of the program, which has an example of the command', () => {
    for (const { name, path } of programs) {
      const [comment = ''] = /^\/\*\*.*?\*\//s.exec(readFileSync(path, 'utf8')) ?? []
      expect(comment, path).to.match(new RegExp(`npm run (-s )?${name}(?![\\w:-])`))
    }
  })

  for (const word of ['--help', '-h'])
    it(`prints text only and does not run the program with ${word}`, () => {
      const { stdout, stderr, status } = runScript('faults:chain-b', word)
      expect({ stderr, status }).to.deep.equal({ stderr: '', status: 0 })
      expect(stdout).to.match(/^`npm run faults:chain-b -- 100 .*\nand a faulty plain node\. .* are wrong\.\n$/s)
      expect(stdout).to.not.match(/^ ?\*|\*\//m)
    })

  it('leaves worker threads alone, which load it before they can load TypeScript', () => {
    const [, ...imports] = /^node (.* )test/.exec(scripts.bench ?? '')?.[0].split(' ') ?? []
    const program = `new (require('node:worker_threads').Worker)("console.log('loaded')", { eval: true })`
    const { stdout, stderr } = spawnSync(process.execPath, [...imports.slice(0, -1), '-e', program], {
      encoding: 'utf8',
    })
    expect({ stdout, stderr }).to.deep.equal({ stdout: 'loaded\n', stderr: '' })
  })

  it('leaves a program without --help alone', () => {
    const { stdout, status } = runScript('census', '0.01')
    expect(status).to.equal(0)
    expect(stdout).to.not.contain('npm run census')
  })
})

function runScript(name: string, word: string) {
  const [, ...command] = (scripts[name] ?? '').split(' ')
  return spawnSync(process.execPath, [...command, word], { encoding: 'utf8', timeout: 60_000 })
}

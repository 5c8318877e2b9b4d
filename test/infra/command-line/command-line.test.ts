import { spawnSync } from 'node:child_process'
import { expect } from 'chai'

const launchData = (args: readonly string[], environment: Record<string, string> = {}) =>
  spawnSync(process.execPath, ['infra/command-line/launch-data.js', ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    timeout: 15_000,
  })

describe('the launch-data command', () => {
  it('prints every topic with its key, writer, partitions and records', () => {
    const { stdout, status } = launchData(['topics'])
    expect(status).to.equal(0)
    for (const topic of ['chain-a-facts', 'chain-a-derived', 'addresses', 'payments', 'snapshots'])
      expect(stdout).to.match(new RegExp(`^${topic}\\n {2}key `, 'm'))
    expect(stdout).to.match(/records {4}PoolCreated, PoolInitialized, Swap, /)
  })

  it('ends with 2 and names the variable when the configuration is wrong', () => {
    const { stderr, status } = launchData(['up'], { PORT: 'eighty' })
    expect(status).to.equal(2)
    expect(stderr).to.contain('PORT: must be a whole number').and.not.contain('    at ')
  })

  it('says what can be run', () => {
    const { stdout, status } = launchData(['--help'])
    expect(status).to.equal(0)
    for (const command of ['up', 'project', 'topics', 'pay'])
      expect(stdout).to.match(new RegExp(`^ {2}${command}\\b`, 'm'))
  })
})

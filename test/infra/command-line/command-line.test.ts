import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Check } from '../../../infra/check.ts'

const launchData = (args: readonly string[], environment: Record<string, string> = {}) =>
  spawnSync(process.execPath, ['infra/command-line/launch-data.js', ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    timeout: 60_000,
  })

describe('the launch-data command', () => {
  let dataDir: string
  before(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'launch-data-command-'))
  })
  after(() => rmSync(dataDir, { recursive: true }))

  it('prints every topic with its key, writer, partitions and records', () => {
    const { stdout, status } = launchData(['topics'])
    expect(status).to.equal(0)
    for (const topic of ['chain-a-facts', 'chain-a-derived', 'addresses', 'payments', 'snapshots'])
      expect(stdout).to.match(new RegExp(`^${topic}\\n {2}key `, 'm'))
    expect(stdout).to.match(/records {4}PoolCreated, PoolInitialized, Swap, /)
  })

  it('ends with 1 when a listing breaks a rule, or there is no service', () => {
    const { stdout, status } = launchData(['check-listing', 'http://127.0.0.1:9'])
    expect(status).to.equal(1)
    expect(stdout).to.match(/^WRONG {2}catalogue {2}fetch failed: .*TO DO: start the service, or correct the URL\n/)
  })

  it('ends with 2 and names the variable when the configuration is wrong', () => {
    const { stderr, status } = launchData(['up'], { PORT: 'eighty' })
    expect(status).to.equal(2)
    expect(stderr).to.contain('PORT: must be a whole number').and.not.contain('    at ')
  })

  for (const [program, missing] of [
    ['ingest', /KAFKA_BROKERS.*"launch-data up"/],
    ['process', /KAFKA_BROKERS.*"launch-data up"/],
    ['project', /KAFKA_BROKERS.* and CLICKHOUSE_URL.*"launch-data up"/],
    ['serve', /KAFKA_BROKERS.* and CLICKHOUSE_URL.*"launch-data up"/],
  ] as const)
    it(`does not start ${program} alone where nobody could share its log and tables`, () => {
      const { stderr, status } = launchData([program])
      expect(status).to.equal(2)
      expect(stderr).to.match(missing)
    })

  it('ends with 1 when no broker answers at its start, and warns once that a password goes in the clear', () => {
    const environment = {
      KAFKA_BROKERS: '127.0.0.1:9',
      SCHEMA_REGISTRY_URL: 'http://127.0.0.1:9',
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'launch',
      KAFKA_SASL_PASSWORD: 'pa55word',
      DATA_DIR: dataDir,
    }
    const { stderr, status } = launchData(['up'], environment)
    expect(status).to.equal(1)
    expect(stderr).to.contain('no broker answers').and.not.contain('pa55word')
    expect(stderr.split('without encryption')).to.have.lengthOf(2)
    expect(launchData(['up'], { ...environment, KAFKA_SSL: 'true' }).stderr).to.not.contain('without encryption')
  })

  it('does not write files of past days to topics, whose schemas can have other ids', () => {
    const options = ['--files', dataDir, '--from', '-1h', '--to', 'now', '--out', 'topic', '--prefix', 'past.']
    const { stderr, status } = launchData(['replay', ...options])
    expect(status).to.equal(2)
    expect(stderr).to.contain('config_invalid').and.contain(`Run "launch-data import ${dataDir}"`)
  })

  it('ends with 1 and prints its checks as JSON when the doctor finds something', () => {
    const { stdout, stderr, status } = launchData(['doctor', '--json'], { CLICKHOUSE_URL: 'http://127.0.0.1:9' })
    expect(stderr).to.equal('')
    expect(status).to.equal(1)
    const tables = (JSON.parse(stdout) as readonly Check[]).find(({ name }) => name === 'tables')
    expect(tables).to.include({ state: 'wrong', toDo: 'start the server, or correct CLICKHOUSE_URL' })
  })

  it('says what can be run', () => {
    const { stdout, status } = launchData(['--help'])
    expect(status).to.equal(0)
    for (const command of [
      'up',
      'ingest',
      'process',
      'project',
      'serve',
      'doctor',
      'topics',
      'backup',
      'restore',
      'pay',
    ])
      expect(stdout).to.match(new RegExp(`^ {2}${command}\\b`, 'm'))
  })

  for (const command of [
    ...['up', 'ingest', 'process', 'project', 'serve', 'doctor', 'topics', 'replay', 'rules', 'pay'],
    ...['backup', 'restore'],
  ])
    it(`shows an example in the help of ${command}`, () => {
      const { stdout, status } = launchData([command, '--help'])
      expect(status).to.equal(0)
      expect(stdout).to.match(new RegExp(`^ {2}(\\w+=\\S+ )*launch-data ${command}\\b`, 'm'))
    })
})

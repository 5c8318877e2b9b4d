import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { type LocalKafka, startKafka } from '../../../infra/development/kafka/cluster.ts'
import { createKafkaLog } from '../../../infra/log/kafka/kafka-log.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { replay } from '../../../infra/replay/replay.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { type RunningProgram, startProgram } from '../../support/programs.ts'
import { asReplayLog, drawnSteps, knownAtOf, type Step, writeSteps } from './drawn-log.ts'

describe('a replay beside a running service', () => {
  let dataDir: string
  let service: RunningProgram
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-replay-'))
    service = startProgram('up', { PORT: '0', DATA_DIR: dataDir })
    await service.until(/listening|payments: local chains/)
  })
  after(async () => {
    await service?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const run = async (options: string, environment = {}) => {
    const program = startProgram(`replay ${options}`, { DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...environment })
    const { code } = await program.done
    return { code, lines: program.stdout().trimEnd().split('\n'), error: program.stderr() }
  }

  /** As its refusal tells it. */
  const heldRange = async (): Promise<readonly [string, string]> => {
    const { code, error } = await run('--from -400d --to now')
    expect(code).to.equal(1)
    const [, from, to] = /it holds (\S+Z) to (\S+Z)/.exec(error) ?? []
    if (from !== undefined && to !== undefined && Date.parse(to) - Date.parse(from) > 10_000) return [from, to]
    return heldRange()
  }

  it('gives the same records each time, while the service goes on', async () => {
    const [from] = await heldRange()
    const to = Date.parse(from) + 8_000
    const types = 'Burst,CurveLaunched,Tick,Mentioned'
    const first = await run(`--from ${from} --to ${to} --types ${types}`)
    const second = await run(`--from ${from} --to ${to} --types ${types}`)
    expect(first.code, first.error).to.equal(0)
    const end = JSON.parse(first.lines.at(-1) ?? '')
    expect(end).to.include({ type: 'ReplayEnd', from: Date.parse(from), to, records: first.lines.length - 1 })
    expect(second.lines.at(-1)).to.equal(first.lines.at(-1))
    const records = first.lines.slice(0, -1).map((line) => JSON.parse(line))
    expect(records.length).to.be.greaterThan(20)
    expect(records.every(({ knownAt }) => Date.parse(from) <= knownAt && knownAt < to)).to.equal(true)
    expect(new Set(records.map(({ type }) => type)).size).to.be.greaterThan(1)
    await service.until(/payments are live/)
  })

  it('waits for what is not known yet up to now, and counts it', async () => {
    const { code, lines, error } = await run('--from -3s --to now --dry')
    expect(code, error).to.equal(0)
    expect(lines.join('\n')).to.match(/in all +[\d,]+ records/)
  })

  it('fails where no service has run', async () => {
    const { code, error } = await run('--from -3s --to now', { DATA_DIR: join(dataDir, 'nowhere') })
    expect(code).to.equal(1)
    expect(error).to.contain('log_missing')
  })
})

describe('a replay from Kafka', () => {
  let kafka: LocalKafka
  let log: Log
  before(async () => {
    kafka = await startKafka()
    log = await createKafkaLog({ brokers: kafka.brokers.split(','), nowMs: Date.now, logger: silentLogger })
  })
  after(async () => {
    await log?.close()
    await kafka?.stop()
  })

  it('has the records and the hash of the log in memory', async () => {
    const steps = fc
      .sample(drawnSteps, 50)
      .reduce((left, right) => (right.length > left.length ? right : left)) as readonly Step[]
    const range = { from: knownAtOf(steps[1] as Step), to: knownAtOf(steps.at(-2) as Step) }
    const ends: unknown[] = []
    for (const each of [createMemoryLog({ nowMs: () => 0 }), log]) {
      const replayLog = asReplayLog(each, createMemoryRegistry())
      await writeSteps(each, replayLog.open.registry, steps)
      for await (const _ of replay({ ...range, log: replayLog, onEnd: (end) => ends.push(end) }));
    }
    expect(ends).to.have.lengthOf(2)
    expect(ends[1]).to.deep.equal(ends[0])
    expect((ends[0] as { records: number }).records).to.be.greaterThan(10)
  })
})

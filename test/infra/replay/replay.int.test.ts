import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { type LocalKafka, startKafka } from '../../../infra/development/kafka/cluster.ts'
import { createKafkaLog } from '../../../infra/log/kafka/kafka-log.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { recordsFrom } from '../../../infra/log/read-back.ts'
import type { TypedPartition } from '../../../infra/log/scan.ts'
import { copyTo } from '../../../infra/replay/copy-instants.ts'
import { findRange, readReplay } from '../../../infra/replay/read-replay.ts'
import { replay } from '../../../infra/replay/replay.ts'
import { selectTopics } from '../../../infra/replay/replayed-topics.ts'
import type { Tick } from '../../../schemas/tick.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { type RunningProgram, startProgram } from '../../support/programs.ts'
import { asReplayLog, drawnSteps, knownAtOf, type Step, writeSteps } from './drawn-log.ts'
import { programOf, runBacktest } from './guide.ts'

describe('a replay beside a running service', () => {
  let dataDir: string
  let service: RunningProgram
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-replay-'))
    service = startProgram('up', { PORT: '0', DATA_DIR: dataDir, SIMULATOR_LOOK_BACK_HOURS: '3' })
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

  /**
   * Waits until the log covers more than 10 s. Returns this range, which the replay command names when it
   * refuses a longer range.
   */
  const heldRange = async (): Promise<readonly [string, string]> => {
    for (;;) {
      const { code, error } = await run('--from -400d --to now')
      expect(code).to.equal(1)
      // Any other failure would come again at each turn, so it must end the loop.
      expect(error).to.include('(range_not_held)')
      const [, from = '', to = ''] = /It holds (\S+Z) to (\S+Z)\./.exec(error) ?? []
      const heldMs = Date.parse(to) - Date.parse(from)
      if (heldMs > 10_000) return [from, to]
      // The range grows with the time of day. Each start of the command takes most of a second of processor time.
      await sleep(Number.isNaN(heldMs) ? 1000 : 10_500 - heldMs)
    }
  }

  it('gives the same records each time, while the service goes on', async () => {
    const types = 'CurveLaunched,Burst,BurstOutcome,Tick'
    // A slow machine simulates few launches in the first seconds, so the range grows until it has enough.
    const firstOfMany = async () => {
      for (;;) {
        const [from, held] = await heldRange()
        const to = Date.parse(held) - 2_000
        const program = await run(`--from ${from} --to ${to} --types ${types}`)
        expect(program.code, program.error).to.equal(0)
        if (program.lines.length > 11) return { from, to, first: program }
      }
    }
    const { from, to, first } = await firstOfMany()
    const second = await run(`--from ${from} --to ${to} --types ${types}`)
    const end = JSON.parse(first.lines.at(-1) ?? '')
    expect(end).to.include({ type: 'ReplayEnd', from: Date.parse(from), to, records: first.lines.length - 1 })
    expect(second.lines.at(-1)).to.equal(first.lines.at(-1))
    const records = first.lines.slice(0, -1).map((line) => JSON.parse(line))
    expect(records.every(({ knownAt }) => Date.parse(from) <= knownAt && knownAt < to)).to.equal(true)
    expect(new Set(records.map(({ type }) => type)).size).to.be.greaterThan(1)
    await service.until(/payments are live/)
  })

  it('waits for what is not known yet up to now, and counts it', async () => {
    const { code, lines, error } = await run('--from -3s --to now --dry')
    expect(code, error).to.equal(0)
    expect(lines.join('\n')).to.match(/in all +[\d,]+ records/)
  })

  it('compares other rules with what was recorded, and finds the recorded signals again by its own', async () => {
    const file = join(dataDir, 'rules.json')
    await writeFile(file, JSON.stringify({ chainB: { bursts: { inflowLamportsMin: 5_000_000_000 } } }))
    const [from, to] = await heldRange()
    const { code, lines, error } = await run(`--from ${from} --to ${to} --rules ${file} --json`)
    expect(code, error).to.equal(0)
    const { stages } = JSON.parse(lines.join('\n'))
    expect(stages.map(({ stage }: { stage: string }) => stage)).to.deep.equal(['chain-a', 'chain-b'])
    for (const { control, stage } of stages)
      expect(control.same, stage).to.equal(control.recorded).and.to.equal(control.again)
    const [{ otherVersion: same, standardVersion }, { otherVersion }] = stages
    expect(same).to.equal(standardVersion)
    expect(otherVersion).to.match(/^b\d+\+[0-9a-f]{8}$/)
    const split = Date.parse(to) - 1_000
    const text = await run(`--from ${from} --to ${to} --rules ${file} --split ${split} --where bundledShare<=1`)
    expect(text.lines.join('\n')).to.match(/== chain-b: recorded with b\d+; these rules are b\d+\+/)
    expect(text.lines[0]).to.include('Only signals with bundledShare<=1 are compared.')
    const ofB = await run(`--from ${from} --to ${to} --rules ${file} --topics chain-b-derived --json`)
    expect(JSON.parse(ofB.lines.join('\n')).stages).to.deep.equal(stages.slice(1))
  })

  it('runs the backtest of the documents, which fits thirty lines', async () => {
    expect((await programOf('ts')).trimEnd().split('\n')).to.have.lengthOf.at.most(30)
    const backtest = async () => runBacktest(dataDir, ...(await heldRange()))
    let printed = await backtest()
    // The first minute of simulated trades may have no main burst with a later swap.
    for (let turn = 0; turn < 30 && printed.startsWith('0 trades'); turn++) printed = await backtest()
    expect(printed).to.match(/^[1-9]\d* trades, \d+ still held, mean return -?\d+\.\d\d %\n$/)
  })

  it('says what is wrong with rules, and with a split', async () => {
    const file = join(dataDir, 'wrong.json')
    await writeFile(file, JSON.stringify({ chainB: { burst: {} } }))
    const range = '--from -3s --to now'
    expect(await run(`${range} --rules ${file}`)).to.include({ code: 2 })
    expect((await run(`${range} --rules ${file}`)).error).to.match(/there is no rule chainB.burst, but there is/)
    expect((await run(`${range} --rules ${file}.not`)).error).to.match(/cannot be read/)
    await writeFile(file, '{}')
    expect((await run(`${range} --rules ${file} --split -1h`)).error).to.match(/--split must be later than/)
    expect((await run(`${range} --rules ${file} --where age=3`)).error).to.match(
      /no answer of a lookup has a field age. The fields are: buyers/,
    )
  })

  it('serves the past beside it, at its own clock and free of charge', async () => {
    const [from, to] = await heldRange()
    const server = startProgram(`replay --from ${from} --to ${to} --serve --speed 1`, { DATA_DIR: dataDir })
    try {
      await server.until(/curl -X POST/)
      const url = /on (http:[^\s,]+)/.exec(server.stdout())?.[1]
      await fetch(`${url}/replay/pause`, { method: 'POST' })
      const state = await (await fetch(`${url}/replay/step?ms=8000`, { method: 'POST' })).json()
      const { atMs } = state as { atMs: number }
      for (const path of ['/v1/rh/bursts/history?hours=1', '/v1/sol/bursts/history?hours=1']) {
        // Right after its start the service is behind the present, so it has no answer for the current time.
        const answer = await fetch(`${url}${path}&asOf=${atMs - 4_000}`)
        expect(answer.status, await answer.clone().text()).to.equal(200)
        expect(await answer.json()).to.include({ generatedAt: atMs - 4_000 })
        expect(answer.headers.get('x-replay-at')).to.equal(new Date(atMs).toISOString())
      }
    } finally {
      await server.stop()
    }
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

  it('is written to topics as it stands, at the time of its publication, and to empty ones alone', async () => {
    let nowMs = 1_790_000_000_000
    const source = createMemoryLog({ nowMs: () => nowMs++ })
    const { open, stages } = asReplayLog(source, createMemoryRegistry())
    const steps = fc
      .sample(drawnSteps, { numRuns: 30, seed: 3 })
      .reduce((left, right) => (right.length > left.length ? right : left))
    await writeSteps(source, open.registry, steps)
    const range = { from: knownAtOf(steps[1] as Step), to: knownAtOf(steps.at(-2) as Step) }
    const clock = { nowMs: Date.now, delay: async () => {} }
    const found = await findRange({
      ...{ open, topics: selectTopics(stages, {}), range, clock, signal: new AbortController().signal },
    })
    let publishedAtMs = 0
    const options = { brokers: kafka.brokers.split(','), logger: silentLogger, topicPrefix: 'past.' }
    const target = await createKafkaLog({ ...options, nowMs: () => publishedAtMs })
    try {
      const to = {
        log: target,
        atPublished: (atMs: number) => {
          publishedAtMs = atMs
        },
      }
      const onInstant = await copyTo(to, found.partitions)
      for await (const _ of readReplay(found, { speed: Number.POSITIVE_INFINITY, onInstant }));
      for (const { source: lane } of found.partitions) {
        const expected = (await closedBy(source, lane)).filter(
          ({ knownAtMs }) => range.from <= knownAtMs && knownAtMs < range.to,
        )
        expect(await closedBy(target, lane), lane.topic).to.deep.equal(expected)
        expect(expected.length).to.be.greaterThan(0)
      }
      expect(publishedAtMs).to.be.within(1_790_000_000_000, nowMs)
      const again = await copyTo(to, found.partitions).catch((error: unknown) => error)
      expect(again).to.include({ code: 'replay_target_used' })
    } finally {
      await target.close()
    }
  })
})

/**
 * Returns every record of the partition. Each has the time at which it became known, from the tick that
 * closes the record.
 */
async function closedBy(log: Log, { topic, partition, codec }: TypedPartition) {
  const closed: { key: string; value: Buffer | null; knownAtMs: number }[] = []
  const { endOffset } = await log.bounds(topic, partition)
  for await (const batch of recordsFrom(log, { topic, partition, offset: 0 }, { untilOffset: endOffset }))
    for (let index = 0; index < batch.count; index++) {
      closed.push({ key: batch.keyAt(index), value: batch.valueAt(index), knownAtMs: 0 })
      const record = codec.decode(batch.valueAt(index) as Buffer)
      if (record.type !== 'Tick') continue
      const { knownAtMs } = record.data as Tick
      for (const one of closed) one.knownAtMs ||= knownAtMs
    }
  return closed
}

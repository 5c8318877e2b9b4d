import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { lockDataDir } from '../../../../infra/data-dir/data-dir-lock.ts'
import { copyEmbeddedLog } from '../../../../infra/log/embedded/copy-embedded-log.ts'
import { createEmbeddedLog, type EmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'
import { runTypeScript } from '../../../support/run-typescript.ts'
import { crashPartitions, roundRecords } from './crash-round.ts'
import { makeOfBefore } from './log-of-before.ts'

const dayMs = 86_400_000
const startAtMs = Date.UTC(2026, 0, 1, 12)
const never = new AbortController().signal

describe('a copy of the embedded log', () => {
  let root: string
  let dataDir: string
  let nowMs: number
  let children: ChildProcess[]
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'copy-embedded-log-'))
  })
  beforeEach(() => {
    dataDir = mkdtempSync(join(root, 'log-'))
    nowMs = startAtMs
    children = []
  })
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  after(() => rmSync(root, { recursive: true }))

  const openLog = (folder = dataDir) => createEmbeddedLog({ dataDir: folder, nowMs: () => nowMs })
  /** Copies the log, and returns the data directory with the copy. */
  const copied = async (signal: Pick<AbortSignal, 'throwIfAborted'> = never): Promise<string> => {
    const target = mkdtempSync(join(root, 'copy-'))
    await copyEmbeddedLog(dataDir, join(target, 'log'), signal)
    return target
  }
  /** A signal that runs `act` before the environment with this number is copied, counted from one. */
  const beforeCopy = (number: number, act: () => unknown): Pick<AbortSignal, 'throwIfAborted'> => {
    let count = 0
    return { throwIfAborted: () => void (++count === number && act()) }
  }

  const startWriter = async (dayStepMs: number) => {
    const script = fileURLToPath(new URL('./crash-writer.ts', import.meta.url))
    const child = spawn(process.execPath, [runTypeScript, script, dataDir, '0', String(dayStepMs)])
    children.push(child)
    let last = -1
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (text: Buffer) => {
        last = Number(String(text).trim().split('\n').at(-1))
        resolve()
      })
    })
    return { lastRound: () => last, pause: () => child.kill('SIGSTOP'), resume: () => child.kill('SIGCONT') }
  }

  /** Returns the number of rounds in the copy. Each round must be whole in all partitions. */
  const roundsIn = async (log: EmbeddedLog): Promise<number> => {
    const values = await Promise.all(crashPartitions.map(({ topic, partition }) => valuesOf(log, topic, partition)))
    const counts = values.map((texts) => new Set(texts.map((text) => text.split('/')[0])).size)
    const [count = 0] = counts
    expect(new Set(counts).size, `rounds in the partitions: ${counts}`).to.equal(1)
    const expected = Array.from({ length: count }, (_, round) => roundRecords(round)).flat()
    for (const [index, { topic, partition }] of crashPartitions.entries())
      expect(values[index]?.join()).to.equal(
        expected
          .filter((record) => record.topic === topic && record.partition === partition)
          .map(({ value }) => value)
          .join(),
      )
    return count
  }

  it('is the log of one moment, while another process appends and days end, and can be continued', async () => {
    // With an owner, as beside a service, the files are not examined before each copy.
    const lock = await lockDataDir(dataDir)
    const { lastRound, pause, resume } = await startWriter(dayMs)
    let [days, laterBlocks] = [0, 0]
    // A copy that was taken between two appends, or of a single day, would prove nothing.
    while (days < 3 || laterBlocks < 2) {
      const acknowledged = lastRound()
      const folder = await copied()
      const acknowledgedAfter = lastRound()
      // Otherwise the log grows while a copy is read, so each copy takes longer than the one before.
      pause()
      const log = await openLog(folder)
      const count = await roundsIn(log)
      expect(count).to.be.greaterThan(acknowledged)
      if (acknowledgedAfter > count) laterBlocks++
      days = readdirSync(join(folder, 'log/chain-a-facts')).length
      const writer = await log.openWriter('crash-writer')
      for (let round = count; round < count + 3; round++) await writer.append(roundRecords(round))
      expect(await roundsIn(log)).to.equal(count + 3)
      await log.close()
      rmSync(folder, { recursive: true })
      resume()
    }
    await lock.release()
  })

  it('has no record of an append after its index was copied, and all records before that', async () => {
    const log = await openLog()
    const writer = await log.openWriter('w')
    await writer.append([fact(0, 'a'), { ...fact(0, 'a'), topic: 'payments' }])
    const append = () => writer.append([fact(0, 'b'), fact(0, 'c'), { ...fact(0, 'b'), topic: 'payments' }])
    const folder = await copied(beforeCopy(2, append))
    await log.close()
    const restored = await openLog(folder)
    for (const topic of ['chain-a-facts', 'payments'])
      expect(await valuesOf(restored, topic, 0), topic).to.deep.equal(['a'])
    await (await restored.openWriter('w')).append([fact(0, 'd')])
    expect(await valuesOf(restored, 'chain-a-facts', 0)).to.deep.equal(['a', 'd'])
    await restored.close()
  })

  it('has a topic either in the index or in days, and compaction changes no day', () => {
    expect(Object.values(topics).filter(({ isBulk, isCompacted }) => isBulk && isCompacted)).to.deep.equal([])
  })

  describe('while retention runs', () => {
    let log: EmbeddedLog
    const fillDays = async () => {
      log = await openLog()
      const writer = await log.openWriter('w')
      for (let day = 0; day < 9; day++) {
        // The first day expires four hours before the last append, and retention waits six hours for a reader.
        nowMs = day === 0 ? Date.UTC(2026, 0, 1, 23, 30) : Date.UTC(2026, 0, 1 + day, 4)
        await writer.append([fact(0, `${day}`)])
      }
    }
    afterEach(() => log.close())

    it('has the days that retention would have removed', async () => {
      await fillDays()
      const copying = copied()
      await log.maintain(nowMs)
      const restored = await openLog(await copying)
      expect(await valuesOf(restored, 'chain-a-facts', 0)).to.have.lengthOf(9)
      await restored.close()
      await log.maintain(nowMs)
      expect((await valuesOf(log, 'chain-a-facts', 0))[0]).to.equal('1')
    })

    it('fails if a day is removed all the same', async () => {
      await fillDays()
      const remove = () => rmSync(join(dataDir, 'log/chain-a-facts/2026-01-01'), { recursive: true })
      await expectFailure(copied(beforeCopy(2, remove)), 'range_not_held')
    })
  })

  it('can be read by its owner alone', async () => {
    const log = await openLog()
    await (await log.openWriter('w')).append([fact(0, 'a')])
    const folder = join(await copied(), 'log')
    await log.close()
    for (const name of readdirSync(folder, { recursive: true }).map(String)) {
      const stats = statSync(join(folder, name))
      expect(stats.mode & 0o777, name).to.equal(stats.isFile() ? 0o600 : 0o700)
      if (stats.isFile()) expect(name).to.match(/data\.mdb$/)
    }
  })

  it('leaves no entry of a reader, and stops when it is told to', async () => {
    const log = await openLog()
    await (await log.openWriter('w')).append([fact(0, 'a')])
    await copied()
    const stop = new AbortController()
    stop.abort(new RangeError('stopped'))
    const target = join(root, 'stopped')
    const failure = await copyEmbeddedLog(dataDir, target, stop.signal).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(RangeError)
    expect(existsSync(target)).to.equal(false)
    expect(readdirSync(join(dataDir, 'readers'))).to.deep.equal([])
    await log.close()
  })

  it('can be made of a log from before checksums, which it leaves as it is', async () => {
    const log = await openLog()
    await (await log.openWriter('w')).append([fact(0, 'a')])
    await log.close()
    await makeOfBefore(dataDir)
    const restored = await openLog(await copied())
    expect(await valuesOf(restored, 'chain-a-facts', 0)).to.deep.equal(['a'])
    expect(restored.uncheckedCount()).to.equal(1)
    await restored.close()
  })

  it('needs a log that can be read', async () => {
    await expectFailure(copied(), 'log_missing')
    const log = await openLog()
    await (await log.openWriter('w')).append([fact(0, 'a')])
    await log.close()
    rmSync(join(dataDir, 'log/main/data.mdb'))
    await expectFailure(copied(), 'log_missing')
  })
})

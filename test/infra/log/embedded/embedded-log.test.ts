import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { loadLmdb } from '../../../../infra/data-dir/lmdb.ts'
import { createEmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'
import { maintainEmbedded } from '../../../../infra/log/embedded/maintenance.ts'
import { openEmbeddedStore } from '../../../../infra/log/embedded/store.ts'
import { encodeBlock } from '../../../../infra/log/embedded/stored-block.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { packRecords } from '../../../../infra/log/record-batch.ts'
import { topics } from '../../../../schemas/topics.ts'
import { describeFollowedTokens } from '../../../contracts/followed-tokens.ts'
import { address, describeLogContract, expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'
import { expectOrder } from '../../../support/effects/effects.ts'
import { runTypeScript } from '../../../support/run-typescript.ts'
import { crashPartitions, roundRecords, roundSize } from './crash-round.ts'

const dayMs = 86_400_000
const startAtMs = Date.UTC(2026, 0, 1, 12)

describe('embedded log', () => {
  let root: string
  let dataDir: string
  let nowMs: number
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'embedded-log-'))
  })
  beforeEach(() => {
    dataDir = mkdtempSync(join(root, 'log-'))
    nowMs = startAtMs
  })
  after(() => rmSync(root, { recursive: true }))

  const reopened = () => createEmbeddedLog({ dataDir, nowMs: () => nowMs })

  describeLogContract('embedded log', {
    create: (clock) => createEmbeddedLog({ dataDir: mkdtempSync(join(root, 'log-')), nowMs: clock }),
    runCount: 10,
  })

  describeFollowedTokens('embedded log', {
    create: () => createEmbeddedLog({ dataDir: mkdtempSync(join(root, 'log-')), nowMs: () => nowMs }),
  })

  it('has all records after it was closed and opened again', async () => {
    const first = await reopened()
    const stale = await first.openWriter('w')
    await stale.append([fact(0, 'a'), fact(3, 'b'), address('p', '1'), address('p', '2')])
    await first.maintain(nowMs)
    nowMs += dayMs
    await stale.append([fact(0, 'c')])
    await first.close()

    const log = await reopened()
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a', 'c'])
    expect(await valuesOf(log, 'chain-a-facts', 3)).to.deep.equal(['b'])
    expect(await valuesOf(log, 'addresses', 0)).to.deep.equal(['2'])
    await (await log.openWriter('w')).append([fact(0, 'd')])
    expect(await valuesOf(log, 'chain-a-facts', 0, 1)).to.deep.equal(['c', 'd'])
    await log.close()
  })

  it('is in a folder that its owner alone may enter', async () => {
    const log = await reopened()
    expect(statSync(join(dataDir, 'log')).mode & 0o777).to.equal(0o700)
    await log.close()
  })

  it('fences a writer from before it was reopened', async () => {
    const first = await reopened()
    const stale = await first.openWriter('w')
    const second = await reopened()
    await second.openWriter('w')
    await expectFailure(stale.append([fact(0, 'late')]), 'writer_fenced')
    await first.close()
    expect(await valuesOf(second, 'chain-a-facts', 0)).to.deep.equal([])
    await second.close()
  })

  it('refuses a topic with data if its number of partitions has changed, and no other topic', async () => {
    const log = await reopened()
    await (await log.openWriter('w')).append([fact(0, 'a')])
    await log.close()
    const recounted = (topic: 'chain-a-facts' | 'payments') =>
      createEmbeddedLog({
        dataDir,
        nowMs: () => nowMs,
        topicTable: { ...topics, [topic]: { ...topics[topic], partitionCount: 8 } },
      })
    await expectFailure(recounted('chain-a-facts'), 'partition_count_changed')
    await (await recounted('payments')).close()
    await (await reopened()).close()
  })

  it('shows nothing of an append that crashed before its commit, however large it was', async () => {
    const log = await reopened()
    const writer = await log.openWriter('w')
    await writer.append([fact(0, 'a')])
    await plantLeftOver(dataDir, '2026-01-01', [1, 3, 4])
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a'])
    await writer.append([fact(0, 'b')])
    await writer.append(['c', 'd', 'e', 'f'].map((text) => fact(0, text)))
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f'])
    await log.close()
  })

  it('shows nothing of it on the next day either', async () => {
    const log = await reopened()
    const writer = await log.openWriter('w')
    await writer.append([fact(0, 'a')])
    await plantLeftOver(dataDir, '2026-01-01', [1, 2])
    nowMs += dayMs
    await writer.append(['b', 'c', 'd'].map((text) => fact(0, text)))
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['a', 'b', 'c', 'd'])
    expect(await valuesOf(log, 'chain-a-facts', 0, 2)).to.deep.equal(['c', 'd'])
    await log.close()
  })

  it('keeps offsets in order when the clock is set back by a day', async () => {
    const log = await reopened()
    const writer = await log.openWriter('w')
    for (const [text, atMs] of [
      ['a', 0],
      ['b', dayMs],
      ['c', 0],
      ['d', 2 * dayMs],
    ] as const) {
      nowMs = startAtMs + atMs
      await writer.append([fact(0, text)])
    }
    for (let offset = 0; offset <= 4; offset++)
      expect(await valuesOf(log, 'chain-a-facts', 0, offset, 1)).to.deep.equal(['a', 'b', 'c', 'd'].slice(offset))
    await log.close()
  })

  /**
   * The clock is set back between b and c. When d is appended, records of day 0 have expired.
   *
   *     clock    day 0   day 1   day 0   day 8
   *     records  a       b       c       d, then maintenance
   */
  it('keeps a record that was appended after the clock was set back as long as the records before it', async () => {
    const log = await reopened()
    const writer = await log.openWriter('w')
    for (const [text, day] of [
      ['a', 0],
      ['b', 1],
      ['c', 0],
      ['d', 8],
    ] as const) {
      nowMs = startAtMs + day * dayMs
      await writer.append([fact(0, text)])
    }
    await log.maintain(nowMs)
    expect(await log.bounds('chain-a-facts', 0)).to.deep.equal({ startOffset: 1, endOffset: 4 })
    expect(await valuesOf(log, 'chain-a-facts', 0, 1)).to.deep.equal(['b', 'c', 'd'])
    await log.close()
  })

  it('keeps a bulk topic in one folder per day, whatever its name, and no other topic', async () => {
    const name = 'other-chain-facts'
    const topicTable = { ...topics, [name]: { ...topics['chain-a-facts'], name } }
    const log = await createEmbeddedLog({ dataDir, nowMs: () => nowMs, topicTable })
    const writer = await log.openWriter('w')
    for (const text of ['a', 'b']) {
      await writer.append([name, 'chain-a-derived'].map((topic) => ({ ...fact(0, text), topic })))
      nowMs += dayMs
    }
    expect(readdirSync(join(dataDir, 'log', name)).sort()).to.deep.equal(['2026-01-01', '2026-01-02'])
    expect(readdirSync(join(dataDir, 'log'))).to.not.include('chain-a-derived')
    expect(await valuesOf(log, name, 0)).to.deep.equal(['a', 'b'])
    await log.close()
  })

  it('removes a day with its folder while others read', async () => {
    const log = await reopened()
    const other = await reopened()
    const writer = await log.openWriter('w')
    for (let day = 0; day < 10; day++) {
      await writer.append([fact(0, `${day}`)])
      nowMs += dayMs
    }
    expect(await valuesOf(other, 'chain-a-facts', 0)).to.have.lengthOf(10)
    await log.maintain(nowMs)
    expect(readdirSync(join(dataDir, 'log/chain-a-facts'))).to.have.lengthOf(8)
    expect(await valuesOf(other, 'chain-a-facts', 0)).to.deep.equal(['2', '3', '4', '5', '6', '7', '8', '9'])
    expect(await other.bounds('chain-a-facts', 0)).to.deep.equal({ startOffset: 2, endOffset: 10 })
    await other.close()
    expect(await valuesOf(log, 'chain-a-facts', 0, 9)).to.deep.equal(['9'])
    await log.close()
  })

  it('forgets a day before it removes its folder: a crash in between leaves a log that can be read', () =>
    expectOrder({
      pairs: [],
      interrupt: 'crash',
      begin: async () => {
        dataDir = mkdtempSync(join(root, 'log-'))
        nowMs = startAtMs
        const log = await reopened()
        const writer = await log.openWriter('w')
        for (let day = 0; day < 10; day++) {
          await writer.append([fact(0, `${day}`)])
          nowMs += dayMs
        }
        await log.close()
        return openEmbeddedStore(dataDir, topics)
      },
      run: async (store, effects) => {
        const days = effects.around(store.days, { removeBefore: (topic) => `remove the folders of ${topic}` })
        await maintainEmbedded({ ...store, days }, { nowMs, heldFromAtMs: null })
      },
      leaves: async (_, done) => {
        expect(done).to.include('remove the folders of chain-a-facts')
        const log = await reopened()
        expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['2', '3', '4', '5', '6', '7', '8', '9'])
        await log.close()
      },
      end: (store) => store.close(),
    }))

  it('loses nothing that a thread with a slow clock appends to a removed day', async () => {
    const log = await reopened()
    const slow = await createEmbeddedLog({ dataDir, nowMs: () => startAtMs })
    const writer = await slow.openWriter('slow')
    await writer.append([fact(0, 'old')])
    nowMs += 9 * dayMs
    await (await log.openWriter('w')).append([fact(0, 'new')])
    await log.maintain(nowMs)
    await writer.append([fact(0, 'late')])
    for (const reader of [log, slow]) expect(await valuesOf(reader, 'chain-a-facts', 0)).to.deep.equal(['new', 'late'])
    await slow.close()
    await log.close()
  })

  it('keeps the newest record of another thread, however old it is', async () => {
    const log = await reopened()
    const other = await reopened()
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal([])
    await (await other.openWriter('w')).append([fact(0, 'last')])
    await log.maintain(startAtMs + 400 * dayMs)
    for (const reader of [log, other]) expect(await valuesOf(reader, 'chain-a-facts', 0)).to.deep.equal(['last'])
    await other.close()
    await log.close()
  })

  it('fails if a day’s folder was removed by someone else', async () => {
    const log = await reopened()
    await (await log.openWriter('w')).append([fact(0, 'a')])
    await log.close()
    rmSync(join(dataDir, 'log/chain-a-facts/2026-01-01'), { recursive: true })
    const damaged = await reopened()
    await expectFailure(damaged.read({ topic: 'chain-a-facts', partition: 0, offset: 0 }), 'log_failed')
    expect(existsSync(join(dataDir, 'log/chain-a-facts/2026-01-01'))).to.equal(false)
    await damaged.close()
  })

  it('keeps acknowledged appends and shows no partial ones when the process is killed', async () => {
    let acknowledged = -1
    for (let kill = 0; kill < 3; kill++) {
      acknowledged = Math.max(acknowledged, await writeUntilKilled(dataDir, acknowledged + 1, 10 + 90 * kill))
      const log = await reopened()
      const roundCount = await wholeRounds(log)
      expect(roundCount, 'every acknowledged round is there').to.be.at.least(acknowledged + 1)
      expect(roundCount, 'at most one round is there that was not acknowledged').to.be.at.most(acknowledged + 2)
      acknowledged = roundCount - 1
      await log.close()
    }
    expect(acknowledged).to.be.greaterThan(8)
  })
})

/** Leaves blocks as a crashed append does. They are in the day's environment, after the committed end. */
async function plantLeftOver(dataDir: string, day: string, offsets: readonly number[]): Promise<void> {
  const open = await loadLmdb(dataDir)
  const environment = open(join(dataDir, 'log/chain-a-facts', day))
  const bytes = packRecords([{ key: 'k', value: Buffer.from('left over') }])
  for (const firstOffset of offsets) {
    const place = { topic: 'chain-a-facts', partition: 0, firstOffset }
    environment.putSync(
      ['block', 'chain-a-facts', 0, firstOffset],
      encodeBlock(place, { bytes, count: 1, timestampMs: 0 }),
    )
  }
  await environment.close()
}

/** Runs the crashing writer and kills it some time after its fourth round. Returns the last acknowledged round. */
async function writeUntilKilled(dataDir: string, firstRound: number, killAfterMs: number): Promise<number> {
  const script = fileURLToPath(new URL('./crash-writer.ts', import.meta.url))
  const child = spawn(process.execPath, [runTypeScript, script, dataDir, `${firstRound}`, `${dayMs}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  let killing: NodeJS.Timeout | null = null
  child.stdout.on('data', (text) => {
    output += text
    if (killing === null && output.split('\n').length > 4)
      killing = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  })
  await new Promise((resolve) => child.once('close', resolve))
  return Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1))
}

/** Checks that all partitions have the same complete rounds, in order. Returns the number of rounds. */
async function wholeRounds(log: Log): Promise<number> {
  const counts: number[] = []
  for (const { topic, partition } of crashPartitions) {
    const values = await valuesOf(log, topic, partition)
    let round = 0
    for (let at = 0; at < values.length; round++) {
      const due = roundRecords(round).slice(0, roundSize(round))
      expect(values.slice(at, at + due.length).join()).to.equal(due.map(({ value }) => String(value)).join())
      at += due.length
    }
    counts.push(round)
  }
  expect(new Set(counts).size, `${counts}`).to.equal(1)
  return counts[0] as number
}

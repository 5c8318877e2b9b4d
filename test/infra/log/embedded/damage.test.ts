/** Reads a log whose stored values were changed. A reader must get the written values or an error. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Key } from 'lmdb'
import { prepareSchemas } from '../../../../infra/codec/prepare-schemas.ts'
import { createEmbeddedRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { createEmbeddedLog, type EmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'
import type { NewRecord } from '../../../../infra/log/log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'
import { type Change, changeMain, changeOne, flipBit, valuesIn } from './changed-values.ts'
import {
  asText,
  contentsOf,
  expectSameOrDamaged,
  failureOf,
  type History,
  history,
  type Opened,
} from './log-contents.ts'

const dayMs = 86_400_000
const startAtMs = Date.UTC(2026, 0, 1, 12)
describe('a damaged log', () => {
  let root: string
  let dataDir: string
  let nowMs: number
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'damaged-log-'))
  })
  beforeEach(() => {
    dataDir = mkdtempSync(join(root, 'log-'))
    nowMs = startAtMs
  })
  after(() => rmSync(root, { recursive: true }))

  const withLog = async <Result>(use: (log: EmbeddedLog) => Promise<Result>): Promise<Result> => {
    const log = await createEmbeddedLog({ dataDir, nowMs: () => nowMs })
    try {
      return await use(log)
    } finally {
      await log.close()
    }
  }
  const append = (...appends: readonly (readonly NewRecord[])[]) =>
    withLog(async (log) => {
      const writer = await log.openWriter('w')
      for (const records of appends) await writer.append(records)
    })
  const openAll = async (): Promise<Opened> => ({
    log: await createEmbeddedLog({ dataDir, nowMs: () => nowMs }),
    registry: await createEmbeddedRegistry({ dataDir }),
  })
  const write = async ({ log, registry }: Opened, { appends, isMaintained }: History) => {
    await prepareSchemas(registry, topics)
    const writer = await log.openWriter('w')
    for (const { records, isNextDay } of appends) {
      if (isNextDay) nowMs += dayMs
      await writer.append(records)
    }
    if (isMaintained) await log.maintain(nowMs)
  }
  const close = async ({ log, registry }: Opened) => {
    await log.close()
    await registry.close()
  }

  it('gives what was written or an error, whichever bit of a value is flipped', async () => {
    let noticed = 0
    await fc.assert(
      fc.asyncProperty(history, fc.array(fc.nat(), { minLength: 6, maxLength: 6 }), async (given, places) => {
        dataDir = mkdtempSync(join(root, 'log-'))
        nowMs = startAtMs
        const opened = await openAll()
        await write(opened, given)
        const written = await contentsOf(opened)
        for (const place of places) {
          const repair = await changeOne(dataDir, place, (value) => flipBit(value, place >>> 7))
          noticed += expectSameOrDamaged(await contentsOf(opened), written)
          await repair()
        }
        expect(await contentsOf(opened), 'the flips were taken back').to.deep.equal(written)
        await close(opened)
      }),
      { numRuns: 6 },
    )
    expect(noticed).to.be.greaterThan(0)
  })

  it('opens as it was or not at all, whichever row of the index is damaged', async () => {
    const first = await openAll()
    const records = ['a', 'b', 'a'].map((key) => ({ ...fact(0, key), topic: 'addresses', key }))
    const appends = records.map((each) => ({ records: [each, fact(0, each.key)], isNextDay: true }))
    await write(first, { appends, isMaintained: true })
    const written = await contentsOf(first)
    await close(first)
    const rows = [...(await valuesIn(dataDir, 'log/main')).keys()].filter((key) => !key.startsWith('["block"'))
    const kindsOf = (keys: readonly string[]) => new Set(keys.map((key) => [JSON.parse(key)].flat()[0]))
    expect([...kindsOf(rows)]).to.have.members(['compacted', 'count', 'end', 'epoch', 'format', 'gap', 'segment'])
    for (const [index, row] of rows.entries()) {
      const repair = await changeMain(dataDir, (values) => ({
        [row]: flipBit(Buffer.from(values.get(row) as Buffer), index * 37),
      }))
      const opened = await openAll().catch(asText)
      if (typeof opened === 'string') expect(opened).to.match(/^log_corrupt: /)
      else {
        expectSameOrDamaged(await contentsOf(opened), written)
        const writing = await opened.log.openWriter('w').catch(asText)
        if (row.startsWith('["epoch"')) expect(writing).to.match(/^log_corrupt: /)
        await close(opened)
      }
      await repair()
    }
  })

  it('names topic, partition, offset and file for a bit that flips in the file itself, and says what to do', async () => {
    await append([fact(1, 'first'), fact(1, 'second')], [fact(1, 'the third')])
    const file = join(dataDir, 'log/chain-a-facts/2026-01-01/data.mdb')
    const bytes = readFileSync(file)
    for (let at = bytes.indexOf('the third'); at >= 0; at = bytes.indexOf('the third', at + 1)) flipBit(bytes, at * 8)
    writeFileSync(file, bytes)
    await withLog(async (log) => {
      const failure = await failureOf(log.read({ topic: 'chain-a-facts', partition: 1, offset: 0 }))
      expect(failure.code).to.equal('log_corrupt')
      expect(failure.context).to.deep.equal({ topic: 'chain-a-facts', partition: 1, offset: 2, file })
      for (const said of ['chain-a-facts/1', 'offset 2', file, 'restore a backup of DATA_DIR'])
        expect(failure.message).to.contain(said)
      expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal([])
    })
  })

  const block = (topic: string, partition: number, offset: number): Key => ['block', topic, partition, offset]
  const derived = (partition: number, text: string): NewRecord => ({
    ...fact(partition, text),
    topic: 'chain-a-derived',
  })
  const [one, other] = [block('chain-a-derived', 0, 1), block('chain-a-derived', 1, 1)].map((key) =>
    JSON.stringify(key),
  ) as [string, string]
  const damages: readonly (readonly [name: string, damage: Change, offset: number])[] = [
    ['is cut', (values) => ({ [one]: (values.get(one) as Buffer).subarray(0, -1) }), 1],
    ['has no byte', () => ({ [one]: Buffer.alloc(0) }), 1],
    ['is a page of zeros', () => ({ [one]: Buffer.alloc(4_096) }), 1],
    ['has another mark', (values) => ({ [one]: flipBit(Buffer.from(values.get(one) as Buffer), 3) }), 1],
    ['lost its mark and checksum', (values) => ({ [one]: (values.get(one) as Buffer).subarray(8) }), 1],
    ['says that offsets follow', (values) => ({ [one]: flipBit(Buffer.from(values.get(one) as Buffer), 20 * 8) }), 1],
    [
      'was exchanged with that of another partition',
      (values) => ({ [one]: values.get(other) as Buffer, [other]: values.get(one) as Buffer }),
      1,
    ],
    [
      'was stored under a later offset',
      (values) => ({ [one]: null, [JSON.stringify(block('chain-a-derived', 0, 2))]: values.get(one) as Buffer }),
      1,
    ],
    [
      'was stored under the name of another topic',
      (values) => ({ [one]: null, [JSON.stringify(block('chain-b-derived', 0, 1))]: values.get(one) as Buffer }),
      1,
    ],
    ['is gone', () => ({ [one]: null }), 1],
  ]
  for (const [name, damage, offset] of damages)
    it(`gives an error where a block ${name}`, async () => {
      await append([derived(0, 'a'), derived(1, 'b')], [derived(0, 'c'), derived(1, 'd')], [derived(0, 'e')])
      await changeMain(dataDir, damage)
      await withLog(async (log) => {
        const read = (from: number) => failureOf(log.read({ topic: 'chain-a-derived', partition: 0, offset: from }))
        for (const from of [0, offset]) {
          const { code, context } = await read(from)
          expect({ code, ...context }).to.deep.include({
            code: 'log_corrupt',
            topic: 'chain-a-derived',
            partition: 0,
            offset,
          })
        }
      })
    })

  for (const [name, offset] of [
    ['first', 0],
    ['last', 2],
  ] as const)
    it(`gives an error where the ${name} block is gone`, async () => {
      await append([derived(0, 'a')], [derived(0, 'b')], [derived(0, 'c')])
      await changeMain(dataDir, () => ({ [JSON.stringify(block('chain-a-derived', 0, offset))]: null }))
      await withLog((log) => expectFailure(valuesOf(log, 'chain-a-derived', 0, 0), 'log_corrupt'))
    })

  it('appends nothing over records whose end is gone', async () => {
    await append([fact(0, 'a'), derived(0, 'b')])
    await changeMain(dataDir, () => ({ '["end","chain-a-facts",0]': null, '["end","chain-a-derived",0]': null }))
    for (const record of [fact(0, 'x'), derived(0, 'x')]) await expectFailure(append([record]), 'log_corrupt')
  })

  it('ends the wait for a partition whose end is damaged, and no append to another', async () => {
    await append([fact(0, 'a'), fact(1, 'b')])
    await withLog(async (log) => {
      const { signal } = new AbortController()
      const wait = (partition: number) => log.waitForAppend({ topic: 'chain-a-facts', partition, offset: 1 }, signal)
      const waits = [expectFailure(wait(0), 'log_corrupt'), wait(1)]
      const row = '["end","chain-a-facts",0]'
      await changeMain(dataDir, (values) => ({ [row]: flipBit(Buffer.from(values.get(row) as Buffer), 99) }))
      await (await log.openWriter('w')).append([fact(1, 'c')])
      await Promise.all(waits)
    })
  })

  it('keeps to the retention of a topic while another one is damaged, and says so', async () => {
    const chainB = ['chain-b-facts', 'chain-b-derived']
    const ofChainB = (text: string) => chainB.map((topic) => ({ ...fact(0, text), topic }))
    await append([{ ...fact(0, 'a'), topic: 'addresses' }, ...ofChainB('old')])
    nowMs += 40 * dayMs
    await append(ofChainB('new'))
    await changeMain(dataDir, () => ({ [JSON.stringify(block('addresses', 0, 0))]: Buffer.alloc(0) }))
    await withLog(async (log) => {
      await expectFailure(log.maintain(nowMs), 'log_corrupt')
      for (const topic of chainB) expect(await valuesOf(log, topic, 0)).to.deep.equal(['new'])
    })
  })

  it('gives an error where a day is gone from the index', async () => {
    for (let day = 0; day < 3; day++) {
      await append([fact(0, `${day}`)])
      nowMs += dayMs
    }
    for (const offset of [0, 1, 2]) {
      const row = `["segment","chain-a-facts",0,${offset}]`
      const repair = await changeMain(dataDir, () => ({ [row]: null }))
      await withLog((log) => expectFailure(valuesOf(log, 'chain-a-facts', 0, 0), 'log_corrupt'))
      await repair()
    }
    await withLog(async (log) => expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal(['0', '1', '2']))
  })

  it('knows the gaps that retention and compaction left, and no others', async () => {
    const address = (key: string, text: string): NewRecord => ({ ...fact(0, text), topic: 'addresses', key })
    for (const [key, text] of [
      ['a', '1'],
      ['b', '1'],
      ['b', '2'],
      ['c', '1'],
      ['a', '2'],
    ] as const) {
      await append([address(key, text), fact(0, text), derived(0, text)])
      nowMs += 12 * dayMs
    }
    nowMs -= 12 * dayMs
    await withLog((log) => log.maintain(nowMs))
    await withLog(async (log) => {
      for (let offset = 0; offset <= 5; offset++) {
        expect(await valuesOf(log, 'addresses', 0, offset)).to.deep.equal(
          ['2', '1', '2'].slice(Math.max(0, offset - 2)),
        )
        expect(await valuesOf(log, 'chain-a-facts', 0, offset)).to.deep.equal(['2'].slice(Math.max(0, offset - 4)))
        expect(await valuesOf(log, 'chain-a-derived', 0, offset)).to.deep.equal(
          ['2', '1', '2'].slice(Math.max(0, offset - 2)),
        )
      }
    })
    for (const [topic, offset] of [
      ['addresses', 2],
      ['addresses', 3],
      ['chain-a-derived', 2],
    ] as const) {
      const repair = await changeMain(dataDir, () => ({ [JSON.stringify(block(topic, 0, offset))]: null }))
      await withLog((log) => expectFailure(valuesOf(log, topic, 0, 0), 'log_corrupt'))
      await repair()
    }
  })
})

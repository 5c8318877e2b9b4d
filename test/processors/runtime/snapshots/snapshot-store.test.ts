import assert from 'node:assert/strict'
import { expect } from 'chai'
import type { Log } from '../../../../infra/log/log.ts'
import { chunkBytesMax, fromChunks, toChunks } from '../../../../processors/runtime/snapshots/snapshot-bytes.ts'
import { openSnapshotStore } from '../../../../processors/runtime/snapshots/snapshot-store.ts'
import { statesOfGroup } from '../../../../processors/runtime/state-packer.ts'
import { readAll, silentLogger } from '../../../replay/stage-log.ts'
import { toyStage } from '../../../replay/toy/toy-records.ts'
import { buildAddress, buildTick } from '../../../support/builders/build-facts.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'
import { manifestOf } from './manifest-of.ts'

const stateOf = (seq: number) => ({ lastTick: buildTick({ seq }), dictionary: null, tokens: [] })
const chunksOf = async (seq: number) =>
  (await toChunks(stateOf(seq))).flatMap((chunk) => [chunk.subarray(0, 9), chunk.subarray(9)])
const any = ({ seq }: { seq: number }) => seq > 0

describe('snapshot store', () => {
  let log: { -readonly [Part in keyof Log]: Log[Part] }
  beforeEach(() => {
    log = { ...createHoledLog({ nowMs: () => 0 }) }
  })
  const open = () => openSnapshotStore({ log, logger: silentLogger, stage: toyStage }, 1)
  const overwrite = async (key: string, value: Buffer | null) => {
    const writer = await log.openWriter('elsewhere')
    await writer.append([{ topic: 'snapshots', partition: 0, key, value }])
  }
  const save = async (...seqs: number[]) => {
    const store = await open()
    for (const seq of seqs) await store.save(manifestOf(seq), await chunksOf(seq))
  }
  const newestSeq = async (seqMax: number) => (await (await open()).newest(seqMax, any))?.manifest.seq ?? null

  it('gives the newest at or before the tick', async () => {
    await save(3, 6, 9)
    expect(await newestSeq(9)).to.equal(9)
    expect(await newestSeq(8)).to.equal(6)
    expect(await newestSeq(2)).to.equal(null)
    const stored = await (await open()).newest(6, any)
    expect(stored?.manifest).to.include(manifestOf(6))
    expect(stored?.state).to.deep.equal(stateOf(6))
  })

  it('takes one that fits the code', async () => {
    await save(3, 6)
    expect((await (await open()).newest(9, ({ seq }) => seq < 6))?.manifest.seq).to.equal(3)
  })

  const keptKeys = async () => {
    const live = new Map((await readAll(log, 'snapshots', 0)).map(({ key, value }) => [key, value]))
    return [...live].filter(([, value]) => value !== null).map(([key]) => key)
  }
  const keptSeqs = async () => {
    const keys = (await keptKeys()).filter((key) => key.endsWith('manifest'))
    return keys.map((key) => Number(key.split('/')[1]))
  }

  it('keeps all of the newest three', async () => {
    await save(1, 1001, 1002, 1003, 1004)
    expect((await keptKeys()).filter((key) => /100[234]/.test(key))).to.deep.equal(
      [1002, 1003, 1004].flatMap((seq) => ['0', '1', 'manifest'].map((part) => `toy-1/${seq}/${part}`)),
    )
  })

  it('keeps one before the deepest reorg we support, and the one that will replace it', async () => {
    // The deepest supported reorg has 1200 blocks. A tick has two blocks here, so this is 600 ticks.
    await save(0, 100, 200, 300, 400, 500)
    expect(await keptSeqs(), 'none is that old: the first is the next').to.deep.equal([0, 300, 400, 500])
    await save(600, 700)
    expect(await keptSeqs(), '0 is that old, 400 the next').to.deep.equal([0, 400, 500, 600, 700])
    await save(800, 900, 1000)
    expect(await keptSeqs(), '400 is not quite').to.deep.equal([0, 400, 800, 900, 1000])
    await save(1100)
    expect(await keptSeqs(), '400 is, 800 the next').to.deep.equal([400, 800, 900, 1000, 1100])
  })

  it('drops those with blocks of the abandoned branch, but not later ones', async () => {
    await save(3, 6, 9)
    const store = await open()
    await store.dropReorged({ seq: 9, revertedFrom: 12 })
    expect(await keptSeqs()).to.deep.equal([3, 9])
  })

  it('gives one that it has just written itself', async () => {
    const store = await open()
    await store.save(manifestOf(3), await chunksOf(3))
    await store.save(manifestOf(6), await chunksOf(6))
    expect((await store.newest(9, any))?.state).to.deep.equal(stateOf(6))
    expect((await store.newest(5, any))?.state).to.deep.equal(stateOf(3))
  })

  it('asks at length whether one fits', async () => {
    await save(3, 6)
    const fits = async ({ seq }: { seq: number }) => Promise.resolve(seq === 3)
    expect((await (await open()).newest(9, fits))?.manifest.seq).to.equal(3)
  })

  it('drops snapshots of a later tick, left over from a partition that no longer exists', async () => {
    await save(100, 200, 300)
    await save(7)
    expect(await newestSeq(1000)).to.equal(7)
  })

  it('drops one that was never finished', async () => {
    await overwrite('toy-1/5/0', Buffer.from('half'))
    expect(await newestSeq(9)).to.equal(null)
    await save(8)
    expect((await readAll(log, 'snapshots', 0)).at(-1)).to.include({ key: 'toy-1/5/0', value: null })
  })

  const droppedKeys = async () =>
    (await readAll(log, 'snapshots', 0)).filter(({ value }) => value === null).map(({ key }) => key)

  it('drops what is left of one of which a part was dropped', async () => {
    await overwrite('toy-1/5/0', null)
    await overwrite('toy-1/5/1', Buffer.from('half'))
    await save(3, 6)
    await overwrite('toy-1/6/0', null)
    await overwrite('toy-1/6/1', null)
    await save(7, 8, 9)
    expect(await droppedKeys()).to.include.members(['toy-1/5/1', 'toy-1/6/manifest'])
  })

  it('drops each once, after a restart too', async () => {
    await save(1, 1001, 1002, 1003, 1004)
    await save(1005)
    await save(1006)
    const keys = (await droppedKeys()).filter((key) => key.endsWith('manifest'))
    expect(keys).to.deep.equal([...new Set(keys)])
    expect(keys).to.have.length.greaterThan(1)
  })

  const damages: [string, string, Buffer | null][] = [
    ['a missing chunk', 'toy-1/6/1', null],
    ['a manifest that is no JSON', 'toy-1/6/manifest', Buffer.from('{')],
    ['a manifest without its fields', 'toy-1/6/manifest', Buffer.from('{}')],
  ]
  for (const [what, key, value] of damages)
    it(`skips ${what} for the next older`, async () => {
      await save(3, 6)
      await overwrite(key, value)
      expect(await newestSeq(9)).to.equal(3)
      await save(7)
      expect(await newestSeq(9)).to.equal(7)
    })

  it('skips one of which a chunk is gone since the store was opened', async () => {
    await save(3, 6)
    const store = await open()
    const [gone] = (await readAll(log, 'snapshots', 0)).filter(({ key }) => key === 'toy-1/6/1')
    const { read } = log
    for (const found of [0, 1]) {
      log.read = async (from, options) => {
        const isGone = from.topic === 'snapshots' && from.offset === gone?.offset
        return isGone
          ? (await read({ ...from, offset: from.offset + 1 }, options)).slice(0, found)
          : read(from, options)
      }
      expect((await store.newest(9, any))?.manifest.seq).to.equal(3)
    }
  })

  it('takes no notice of a chunk beyond those that the manifest counts', async () => {
    await save(3)
    await overwrite('toy-1/6/2', Buffer.from('of one that was never finished'))
    await save(6)
    expect(await newestSeq(9)).to.equal(6)
  })

  it('skips one with fewer chunks than its manifest counts, even if the hash is that of these chunks', async () => {
    await save(3, 6)
    const written = (await readAll(log, 'snapshots', 0)).find(({ key }) => key === 'toy-1/6/manifest')
    const stored = JSON.parse(String(written?.value))
    expect(stored).to.include({ chunkCount: 2 })
    await overwrite('toy-1/6/manifest', Buffer.from(JSON.stringify({ ...stored, chunkCount: 3 })))
    expect(await newestSeq(9)).to.equal(3)
    await overwrite('toy-1/6/manifest', Buffer.from(JSON.stringify(stored)))
    expect(await newestSeq(9)).to.equal(6)
  })

  it('skips one with a chunk of another', async () => {
    await save(3, 6)
    await overwrite('toy-1/6/1', (await chunksOf(7))[1] ?? null)
    expect(await newestSeq(9)).to.equal(3)
  })

  it('skips a whole one that the runtime cannot read', async () => {
    await save(3)
    await (await open()).save(manifestOf(6), [Buffer.from('\0\0\0\u0003new')])
    expect(await newestSeq(9)).to.equal(3)
  })

  it('keeps to its own task', async () => {
    await (await openSnapshotStore({ log, logger: silentLogger, stage: toyStage }, 0)).save(
      manifestOf(4),
      await chunksOf(4),
    )
    expect(await newestSeq(9)).to.equal(null)
  })
})

describe('snapshot bytes', () => {
  it('bring back every state, in chunks the log takes', async () => {
    const tokens = Array.from({ length: 200 }, (_, index) => ({
      token: buildAddress(index),
      states: [{ swaps: new Float64Array(2000).fill(index), wei: 10n ** 20n }, new Map([['pool', new Set([1, 2])]])],
      packed: null,
      serialized: null,
      timers: [index, 0, index + 1, 1],
      touchedBlock: index,
    }))
    const lastTick = buildTick({ seq: 9 })
    const chunks = await toChunks({ lastTick, dictionary: null, tokens })
    expect(chunks.length).to.be.greaterThan(10)
    for (const chunk of chunks) expect(chunk.length).to.be.at.most(chunkBytesMax)
    const restored = fromChunks(chunks)
    expect(restored.lastTick).to.deep.equal(lastTick)
    const opened = [...restored.tokens].map(({ serialized, ...token }) => ({
      ...token,
      serialized: null,
      states: serialized == null ? 'no group' : statesOfGroup(serialized.bytes)[serialized.tokens.indexOf(token.token)],
    }))
    expect(opened).to.deep.equal(tokens)
  })

  it('are read from chunks of any size, and refused if the end is missing', async () => {
    const tokens = ['a', 'b'].map((token) => ({
      ...{ token, states: [token], packed: null, serialized: null },
      ...{ timers: [3, 0], touchedBlock: 1 },
    }))
    const [bytes] = await toChunks({ lastTick: buildTick({ seq: 9 }), dictionary: null, tokens })
    assert(bytes)
    const whole = fromChunks([bytes])
    for (let size = 1; size < bytes.length; size++) {
      const count = Math.ceil(bytes.length / size)
      const chunks = Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
      expect(fromChunks(chunks)).to.deep.equal(whole)
    }
    expect(() => fromChunks([bytes.subarray(0, -1)])).to.throw('a snapshot ends inside a frame')
  })
})

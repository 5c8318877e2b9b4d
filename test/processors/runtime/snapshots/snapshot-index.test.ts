import { expect } from 'chai'
import { type Log, valueBytesMax } from '../../../../infra/log/log.ts'
import { toChunks } from '../../../../processors/runtime/snapshots/snapshot-bytes.ts'
import { createSnapshotIndex } from '../../../../processors/runtime/snapshots/snapshot-index.ts'
import { openSnapshotStore } from '../../../../processors/runtime/snapshots/snapshot-store.ts'
import { readAll, silentLogger } from '../../../replay/stage-log.ts'
import { toyStage } from '../../../replay/toy/toy-records.ts'
import { buildTick } from '../../../support/builders/build-facts.ts'
import { createHoledLog } from '../../../support/log/holed-log.ts'
import { manifestOf } from './manifest-of.ts'

const chunksOf = async (seq: number) =>
  (await toChunks({ lastTick: buildTick({ seq }), dictionary: null, tokens: [] })).flatMap((chunk) => [
    chunk.subarray(0, 9),
    chunk.subarray(9),
  ])

describe('the index of the snapshots', () => {
  let log: Log
  /** The bytes of all batches that were read since the last `bytesOf`. */
  let bytes = 0
  beforeEach(() => {
    const holed = createHoledLog({ nowMs: () => 0 })
    log = {
      ...holed,
      read: async (...from) => {
        const batches = await holed.read(...from)
        for (const batch of batches) bytes += batch.bytes.length
        return batches
      },
    }
  })
  const bytesOf = async (work: () => Promise<unknown>) => {
    bytes = 0
    await work()
    return bytes
  }
  const open = (partition: number, snapshotIndex = createSnapshotIndex(log)) =>
    openSnapshotStore({ log, logger: silentLogger, stage: toyStage, snapshotIndex }, partition)
  const save = async (partition: number, seqs: readonly number[]) => {
    const store = await open(partition)
    for (const seq of seqs) await store.save(manifestOf(seq), await chunksOf(seq))
    await store.close()
  }
  const append = async (key: string, value: Buffer | null) =>
    (await log.openWriter('elsewhere')).append([{ topic: 'snapshots', partition: 0, key, value }])
  const newestSeq = async (partition: number) =>
    (await (await open(partition)).newest(1e6, () => true))?.manifest.seq ?? null
  const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)

  it('costs a start no more after 200 snapshots than after five', async () => {
    await save(0, upTo(5))
    const few = await bytesOf(() => open(0))
    await save(0, upTo(200).slice(5))
    const many = await bytesOf(() => open(0))
    expect(await newestSeq(0)).to.equal(200)
    const all = await bytesOf(() => readAll(log, 'snapshots', 0))
    expect(many)
      .to.be.lessThan(few * 1.2)
      .and.lessThan(all / 50)
  })

  it('is read once for all tasks of a thread', async () => {
    await save(0, upTo(5))
    await save(1, upTo(5))
    const shared = createSnapshotIndex(log)
    expect(await bytesOf(() => open(0, shared))).to.be.greaterThan(0)
    expect(await bytesOf(() => open(1, shared))).to.equal(0)
    expect((await (await open(1, shared)).newest(9, () => true))?.manifest.seq).to.equal(5)
  })

  it('has the snapshots of tasks whose stores are opened at the same time', async () => {
    await save(0, [3])
    await save(1, [4])
    const shared = createSnapshotIndex(log)
    const stores = await Promise.all([open(0, shared), open(1, shared)])
    const found = await Promise.all(stores.map((store) => store.newest(9, () => true)))
    expect(found.map((snapshot) => snapshot?.manifest.seq)).to.deep.equal([3, 4])
  })

  it('shows what was written after the stored index: a half snapshot, a whole one, and a removed one', async () => {
    await save(0, [3, 6])
    await append('toy-0/9/0', Buffer.from('half'))
    expect(await newestSeq(0)).to.equal(6)
    await save(1, [4])
    await append('toy-0/6/manifest', null)
    expect(await newestSeq(0)).to.equal(3)
    await append('toy-0/3/1', null)
    expect(await newestSeq(0)).to.equal(null)
    expect(await newestSeq(1)).to.equal(4)
  })

  const unreadable: readonly (readonly [string, Buffer | null])[] = [
    ['is no JSON', Buffer.from('{')],
    ['lacks fields', Buffer.from('{"nextOffset":0}')],
    ['has an offset after its own', Buffer.from('{"nextOffset":1000000,"tasks":{}}')],
  ]
  for (const [what, value] of unreadable)
    it(`is built from all records where the stored one ${what}`, async () => {
      await save(0, [3, 6])
      await append('index', value)
      expect(await newestSeq(0)).to.equal(6)
    })

  it('is not stored if it is too large for a record', async () => {
    const index = createSnapshotIndex(log)
    await append('toy-0/3/manifest', Buffer.alloc(valueBytesMax / 2, 'x'))
    await index.update()
    expect(index.toRecord()).to.include({ key: 'index' })
    await append('toy-0/4/manifest', Buffer.alloc(valueBytesMax / 2, 'x'))
    await index.update()
    expect(index.toRecord()).to.equal(null)
  })

  it('goes on after a failed read', async () => {
    await save(0, [3])
    let isDown = true
    const failing: Log = {
      ...log,
      bounds: (...from) => (isDown ? Promise.reject(new Error('down')) : log.bounds(...from)),
    }
    const index = createSnapshotIndex(failing)
    const failed = await index.update().catch((error) => String(error))
    expect(failed).to.include('down')
    isDown = false
    await index.update()
    expect([...index.of('toy-0').keys()]).to.deep.equal([3])
  })
})

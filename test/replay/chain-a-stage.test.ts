/** The promise of the log, on the real stage: equal facts give equal derived records, byte for byte. */
import { expect } from 'chai'
import { createMemoryLog } from '../../infra/log/memory-log.ts'
import { chainATopology } from '../../processors/topology.ts'
import { marketFacts } from './market-facts.ts'
import { everyMs, type KeyedRecord, perBlock, recut } from './recut.ts'
import { appendFacts, type Codecs, createCodecs, derivedBytes, readAll, runUntil } from './stage-log.ts'

const partition = 0
const lastSeqOf = (records: readonly KeyedRecord[]) => records.filter(({ record }) => record.type === 'Tick').length

describe('the chain A stage', () => {
  let codecs: Codecs
  before(async () => {
    codecs = await createCodecs()
  })

  const ranOn = async (records: readonly KeyedRecord[], stops: readonly number[], snapshotEveryMs?: number) => {
    const log = createMemoryLog({ nowMs: () => 0 })
    let from = 0
    for (const seq of [...stops, lastSeqOf(records)]) {
      const upTo = 1 + records.findIndex(({ record }) => record.type === 'Tick' && record.data.seq === seq)
      await appendFacts({ log, codecs, partition }, records.slice(from, upTo))
      from = upTo
      const pace = snapshotEveryMs === undefined ? {} : { snapshotEveryMs }
      await runUntil({ codecs, partition }, seq, { log, processors: chainATopology, ...pace })
    }
    return log
  }
  const bytesOf = async (...run: Parameters<typeof ranOn>) => derivedBytes(await ranOn(...run), partition)

  it('says of the test market all that it can say', async () => {
    const stored = await readAll(await ranOn(marketFacts(1), []), 'chain-a-derived', partition)
    const records = stored.map(({ value }) => codecs.derivedCodec.decode(value!))
    const types = new Set(records.map((record) => record.type))
    expect([...types].sort()).to.deep.equal(
      ['Burst', 'BurstBuyers', 'BurstOutcome', 'PoolClosed', 'PoolMinute', 'PoolOpened', 'SendersAsked', 'Tick'].sort(),
    )
    const tiers = new Set(records.flatMap((record) => (record.type === 'Burst' ? [record.data.tier] : [])))
    expect([...tiers]).to.include.members(['main', 'lite', 'refire'])
    const wallets = records.flatMap((record) => (record.type === 'BurstBuyers' ? [record.data.wallets] : []))
    expect(wallets.some((known) => known === null)).to.equal(true)
    expect(wallets.some((known) => known !== null)).to.equal(true)
  })

  for (const seed of [2, 3])
    it(`derives the same after restarts, from the first fact and from snapshots (market ${seed})`, async () => {
      const records = marketFacts(seed)
      const ticks = lastSeqOf(records)
      const expected = await bytesOf(records, [])
      const stops = [1, 2, 3, 50, Math.floor(ticks / 2), ticks - 3, ticks - 2, ticks - 1]
      expect(await bytesOf(records, stops)).to.deep.equal(expected)
      expect(await bytesOf(records, stops, 0)).to.deep.equal(expected)
    })

  it('derives the same from a log cut again, tick per block, second and hour', async () => {
    // An answer stands where it came, and that moves with the cut: what is derived of it may change places.
    const sorted = async (records: readonly KeyedRecord[]) =>
      (await bytesOf(records, [])).filter((text) => !text.startsWith('tick ')).sort()
    const isAnswer = ({ record }: KeyedRecord) => record.type === 'SendersAnswered'
    for (const seed of [4, 5]) {
      const records = marketFacts(seed)
      const unanswered = records.filter((keyed) => !isAnswer(keyed))
      const inOrder = async (cut: readonly KeyedRecord[]) =>
        (await bytesOf(cut, [])).filter((text) => !text.startsWith('tick '))
      for (const cut of [perBlock, everyMs(1000), everyMs(3_600_000)]) {
        expect(await sorted(recut(records, cut))).to.deep.equal(await sorted(records))
        expect(await inOrder(recut(unanswered, cut))).to.deep.equal(await inOrder(unanswered))
      }
    }
  })
})

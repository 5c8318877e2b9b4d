/** Tests that each row gets into the tables exactly one time. */
import { expect } from 'chai'
import type { Database } from '../../infra/clickhouse/database.ts'
import { createSchemaCodec } from '../../infra/codec/schema-codec.ts'
import { OperationError } from '../../infra/errors.ts'
import { partitionOf } from '../../infra/log/partition-of.ts'
import { chainAProjection } from '../../projections/chain-a/projection.ts'
import { projections } from '../../projections/projections.ts'
import { runProjections } from '../../projections/sink/run.ts'
import { type ClosedTick, createTickReader } from '../../projections/sink/tick-reader.ts'
import { type Batch, writeBatch } from '../../projections/sink/write-batch.ts'
import { ticks } from '../../projections/ticks.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import { topics } from '../../schemas/topics.ts'
import { address, buildBurst, createDerivedLog, noonMs } from '../projections/derived-log.ts'
import { writeMarket } from '../projections/market.ts'
import { hourMs, logger, type Tables, tableNames } from './projections-tables.ts'

export function sink(tables: Tables): void {
  it('holds each row once, wherever a sink was killed', async () => {
    const derived = await createDerivedLog()
    await writeMarket(derived)
    const rowCounts = async () =>
      Promise.all(
        tableNames.map(
          async (table) => (await tables.reader.query<{ n: string }>(`SELECT count() AS n FROM ${table}`))[0]?.n,
        ),
      )
    await tables.project(derived)
    const expected = await rowCounts()
    for (let insertsBeforeDeath = 0; insertsBeforeDeath < 7; insertsBeforeDeath++) {
      await tables.empty()
      let left = insertsBeforeDeath
      const dying: Database = {
        ...tables.writer,
        // The writer dies after its insert has arrived. This is the most difficult case, because the same
        // insert is then repeated.
        insert: async (insert) => {
          if (left-- === 0) throw new Error('killed')
          await tables.writer.insert(insert)
        },
      }
      const death = await tables
        .project(derived, { tickCountMax: 10, rowCountMax: 1000 }, dying)
        .catch((error) => error)
      expect(death).to.be.an('error').with.property('message', 'killed')
      await derived.tick(noonMs + 2 * hourMs + insertsBeforeDeath)
      const ticksIndex = tableNames.indexOf(ticks.name)
      expected[ticksIndex] = String(Number(expected[ticksIndex]) + 1)
      // The batch limits are different now, and the log has grown. The interrupted batch must still be
      // written with the same content.
      await tables.project(derived, { tickCountMax: 33, rowCountMax: 1000 })
      expect(await rowCounts(), `killed at insert ${insertsBeforeDeath}`).to.deep.equal(expected)
    }
  })

  it('writes a batch again, with the same bounds, when its acknowledgement was lost', async () => {
    const derived = await createDerivedLog()
    await derived.tick(noonMs, [[address(1), buildBurst()]])
    await tables.project(await createDerivedLog())
    let isLost = false
    const forgetful: Database = {
      ...tables.writer,
      insert: async (insert) => {
        await tables.writer.insert(insert)
        if (isLost || insert.table !== 'bursts') return
        isLost = true
        throw new OperationError('database_failed', 'lost', { context: { isRetryable: true } })
      },
    }
    await tables.project(derived, undefined, forgetful)
    expect(await tables.reader.query('SELECT count() AS n FROM bursts')).to.deep.equal([{ n: '1' }])
    expect(await tables.reader.query('SELECT count() AS n FROM ticks')).to.deep.equal([{ n: '1' }])
  })

  it('counts equal rows of two batches twice, and a batch written again once, by its token alone', async () => {
    await tables.project(await createDerivedLog())
    const derived = await createDerivedLog()
    await derived.tick(noonMs, [[address(1), buildBurst()]])
    const codec = await createSchemaCodec<StageRecord>(topics['chain-a-derived'], derived.registry)
    const partition = partitionOf(address(1), topics['chain-a-facts'].partitionCount)
    const source = { log: derived.log, codec, projection: chainAProjection }
    const first = (await createTickReader(source, partition, 0).next()) as ClosedTick
    const second = { ...first, tick: { ...first.tick, seq: first.tick.seq + 1 } }
    const batchOf = (tick: ClosedTick): Batch => ({
      projection: chainAProjection,
      parts: [{ partition, ticks: [tick], lastKnown: {} }],
    })
    const noEditions = async () => {}
    const countAfter = async (ticks: readonly ClosedTick[], database: Database) => {
      await tables.empty()
      for (const tick of ticks) await writeBatch(database, batchOf(tick), noEditions)
      return Number((await tables.reader.query<{ n: string }>('SELECT count() AS n FROM bursts'))[0]?.n)
    }
    expect(await countAfter([first, second], tables.writer)).to.equal(2)
    expect(await countAfter([first, second, second, first], tables.writer)).to.equal(2)
    // Without the insert token, the database compares inserts by their content. So it takes the equal rows of
    // the other batch for a repeated insert.
    const tokenless: Database = { ...tables.writer, insert: ({ token: _, ...insert }) => tables.writer.insert(insert) }
    expect(await countAfter([first, second], tokenless)).to.equal(1)
  })

  it('holds all rows of a batch that takes several inserts, and each once when the batch is written again', async () => {
    await tables.project(await createDerivedLog())
    const derived = await createDerivedLog()
    await derived.tick(noonMs)
    const codec = await createSchemaCodec<StageRecord>(topics['chain-a-derived'], derived.registry)
    const source = { log: derived.log, codec, projection: chainAProjection }
    const closed = (await createTickReader(source, 0, 0).next()) as ClosedTick
    const rowOfTick =
      closed.rows.find(({ table }) => table === ticks) ?? expect.fail('the partition has no row of a tick')
    const rowCount = 2 * 50_000 + 1
    const full = { ...closed, rows: Array.from({ length: rowCount }, () => rowOfTick) }
    const batch: Batch = { projection: chainAProjection, parts: [{ partition: 0, ticks: [full], lastKnown: {} }] }
    await tables.empty()
    for (let time = 0; time < 2; time++) {
      await writeBatch(tables.writer, batch, async () => {})
      const [counted] = await tables.reader.query<{ n: string }>(`SELECT count() AS n FROM ${ticks.name}`)
      expect(Number(counted?.n)).to.equal(rowCount)
    }
  })

  it('goes on where it stood as the log grows, and stops when told', async () => {
    const derived = await createDerivedLog()
    const stop = new AbortController()
    const seen: number[] = []
    let wake = () => {}
    const run = runProjections({
      ...derived,
      projections,
      database: tables.writer,
      logger,
      signal: stop.signal,
      flushIntervalMs: 0,
      onProgress: ({ seq }) => {
        seen.push(seq)
        wake()
      },
    })
    for (let seq = 1; seq <= 3; seq++) {
      const written = new Promise<void>((resolve) => {
        wake = resolve
      })
      await derived.tick(noonMs + seq * 1000)
      await written
    }
    stop.abort()
    await run
    expect(seen).to.deep.equal([1, 2, 3])
    expect((await tables.newestCut()).atMs).to.equal(noonMs + 3000)
  })

  it('halts at a derived record that cannot be read, naming its place', async () => {
    const derived = await createDerivedLog()
    await derived.tick(noonMs)
    const { endOffset: offset } = await derived.log.bounds('chain-a-derived', 2)
    await derived.append([{ topic: 'chain-a-derived', partition: 2, key: 'x', value: Buffer.from([0, 0, 0, 0, 1, 9]) }])
    await derived.tick(noonMs + 1000)
    const error = await tables.project(derived).catch((failure) => failure)
    expect(error).to.include({ code: 'record_corrupt' })
    expect(error.message).to.contain(`chain-a-derived/2 cannot be written to the tables at offset ${offset}: `)
  })
}

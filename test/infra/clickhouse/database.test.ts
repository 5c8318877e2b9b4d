import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error) => error,
  )

describe('the database', () => {
  let dataDir: string
  let database: Database

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    database = await createDatabase({ dataDir, role: 'writer' })
    await database.command(
      `CREATE TABLE IF NOT EXISTS samples (id Int64, number Float64, wei Int256, text String)
       ENGINE = MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 100`,
    )
  })
  after(async () => {
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  afterEach(() => database.command('TRUNCATE TABLE samples'))

  const insert = (rows: readonly unknown[][], token?: string) =>
    database.insert({ table: 'samples', columns: ['id', 'number', 'wei', 'text'], rows, ...(token ? { token } : {}) })

  it('returns doubles, wide integers and text unchanged', async () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
    const wei = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })
    const samples = fc.array(fc.tuple(finite, wei, fc.string({ unit: 'binary' })), { minLength: 300, maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(samples, async (drawn) => {
        await database.command('TRUNCATE TABLE samples')
        await insert(drawn.map(([number, wei, text], id) => [id, number, wei.toString(), text]))
        const rows = await database.query<{ number: number; wei: string; text: string }>(
          'SELECT number, wei, text FROM samples ORDER BY id',
        )
        expect(rows.map(({ number, wei, text }) => [number, BigInt(wei), text])).to.deep.equal(
          drawn.map(([number, wei, text]) => [number === 0 ? 0 : number, wei, text]),
        )
      }),
      { numRuns: 5 },
    )
  })

  it('returns no row, one row and rows that end with a new line', async () => {
    expect(await database.query('SELECT 1 AS one WHERE 0')).to.deep.equal([])
    expect(await database.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }])
    await insert([
      [1, 1, '1', 'a\n'],
      [2, 1, '1', '\n\r\n'],
    ])
    expect(await database.query('SELECT text FROM samples ORDER BY id')).to.deep.equal([
      { text: 'a\n' },
      { text: '\n\r\n' },
    ])
  })

  it('is in a folder that its owner alone may enter', async () => {
    expect((await stat(join(dataDir, 'clickhouse'))).mode & 0o777).to.equal(0o700)
  })

  it('keeps a repeated insert with the same token once, and equal inserts with different tokens both', async () => {
    for (const token of ['first', 'first', "it's \\ second"]) await insert([[1, 1, '1', '']], token)
    expect(await database.query('SELECT count() AS n FROM samples')).to.deep.equal([{ n: '2' }])
  })

  it('passes text from outside as parameters', async () => {
    const text = "' OR 1 = 1 -- \\ {x:String}"
    await insert([
      [1, 1, '1', text],
      [2, 1, '1', 'other'],
    ])
    expect(await database.query('SELECT id FROM samples WHERE text = {text:String}', { text })).to.deep.equal([
      { id: '1' },
    ])
  })

  it('answers a reader while the writer works, each on its own connections', async () => {
    const reader = await createDatabase({ dataDir, role: 'reader' })
    await insert([[1, 1, '1', '']])
    const answers = await Promise.all([1, 2, 3, 4].map(() => reader.query('SELECT count() AS n FROM samples')))
    expect(answers).to.deep.equal(Array(4).fill([{ n: '1' }]))
    await reader.close()
  })

  it('reports what failed and whether a retry may succeed', async () => {
    const refused = await failureOf(database.query('SELECT nothing FROM nowhere'))
    expect(refused).to.include({ code: 'database_failed' })
    expect(refused.context).to.include({ code: '60', isRetryable: false })
    const closed = await createDatabase({ dataDir, role: 'reader' })
    await closed.close()
    expect(await failureOf(closed.query('SELECT 1'))).to.include({ code: 'database_failed' })
    const unreachable = await failureOf(createDatabase({ url: 'http://127.0.0.1:1', dataDir, role: 'writer' }))
    expect(unreachable).to.include({ code: 'database_failed' })
    expect(unreachable.context).to.include({ isRetryable: true })
  })

  it('refuses a second folder in one process, and an invalid database name', async () => {
    const other = await mkdtemp(join(tmpdir(), 'launch-data-'))
    expect(await failureOf(createDatabase({ dataDir: other, role: 'writer' }))).to.include({ code: 'data_dir_in_use' })
    await rm(other, { recursive: true, force: true })
    expect(await failureOf(createDatabase({ dataDir, role: 'writer', name: 'a; DROP' }))).to.include({
      code: 'config_invalid',
    })
  })
})

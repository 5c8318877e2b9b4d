import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  type Cell,
  canonicalRow,
  createParquetFile,
  openParquetFile,
  type Row,
  rowsOf,
} from '../../../infra/archive/parquet-file.ts'

const columns = [
  { name: 'instant', kind: 'instant' },
  { name: 'text', kind: 'text' },
  { name: 'integer', kind: 'integer' },
  { name: 'real', kind: 'real' },
  { name: 'truth', kind: 'truth' },
  { name: 'bytes', kind: 'bytes' },
] as const

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const drawnRow = fc.record(
  {
    instant: int64,
    text: fc.string({ unit: 'grapheme' }),
    integer: int64,
    real: fc.double({ noNaN: true }),
    truth: fc.boolean(),
    bytes: fc.uint8Array({ maxLength: 40 }),
  },
  { requiredKeys: [] },
)

describe('a Parquet file', () => {
  let folder: string
  let path: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'launch-data-parquet-'))
    path = join(folder, 'file.parquet')
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const write = async (rows: Iterable<Readonly<Record<string, Cell>>>) => {
    const file = await createParquetFile(path, columns)
    for (const row of rows) file.add(row)
    file.finish()
  }
  const read = async (): Promise<Row[]> => {
    const file = await openParquetFile(path)
    const rows: Row[] = []
    for (let index = 0; index < file.groupCount; index++)
      rows.push(...rowsOf(await file.readGroup(index), file.columns))
    expect(rows).to.have.lengthOf(file.rowCount)
    return rows
  }

  it('gives the same rows again, with exact integers and with nulls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(drawnRow, { maxLength: 40 }), async (drawn) => {
        const rows = drawn as readonly Row[]
        await write(rows)
        expect((await read()).map(canonicalRow)).to.deep.equal(rows.map(canonicalRow))
      }),
      { numRuns: 60 },
    )
  })

  it('has row groups of 122,880 rows, and tells the highest integer of each', async () => {
    const count = 2 * 122_880 + 1
    await write(
      (function* () {
        for (let index = 0; index < count; index++) yield { integer: BigInt(index), text: 'same' }
      })(),
    )
    const file = await openParquetFile(path)
    expect([0, 1, 2].map((index) => file.maxIn(index, 'integer'))).to.deep.equal([122_879, 245_759, 245_760])
    expect((await file.readGroup(2)).cells.get('integer')).to.deep.equal([245_760n])
    expect((await stat(path)).size).to.be.lessThan(3_000_000)
  })

  it('ends a row group early if its values are large', async () => {
    const value = new Uint8Array(1 << 20)
    await write(Array.from({ length: 130 }, () => ({ bytes: value })))
    const file = await openParquetFile(path)
    expect([file.groupCount, file.rowCount]).to.deep.equal([2, 130])
  })

  it('reads only the wanted columns', async () => {
    await write([{ text: 'a', integer: 1n }])
    const { cells } = await (await openParquetFile(path)).readGroup(0, ['integer'])
    expect([...cells.keys()]).to.deep.equal(['integer'])
  })

  it('has a text for each row that tells its columns and kinds apart', () => {
    expect(canonicalRow({ text: 'a"b', integer: -7n, real: 0.5, truth: false, bytes: Uint8Array.of(1, 255) })).to.equal(
      '{"text":"a\\"b","integer":"-7","real":0.5,"truth":false,"bytes":"Af8="}',
    )
    expect(canonicalRow({})).to.equal('{}')
  })
})

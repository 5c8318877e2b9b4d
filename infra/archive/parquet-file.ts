/**
 * Writes and reads Parquet files with zstd compression. Only this file imports the Parquet and zstd packages. They are
 * JavaScript and WebAssembly, so files need no native package and no database engine.
 */
import { compress, decompress, init } from '@bokuweb/zstd-wasm'
import {
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  type SchemaElement,
} from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'

/** A value as it is stored. Instants are nanoseconds since 1970, in UTC. */
export type Cell = string | number | bigint | boolean | Uint8Array

/** The cells of a row that are not null, by column, in the order of the columns. */
export type Row = Readonly<Record<string, Cell>>

const elements = {
  instant: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' } },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  integer: { type: 'INT64' },
  real: { type: 'DOUBLE' },
  truth: { type: 'BOOLEAN' },
  bytes: { type: 'BYTE_ARRAY' },
} as const satisfies Readonly<Record<string, Omit<SchemaElement, 'name'>>>

export type ColumnKind = keyof typeof elements
export type ColumnShape = Readonly<{ name: string; kind: ColumnKind }>

/** The number of rows of a row group. Readers work in parallel on row groups of about this size. */
const groupRowsMax = 122_880
/** A row group ends early when its texts and bytes have this size, so that the memory of the writer is bounded. */
const groupBytesMax = 128 << 20
const zstdLevel = 3

let zstdReady: Promise<void> | null = null
const loadZstd = (): Promise<void> => {
  zstdReady ??= init()
  return zstdReady
}

export type ParquetFileWriter = Readonly<{
  add(row: Row): void
  /** Writes the rest of the rows and the footer. */
  finish(): void
}>

/** Creates the file, or replaces it. Only the rows of the current row group are in memory. */
export async function createParquetFile(path: string, columns: readonly ColumnShape[]): Promise<ParquetFileWriter> {
  await loadZstd()
  const compressors = { ZSTD: (bytes: Uint8Array) => compress(bytes as Buffer, zstdLevel) }
  const writer = new ParquetWriter({ writer: fileWriter(path), schema: schemaOf(columns), codec: 'ZSTD', compressors })
  let cells = new Map<string, (Cell | null)[]>()
  let rowCount = 0
  let bytes = 0
  const flush = () => {
    if (rowCount === 0) return
    const empty = new Array(rowCount).fill(null)
    const columnData = columns.map(({ name }) => ({ name, data: padTo(cells.get(name), rowCount) ?? empty }))
    // The writer of a file is synchronous.
    void writer.write({ columnData, rowGroupSize: rowCount })
    cells = new Map()
    rowCount = 0
    bytes = 0
  }
  return {
    add(row) {
      for (const [name, cell] of Object.entries(row)) {
        const column = cells.get(name) ?? []
        cells.set(name, column)
        padTo(column, rowCount)
        column.push(cell)
        if (typeof cell === 'string' || cell instanceof Uint8Array) bytes += cell.length
      }
      rowCount++
      if (rowCount === groupRowsMax || bytes > groupBytesMax) flush()
    },
    finish() {
      flush()
      void writer.finish()
    },
  }
}

/** Fills a column with nulls, because `add` stores only the cells that a row has. */
function padTo<Column extends (Cell | null)[] | undefined>(column: Column, length: number): Column {
  while (column !== undefined && column.length < length) column.push(null)
  return column
}

const schemaOf = (columns: readonly ColumnShape[]): SchemaElement[] => [
  { name: 'record', num_children: columns.length },
  ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL', ...elements[kind] }) as const),
]

/** The columns of some rows of a file. `cells` lists the cells of each column, with null where a row has none. */
export type RowGroup = Readonly<{ rowCount: number; cells: ReadonlyMap<string, ArrayLike<Cell | null | undefined>> }>

export type ParquetFileReader = Readonly<{
  rowCount: number
  columns: readonly string[]
  groupCount: number
  /** The highest integer of a column in a row group. */
  maxIn(index: number, column: string): number
  /** Reads these columns of one row group. Default: all columns. */
  readGroup(index: number, columns?: readonly string[]): Promise<RowGroup>
}>

/**
 * Opens a file whose checksum was compared before. The reader would trust the sizes in a damaged file. Throws the error
 * of the package if the file is no Parquet file.
 */
export async function openParquetFile(path: string): Promise<ParquetFileReader> {
  await loadZstd()
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  const ends = endsOf(metadata)
  return {
    rowCount: ends.at(-1) ?? 0,
    columns: metadata.schema.slice(1).map(({ name }) => name),
    groupCount: ends.length,
    maxIn(index, column) {
      const chunk = metadata.row_groups[index]?.columns.find(({ meta_data: its }) => its?.path_in_schema[0] === column)
      return Number(chunk?.meta_data?.statistics?.max_value)
    },
    async readGroup(index, columns) {
      const [rowStart, rowEnd] = [ends[index - 1] ?? 0, ends[index] ?? 0]
      const cells = new Map<string, ArrayLike<Cell>>()
      await parquetRead({
        ...{ file, metadata, rowStart, rowEnd, compressors, parsers, utf8: false },
        ...(columns ? { columns: [...columns] } : {}),
        onChunk: ({ columnName, columnData }) => void cells.set(columnName, joined(cells.get(columnName), columnData)),
      })
      return { rowCount: rowEnd - rowStart, cells }
    },
  }
}

const compressors = { ZSTD: (bytes: Uint8Array) => decompress(bytes as Buffer) }
/** Without this parser, the reader would round nanoseconds to a `Date`. */
const parsers = { timestampFromNanoseconds: (nanoseconds: bigint) => nanoseconds }

function endsOf({ row_groups: groups }: FileMetaData): readonly number[] {
  let end = 0
  return groups.map(({ num_rows: count }) => (end += Number(count)))
}

const joined = (before: ArrayLike<Cell> | undefined, next: ArrayLike<Cell>): ArrayLike<Cell> =>
  before === undefined ? next : [...Array.from(before), ...Array.from(next)]

/** Yields the rows of a row group with their cells in the order of the file's columns. */
export function* rowsOf({ rowCount, cells }: RowGroup, columns: readonly string[]): Generator<Row> {
  const lists = columns.map((name) => [name, cells.get(name)] as const)
  for (let index = 0; index < rowCount; index++) {
    const row: Record<string, Cell> = {}
    for (const [name, list] of lists) {
      const cell = list?.[index]
      if (cell !== null && cell !== undefined) row[name] = cell
    }
    yield row
  }
}

/**
 * Returns the text that is hashed for a row: a JSON object with the cells that are not null, in the order of the columns.
 * It shows integers and instants as decimal texts, and bytes as base64.
 */
export function canonicalRow(row: Row): string {
  let text = ''
  for (const [name, cell] of Object.entries(row)) text += `${text === '' ? '' : ','}"${name}":${canonicalCell(cell)}`
  return `{${text}}`
}

function canonicalCell(cell: Cell): string {
  if (typeof cell === 'bigint') return `"${cell}"`
  if (cell instanceof Uint8Array)
    return `"${Buffer.from(cell.buffer, cell.byteOffset, cell.length).toString('base64')}"`
  return JSON.stringify(cell)
}

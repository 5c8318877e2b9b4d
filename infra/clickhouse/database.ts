/**
 * Access to ClickHouse through four functions. Settings are always part of the SQL text, because an embedded connection would keep other
 * settings for later queries. Integers of 64 bits and more are returned as strings.
 */
import { Readable } from 'node:stream'
import type { ClickHouseClient } from '@clickhouse/client'
import { hasCode, isOperationError, OperationError } from '../errors.ts'
import { connect, type DatabaseOptions } from './connect.ts'
import { isDamage, tablesDamaged } from './damaged-tables.ts'

export type QueryParameters = Readonly<Record<string, string | number | readonly string[]>>

type Insert = Readonly<{
  table: string
  columns: readonly string[]
  /**
   * The rows, at least one. Each row has its values in the order of `columns`. Integers of 64 bits and more are
   * strings.
   */
  rows: readonly (readonly unknown[])[]
  /**
   * The deduplication token. In tables with a deduplication window, a second insert with the same token changes
   * nothing.
   */
  token?: string
}>

/** All functions fail with `database_failed`. `context.isRetryable` is true if a retry may succeed. */
export type Database = Readonly<{
  name: string
  /**
   * Returns rows as objects by column name. Text from outside must be passed as `{name:Type}` parameters.
   * Heavy queries should have no parameters, because the embedded engine runs queries with parameters one at
   * a time.
   */
  query<Row>(sql: string, parameters?: QueryParameters): Promise<readonly Row[]>
  /** Inserts all rows or none. */
  insert(insert: Insert): Promise<void>
  /** Runs a statement that has no result. */
  command(sql: string): Promise<void>
  /** Waits for running calls, then closes the connections. */
  close(): Promise<void>
}>

/**
 * The queries of an answer read few rows. For them, handing work to other threads takes more CPU time than the work,
 * and so does reading the columns of the found rows in a second pass. One thread reads each part once, and reads the
 * files itself. ClickHouse need not remember which rows met a condition, because each cut has another condition. A tuple
 * without names is a list in the result.
 */
const readSettings = [
  'output_format_json_quote_64bit_integers = 1',
  'max_execution_time = 30',
  'max_threads = 1',
  'output_format_parallel_formatting = 0',
  "local_filesystem_read_method = 'pread'",
  'query_plan_optimize_lazy_materialization = 0',
  'use_query_condition_cache = 0',
  'enable_named_columns_in_function_tuple = 0',
].join(', ')
/**
 * Asynchronous inserts are off, because a batch is already one insert. The other settings make ClickHouse parse floats
 * exactly, and keep the rows of an insert in one block.
 */
const insertSettings = 'async_insert = 0, precise_float_parsing = 1, input_format_parallel_parsing = 0'

/**
 * `onFatal` is called with a failure that makes the embedded engine unusable. Without `onFatal`, the caller
 * of the failed query must end the process.
 */
export async function createDatabase(
  options: DatabaseOptions & Readonly<{ onFatal?: (failure: OperationError) => void }>,
): Promise<Database> {
  const guarded = createGuard(options)
  const { name, clients } = await guarded('connect', () => connect(options))
  const turns = takeTurns(clients)
  const isEmbedded = options.url === undefined
  const running = new Set<Promise<unknown>>()
  let isClosed = false

  const run = <Result>(sql: string, use: (client: ClickHouseClient) => Promise<Result>): Promise<Result> => {
    if (isClosed) return Promise.reject(new OperationError('database_failed', 'the database is closed'))
    const call = turns((client) => guarded(sql, () => use(client)))
    running.add(call)
    const done = () => running.delete(call)
    call.then(done, done)
    return call
  }

  return {
    name,
    query: <Row>(sql: string, parameters: QueryParameters = {}) =>
      run(sql, async (client) => {
        const answer = await client.query({
          query: `${sql}\nSETTINGS ${readSettings}`,
          format: 'JSONEachRow',
          query_params: parameters,
        })
        return isEmbedded ? rowsIn<Row>(await answer.text()) : answer.json<Row>()
      }),
    insert: (insert) => run(`INSERT INTO ${insert.table}`, (client) => insertRows(client, insert)),
    command: (sql) => run(sql, async (client) => void (await client.command({ query: sql }))),
    async close() {
      if (isClosed) return
      isClosed = true
      await Promise.allSettled(running)
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}

/**
 * Parses rows in the format JSONEachRow. The embedded engine returns all rows at once. For few rows, the client's stream
 * of rows would take as much CPU time as a small query. A server can fail in the middle of the rows, and only the stream
 * notices this.
 */
const rowsIn = <Row>(text: string): readonly Row[] =>
  text === '' ? [] : (JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`) as readonly Row[])

async function insertRows(client: ClickHouseClient, { table, columns, rows, token }: Insert): Promise<void> {
  const deduplication = token === undefined ? '' : `, insert_deduplication_token = ${quoted(token)}`
  const { stream } = await client.exec({
    query: `INSERT INTO ${table} (${columns.join(', ')}) SETTINGS ${insertSettings}${deduplication} FORMAT JSONCompactEachRow`,
    values: Readable.from(lines(rows), { objectMode: false }),
  })
  stream.resume()
}

const linesPerChunk = 1000

function* lines(rows: Insert['rows']): Generator<string> {
  for (let from = 0; from < rows.length; from += linesPerChunk) {
    let chunk = ''
    for (const row of rows.slice(from, from + linesPerChunk)) chunk += `${JSON.stringify(row)}\n`
    yield chunk
  }
}

/** A string literal of ClickHouse SQL. */
export const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Returns a function that gives each call to the client with the fewest running calls. */
function takeTurns(clients: readonly ClickHouseClient[]) {
  const waiting = new Map(clients.map((client) => [client, 0]))
  return async <Result>(use: (client: ClickHouseClient) => Promise<Result>): Promise<Result> => {
    const [client, count] = [...waiting].reduce((least, next) => (next[1] < least[1] ? next : least))
    waiting.set(client, count + 1)
    try {
      return await use(client)
    } finally {
      waiting.set(client, (waiting.get(client) ?? 1) - 1)
    }
  }
}

/**
 * ClickHouse's codes of failures after which a retry may succeed: time-outs, too many queries or parts, memory,
 * network.
 */
const retryableCodes = new Set(['159', '202', '203', '209', '210', '241', '252', '999'])

type Guarded = Pick<DatabaseOptions, 'url' | 'dataDir'> & Readonly<{ onFatal?: (failure: OperationError) => void }>

function createGuard({ url, dataDir, onFatal }: Guarded) {
  return async <Result>(sql: string, call: () => Promise<Result>): Promise<Result> => {
    try {
      return await call()
    } catch (cause) {
      const failure = isOperationError(cause)
        ? cause
        : toFailure(cause, { sql, dataDir: url === undefined ? dataDir : null })
      if (failure.context.isFatal === true) onFatal?.(failure)
      throw failure
    }
  }
}

/**
 * Matches the error message that every query gets after a fatal fault has ended the embedded engine. The
 * fault may be in the engine or in another native part of this process.
 */
const engineEnded = /shutting down due to a fatal error/

/**
 * Turns an error of the client into an `OperationError`. `dataDir` is null for a server: only embedded tables are
 * rebuilt after damage.
 */
function toFailure(
  cause: unknown,
  { sql, dataDir }: Readonly<{ sql: string; dataDir: string | null }>,
): OperationError {
  const code = hasCode(cause) ? String(cause.code) : null
  const isRefusal = code !== null && /^\d+$/.test(code)
  const line = firstLine(cause)
  if (dataDir !== null && isDamage(code, String(cause))) return tablesDamaged(dataDir, line, cause)
  const isFatal = dataDir !== null && engineEnded.test(line)
  const context = { sql: sql.slice(0, 200), code, isRetryable: !isFatal && (!isRefusal || retryableCodes.has(code)) }
  return isFatal
    ? new OperationError(
        'database_failed',
        'a fatal error in a native part of this process ended the embedded ClickHouse. Start the service again',
        { cause, context: { ...context, isFatal } },
      )
    : new OperationError('database_failed', `ClickHouse failed: ${line}`, { cause, context })
}

const firstLine = (error: unknown): string =>
  ((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '').slice(0, 300)

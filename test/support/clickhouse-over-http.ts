/**
 * Serves the embedded engine over ClickHouse's HTTP protocol, with the parts that the client uses. The query
 * is in the body or in `?query=`. `database` and `param_*` are in the URL. Exceptions have their code.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { createChdbConnection } from 'chdb/connection'

export type HttpEngine = Readonly<{ url: string; close(): Promise<void> }>

/** A connection of the engine has one current database. */
type Engine = ReturnType<typeof createChdbConnection> & { current?: string }

/** Serves the engine in `path` on a free port of the loopback interface. */
export async function serveEngineOverHttp(path: string): Promise<HttpEngine> {
  const engine: Engine = createChdbConnection({ path })
  // The requests run one after the other, because they share the current database.
  let turn: Promise<unknown> = Promise.resolve()
  const server: Server = createServer((request, response) => {
    // If the client has disconnected, the answer fails. The request is then dropped, and the next request
    // runs.
    turn = turn.then(() => answer(engine, request, response)).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await turn
      await engine.close()
    },
  }
}

async function answer(engine: Engine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { searchParams, pathname } = new URL(request.url ?? '/', 'http://localhost')
  const body = await readBody(request)
  if (pathname === '/ping') return void response.end('Ok.\n')
  const query = searchParams.get('query')
  const sql = query === null ? body : body === '' ? query : `${query}\n${body}`
  try {
    await use(engine, searchParams.get('database') ?? 'default')
    const { stream } = await engine.query({
      query: sql,
      query_params: parametersOf(searchParams),
    })
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    response.setHeader('x-clickhouse-query-id', searchParams.get('query_id') ?? '')
    response.end(Buffer.concat(chunks))
  } catch (error) {
    delete engine.current
    refuse(response, error)
  }
}

async function use(engine: Engine, database: string): Promise<void> {
  if (engine.current === database) return
  await engine.command({ query: `USE ${database}` })
  engine.current = database
}

function refuse(response: ServerResponse, error: unknown): void {
  const { code, type, message } = error as Readonly<{ code?: string; type?: string; message: string }>
  response.statusCode = code === '60' || code === '81' ? 404 : 500
  response.setHeader('x-clickhouse-exception-code', String(code ?? 0))
  response.end(
    `Code: ${code ?? 0}. DB::Exception: ${message.replaceAll('\n', ' ')} (${type ?? 'UNKNOWN'}) (version test)\n`,
  )
}

const parametersOf = (search: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    [...search]
      .filter(([name]) => name.startsWith('param_'))
      .map(([name, value]) => [name.slice('param_'.length), value]),
  )

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  return (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8')
}

/**
 * `npm run fuzz -- [requests] [seed] [venv]` sends requests to the real service with simulated data.
 * Schemathesis derives valid and invalid requests from the service's OpenAPI document. A client that is
 * generated from the document calls every route one time. The payment gate accepts everything, so that
 * requests reach the routes. The command prints the statuses of each route. The exit code is 1 for a 500, for
 * a status or body that is not in the document, or if fewer than half of the valid requests get 200 or 404.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenApi } from '../../../api/documents/openapi.ts'
import { publishedBy } from '../../support/answer-check.ts'
import { openPython, run } from './python.ts'
import { type FuzzedService, serveSimulated } from './serve.ts'
import { createTally } from './tally.ts'

const [requests = '10000', firstSeed = '1', venv] = process.argv.slice(2)
const least = Number(requests)
const print = (text: string) => void process.stdout.write(`${text}\n`)

type Ids = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Returns an existing id for each route with a path parameter, by operation id. */
async function idsOf({ buy }: FuzzedService): Promise<Ids> {
  const { pools } = (await buy('/v1/rh/pools/new?hours=24&limit=1')) as { pools: { id: string; token: string }[] }
  const [pool] = pools
  return {
    rh_pool_flow: { id: String(pool?.id) },
    rh_token_rugcheck: { addr: String(pool?.token) },
    sol_wallet_copy_stats: { addr: await leaderOf(buy) },
  }
}

/**
 * Waits for the first wallet in the list of leaders, and returns it. In its first hour, the service rebuilds the
 * list every minute. The list is empty until a wallet has bought often enough.
 */
async function leaderOf(buy: FuzzedService['buy']): Promise<string> {
  for (let turn = 0; turn < 120; turn++) {
    const { wallets } = (await buy('/v1/sol/wallets/leaders?limit=1')) as { wallets: { wallet: string }[] }
    if (wallets[0]) return wallets[0].wallet
    await sleep(3000)
  }
  throw new TypeError('nobody leads within six minutes')
}

/** The document with known ids as examples for path parameters. */
function withIds(document: OpenApi, ids: Ids): object {
  const copy = structuredClone(document) as unknown as Record<'paths', Record<string, { get: Naming }>>
  for (const { get } of Object.values(copy.paths))
    for (const parameter of get.parameters ?? []) {
      const known = ids[get.operationId]?.[parameter.name]
      if (known === undefined) continue
      parameter.example = known
      parameter.schema = { anyOf: [{ enum: [known] }, parameter.schema] }
    }
  return copy
}

type Naming = Readonly<{ operationId: string; parameters?: { name: string; example?: string; schema: object }[] }>

const checks = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  ...['response_headers_conformance', 'response_schema_conformance'],
].join()

const dir = await mkdtemp(join(tmpdir(), 'fuzz-'))
const service = await serveSimulated(join(dir, 'data'))
let isGood = true
try {
  print('waiting for a market with leaders')
  const [bin, ids] = await Promise.all([venv === undefined ? openPython(dir) : join(venv, 'bin'), idsOf(service)])
  await service.freeze()
  const document = await publishedBy(service.baseUrl)
  const documentPath = join(dir, 'openapi.json')
  await writeFile(documentPath, JSON.stringify(withIds(document, ids)))

  const clientDir = join(dir, 'client', 'launch_client')
  const generated = await run(
    join(bin, 'openapi-python-client'),
    ['generate', '--path', documentPath, '--meta', 'none', '--output-path', clientDir],
    dir,
  )
  print(generated.said.trim())
  const script = new URL('./call_client.py', import.meta.url).pathname
  const called = await run(
    join(bin, 'python'),
    [script, join(dir, 'client'), service.baseUrl, JSON.stringify(ids)],
    dir,
  )
  print(called.said.trim())
  isGood = generated.code === 0 && called.code === 0

  const tally = createTally(document)
  service.onAsked(tally.note)
  const each = Math.max(5, Math.ceil(least / Object.keys(document.paths).length))
  for (let seed = Number(firstSeed); tally.count() < least; seed++) {
    const { code, said } = await run(
      join(bin, 'schemathesis'),
      [
        ...['run', documentPath, '--url', service.baseUrl, '--checks', checks, '--max-examples', String(each)],
        ...['--phases', 'examples,coverage,fuzzing', '--seed', String(seed), '--header', 'PAYMENT-SIGNATURE: yes'],
        ...['--no-shrink', '--suppress-health-check', 'all', '--warnings', 'off', '--continue-on-failure'],
      ],
      dir,
    )
    if (code !== 0) print(said)
    isGood = isGood && code === 0
    print(`seed ${seed}: ${tally.count()} requests so far`)
    if (code !== 0) break
  }
  for (const line of tally.lines()) print(line)
  const { asked, reached } = tally.valid()
  print(
    `${tally.count()} requests; of ${asked} valid ones ${reached} reached 200 or 404; ${tally.faults().length} faults`,
  )
  for (const fault of tally.faults()) print(fault)
  isGood = isGood && tally.faults().length === 0 && reached * 2 >= asked
} finally {
  await service.close()
  await rm(dir, { recursive: true, force: true })
}
process.exit(isGood ? 0 : 1)

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HttpEngine, serveEngineOverHttp } from '../support/clickhouse-over-http.ts'
import { describeProjections } from './projections-contract.ts'

describe('ClickHouse over HTTP', () => {
  let folder: string
  let engine: HttpEngine
  after(async () => {
    await engine?.close()
    await rm(folder, { recursive: true, force: true })
  })

  describeProjections('over HTTP', async () => {
    folder = await mkdtemp(join(tmpdir(), 'launch-data-'))
    engine = await serveEngineOverHttp(folder)
    return { url: engine.url, dataDir: 'never used' }
  })
})

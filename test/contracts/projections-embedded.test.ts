import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeProjections } from './projections-contract.ts'

describe('embedded ClickHouse', () => {
  let dataDir: string
  after(() => rm(dataDir, { recursive: true, force: true }))

  describeProjections('embedded', async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    return { dataDir }
  })
})

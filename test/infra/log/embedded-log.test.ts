import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbeddedLog } from '../../../infra/log/embedded-log.ts'
import { describeLogContract } from '../../contracts/log-contract.ts'

describe('embedded log', () => {
  let root: string
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'embedded-log-'))
  })
  after(() => rmSync(root, { recursive: true }))

  describeLogContract('embedded log', {
    create: (nowMs) => createEmbeddedLog({ dataDir: mkdtempSync(join(root, 'log-')), nowMs }),
    runCount: 25,
  })
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readSizes } from '../../../../infra/log/embedded/sizes.ts'

describe('the disk space of the embedded log', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'log-sizes-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))

  const write = (folder: string, bytes: number) => {
    mkdirSync(join(dataDir, 'log', folder), { recursive: true })
    writeFileSync(join(dataDir, 'log', folder, 'data.mdb'), Buffer.alloc(bytes, 1))
  }

  it('is the sum of all days of a topic, and what the disk holds', async () => {
    write('main', 40_960)
    write('chain-a-facts/2026-01-01', 8_192)
    write('chain-a-facts/2026-01-02', 4_096)
    const sizes = await readSizes(dataDir)
    expect([...sizes.keys()].sort()).to.deep.equal(['chain-a-facts', 'main'])
    expect(sizes.get('chain-a-facts')).to.be.within(12_288, 20_480)
    expect(sizes.get('main')).to.be.within(40_960, 49_152)
  })
})

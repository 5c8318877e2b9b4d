import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { versionTableNames, watermarkTable } from '../../projections/tables.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

describe('queries', () => {
  it('read every table through the cut, and never the clock', async () => {
    const tables = [...versionTableNames, watermarkTable].join('|')
    const forbidden = new RegExp(`\\b(from|join|into)\\s+(${tables})\\b|\\b(now|now64|today)\\(\\)`, 'i')
    const found: string[] = []
    for (const folder of ['projections/queries', 'api'])
      for (const file of await readdir(join(root, folder), { recursive: true })) {
        if (!file.endsWith('.ts')) continue
        const text = await readFile(join(root, folder, file), 'utf8')
        if (forbidden.test(text)) found.push(`${folder}/${file}`)
      }
    expect(found).to.deep.equal([])
  })
})

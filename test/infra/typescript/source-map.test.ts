import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { buildSync } from 'esbuild'
// @ts-expect-error: The file is plain JavaScript, without types.
import { readSourceMap } from '../../../infra/typescript/source-map.js'

describe('the map of a bundle', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'source-map-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('finds the same places as the map of Node', () => {
    buildSync({
      ...{ entryPoints: ['infra/errors.ts', 'infra/codec/schema-codec.ts'], outdir: folder, outbase: '.' },
      ...{ bundle: true, packages: 'external', platform: 'node', format: 'cjs', sourcemap: 'linked' },
    })
    const bundle = join(folder, 'infra/codec/schema-codec.js')
    const map: (line: number, column: number) => string | null = readSourceMap(`${bundle}.map`)
    const expected = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')))
    let count = 0
    for (const [line, text] of readFileSync(bundle, 'utf8').split('\n').entries())
      for (let column = 0; column < text.length; column += 3) {
        const found = map(line + 1, column + 1)
        if (found === null) continue
        const { originalSource, originalLine, originalColumn } = expected.findEntry(line, column) as {
          originalSource: string
          originalLine: number
          originalColumn: number
        }
        const file = join(folder, 'infra/codec', originalSource)
        expect(found).to.equal(`${file}:${originalLine + 1}:${originalColumn + 1}`)
        count++
      }
    expect(count).to.be.above(1000)
  })

  it('finds nothing outside the bundle and before its first source', () => {
    const path = join(folder, 'small.map')
    writeFileSync(path, JSON.stringify({ version: 3, sources: ['a.ts'], mappings: ';EAAA,IACC' }))
    const map: (line: number, column: number) => string | null = readSourceMap(path)
    expect([map(1, 1), map(2, 2), map(3, 1), map(0, 1)]).to.deep.equal([null, null, null, null])
    expect([map(2, 3), map(2, 6), map(2, 7)]).to.deep.equal([
      `${folder}/a.ts:1:1`,
      `${folder}/a.ts:1:1`,
      `${folder}/a.ts:2:2`,
    ])
  })
})

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
const hook = fileURLToPath(new URL('left-open.ts', import.meta.url))
const imports = `
import { openSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
const require = createRequire(import.meta.url)
`

describe('the hook about what a test file leaves open', () => {
  let folder: string
  let report: string

  const write = (name: string, body: string) => {
    const text = `${imports}describe('${name}', () => { it('passes', () => { ${body} }) })\n`
    writeFileSync(join(folder, `${name}.mjs`), text)
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'left-open-'))
    write('leaves-a-timer', 'setInterval(() => {}, 60_000)')
    write('leaves-a-file', "openSync('package.json')")
    write('leaves-a-temporary-file', "writeFileSync(join(tmpdir(), 'left'), '')")
    write('closes-soon', 'setTimeout(() => {}, 300)')
    write('compiles', "require('./required.cts'); return Promise.all([import('./new.mts'), import('./new.cts')])")
    for (const name of ['new.mts', 'new.cts', 'required.cts'])
      writeFileSync(join(folder, name), `export const at: number = ${Date.now()}`)
    report = await new Promise((resolve) => {
      const options = [
        '--no-package',
        '--exit',
        '--timeout',
        '60000',
        '--require',
        hook,
        '--parallel',
        '--jobs',
        '2',
        `${folder}/*.mjs`,
      ]
      execFile(process.execPath, ['--import', 'tsx', mocha, ...options], (_, output) => resolve(output))
    })
  })
  after(() => rmSync(folder, { recursive: true }))

  it('fails each file that leaves something open, and names both', () => {
    for (const [file, left] of [
      ['leaves-a-timer', 'resource Timeout'],
      ['leaves-a-file', `descriptor of ${process.cwd()}/package.json`],
      ['leaves-a-temporary-file', 'temporary file left'],
    ])
      expect(report).to.include(`left open in ${folder}/${file}.mjs:\n  ${left}\n`)
  })

  it('fails no other file', () => {
    expect(report, report).to.include('5 passing').and.to.include('3 failing')
  })
})

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { crashPoint } from '../../infra/crash-points.ts'
import { runTypeScript } from '../support/run-typescript.ts'

const root = new URL('../../', import.meta.url)
const child = fileURLToPath(new URL('./crash-point-child.ts', import.meta.url))
const passUntilKilled = (name: string, hit: number) => {
  const { stdout, signal } = spawnSync(process.execPath, [runTypeScript, child, name, `${hit}`])
  return { passes: stdout.toString(), signal }
}

describe('crash points', () => {
  it('do nothing in a process that has armed none', () => {
    for (let pass = 0; pass < 1000; pass++) crashPoint('sink-planned')
  })

  it('kill the process at the armed hit, and nowhere else', () => {
    expect(passUntilKilled('sink-before-done', 3)).to.deep.equal({ passes: '123', signal: 'SIGKILL' })
    expect(passUntilKilled('log-after-commit', 1)).to.deep.equal({ passes: '12345', signal: null })
  })

  it('are armed by tests only, and each name occurs in the code', () => {
    const sources = ['api', 'infra', 'ingest', 'processors', 'projections'].flatMap(readSources)
    const declared = readFileSync(new URL('infra/crash-points.ts', root), 'utf8').match(/(?<=^ {2}\| ')[a-z-]+/gm) ?? []
    const placed = sources.flatMap((text) => text.match(/(?<=crashPoint\(')[a-z-]+/g) ?? [])
    expect(declared).to.have.length.greaterThan(20)
    expect([...new Set(placed)].sort()).to.deep.equal([...declared].sort())
    expect(sources.filter((text) => /armCrashPoint\(['\w]+,/.test(text))).to.deep.equal([])
  })
})

function readSources(folder: string): string[] {
  const names = readdirSync(new URL(`${folder}/`, root)).map((name) => `${folder}/${name}`)
  return names.flatMap((name) => {
    if (statSync(new URL(name, root)).isDirectory()) return readSources(name)
    return name.endsWith('.ts') ? [readFileSync(new URL(name, root), 'utf8')] : []
  })
}

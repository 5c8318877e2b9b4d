import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect } from 'chai'
import { parseSync } from 'oxc-parser'

/**
 * Returns the modules that are loaded together with a file. They are the file's static imports of values.
 * Types are not loaded, and dynamic imports are loaded later.
 */
function loadedWith(file: string): readonly string[] {
  const { module } = parseSync(file, readFileSync(file, 'utf8'))
  const imported = module.staticImports.filter(
    ({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType),
  )
  return imported.map(({ moduleRequest: { value } }) =>
    value.startsWith('.') ? posix.join(posix.dirname(file), value) : value,
  )
}

function allLoadedWith(file: string): ReadonlySet<string> {
  const loaded = new Set<string>()
  const waiting = [file]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (loaded.has(next)) continue
    loaded.add(next)
    if (existsSync(next)) waiting.push(...loadedWith(next))
  }
  return loaded
}

/**
 * Each thread loads its own modules, which takes some milliseconds per module. This is most of the time of a
 * start.
 */
describe('the modules that are loaded', () => {
  const paths = (file: string, pattern: RegExp) => [...allLoadedWith(file)].filter((path) => pattern.test(path))

  it('into every thread are none of a program', () => {
    for (const file of [
      'infra/command-line/program-worker.ts',
      'infra/command-line/up.ts',
      'infra/command-line/run-alone.ts',
    ])
      expect(paths(file, /^(api|ingest|processors|projections)\/|viem|koa|x402|clickhouse/), file).to.deep.equal([])
  })

  it('to process and to project are those of no other program', () => {
    expect(paths('processors/main.ts', /^(api|ingest|projections)\/|viem|koa|x402|clickhouse/)).to.deep.equal([])
    expect(paths('projections/main.ts', /^(api|ingest|processors)\/|viem|koa|x402/)).to.deep.equal([])
  })

  it('to buy are none of the service, of its log or of its tables', () => {
    expect(paths('api/client/client.ts', /^api\/(?!client\/)/)).to.deep.equal([])
    expect(paths('api/client/client.ts', /^(ingest|processors|projections|schemas)\/(?!units\.ts)/)).to.deep.equal([])
    expect(paths('api/client/client.ts', /koa|lmdb|chdb|clickhouse|kafka|^viem|^@solana/)).to.deep.equal([])
    expect(paths('api/client/client.ts', /^@x402|eventsource/)).to.have.members([
      '@x402/core/http',
      '@x402/extensions/payment-identifier',
      '@x402/fetch',
      'eventsource-parser',
    ])
  })

  it('to sell are none of the local chain', () => {
    expect(paths('api/main.ts', /^(ingest|processors|infra\/development)\//)).to.deep.equal([])
    expect(paths('api/main.ts', /^viem$/)).to.deep.equal(['viem'])
  })
})

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import packageFile from '../package.json' with { type: 'json' }
import { refusalOf } from './tidy/check-imports.ts'
import { notYet } from './tidy/not-yet.ts'
import { type Import, readImports } from './tidy/read-imports.ts'
import { rooms } from './tidy/rooms.ts'

/** Each file may import only what `test/tidy/rooms.ts` lists for its folder, packages included. */

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.js'], {
  encoding: 'utf8',
})
const files = listed.trim().split('\n').filter(existsSync)
const imports = files.flatMap((file) => readImports(file, readFileSync(file, 'utf8')))

const refusalsOf = (all: readonly Import[]): readonly string[] =>
  all.map((one) => refusalOf(one, rooms)).filter((refusal) => refusal !== null)

const pairOf = ({ from, target }: Import): string => `${from} -> ${target}`

const packageNameOf = (target: string): string => /^npm:((?:@[^/]+\/)?[^/]+)/.exec(target)?.[1] ?? target

describe('the imports of every file', () => {
  it('are listed for its folder', () => {
    expect(refusalsOf(imports.filter((one) => !notYet.includes(pairOf(one))))).to.deep.equal([])
  })

  it('need every exception that is listed', () => {
    const refused = imports.filter((one) => refusalOf(one, rooms) !== null).map(pairOf)
    expect(notYet.filter((pair) => !refused.includes(pair))).to.deep.equal([])
  })

  it('are, outside tests, of packages that an installation without development tools has', () => {
    const installed = { ...packageFile.dependencies, ...packageFile.optionalDependencies }
    const isTool = /^test\/|^\.ci\/|^infra\/development\/payments\/compile-/
    const packages = imports
      .filter(({ from, target }) => target.startsWith('npm:') && target !== 'npm:?' && !isTool.test(from))
      .map(({ target }) => packageNameOf(target))
    expect([...new Set(packages)].filter((name) => !(name in installed))).to.deep.equal([])
  })
})

/** Returns the refusals that would follow if the file `from` contained `text`. */
const refusalsIn = (from: string, text: string): readonly string[] => refusalsOf(readImports(from, text))

describe('an import that is not listed', () => {
  const planted: readonly (readonly [string, string, string])[] = [
    ['a rule that imports a package', 'processors/chain-a/bursts/burst.ts', "import { keccak256 } from 'viem'"],
    ['a rule that imports infra', 'processors/chain-a/bursts/burst.ts', "import '../../../infra/config.ts'"],
    ['a rule that reads files', 'processors/chain-a/bursts/burst.ts', "import { readFileSync } from 'node:fs'"],
    ['a rule that asks the runtime', 'processors/chain-a/bursts/burst.ts', "import '../../runtime/walk.ts'"],
    ['a rule of another chain', 'processors/chain-b/bursts/burst.ts', "import '../../chain-a/bursts/burst.ts'"],
    ['a rule over the schemas of another chain', 'processors/chain-b/x.ts', "import '../../schemas/chain-a/facts.ts'"],
    ['a rule that reads the bytes of the log', 'processors/chain-a/pools/pool.ts', "import '../views/swap-view.ts'"],
    ['a view that opens the log', 'processors/chain-a/views/swap-view.ts', "import '../../../infra/log/log.ts'"],
    ['a schema that imports a package', 'schemas/chain-a/facts.ts', "import { Kafka } from 'kafkajs'"],
    ['a schema that imports infra', 'schemas/units.ts', "import '../infra/errors.ts'"],
    ['a schema that uses Node', 'schemas/units.ts', "import 'node:crypto'"],
    ['a word of all chains that names one', 'schemas/stage.ts', "import type { Swap } from './chain-a/facts.ts'"],
    ['a runtime that names a chain', 'processors/runtime/walk.ts', "import '../chain-a/bursts/burst.ts'"],
    ['a runtime that reads the list of chains', 'processors/runtime/walk.ts', "import '../stages.ts'"],
    ['a rule of all chains that reads their list', 'processors/sort-few.ts', "import './stages.ts'"],
    ['an ingest that reads the list of chains', 'ingest/publish.ts', "import './chains.ts'"],
    ['an ingest that names a chain', 'ingest/publish.ts', "import '../schemas/chain-a/facts.ts'"],
    ['a lookup that names a chain', 'ingest/lookups/lookups.ts', "import '../chain-a/node/node.ts'"],
    ['a sink that names a chain', 'projections/sink/run.ts', "import '../chain-a/rows.ts'"],
    ['an edge that names a chain', 'api/edge/app.ts', "import '../chain-a/routes/bursts.ts'"],
    ['a payment that names a chain', 'api/payments/purchase.ts', "import '../../schemas/chain-a/facts.ts'"],
    ['infra that names a chain', 'infra/log/scan.ts', "import '../../schemas/chain-a/facts.ts'"],
    ['a program that imports another', 'ingest/publish.ts', "import '../processors/processor.ts'"],
    ['a route that reads a table', 'api/chain-a/routes/pools.ts', "import '../../../projections/chain-a/rows.ts'"],
    ['infra that imports a program', 'infra/log/scan.ts', "import '../../ingest/publish.ts'"],
    ['production that imports a test', 'infra/run-again.ts', "import '../test/support/close-all.ts'"],
    [
      'production that imports local servers',
      'api/payments/purchase.ts',
      "import '../../infra/development/kafka/up.ts'",
    ],
    ['a payment network that reads the ledger', 'api/payments/evm/network.ts', "import '../ledger/ledger.ts'"],
    ['a payment network that knows another one', 'api/payments/evm/network.ts', "import '../svm/names.ts'"],
    ['Kafka outside its room', 'infra/log/embedded/read.ts', "import { Kafka } from 'kafkajs'"],
    ['private modules of Kafka outside their file', 'infra/kafka-client/producer.ts', "import 'kafkajs/src/broker'"],
    ['the table engine outside its room', 'projections/sink/run.ts', "import 'chdb/connection'"],
    ['the table client outside its room', 'projections/cuts.ts', "import '@clickhouse/client'"],
    ['the store of the log outside its room', 'infra/log/embedded/read.ts', "import { open } from 'lmdb'"],
    ['payments outside their room', 'api/edge/app.ts', "import '@x402/core/server'"],
    ['an adapter of the log chosen elsewhere', 'ingest/publish.ts', "import '../infra/log/kafka/kafka-log.ts'"],
    ['the choice of the adapter elsewhere', 'ingest/publish.ts', "import '../infra/log/open-log.ts'"],
    ['a command that knows the inside of a program', 'infra/command-line/up.ts', "import '../../ingest/publish.ts'"],
    ['an oracle that shares code', 'test/support/oracle/rugs.ts', "import '../../../processors/sort-few.ts'"],
    ['a file in a folder without a list', 'workers/main.ts', "import 'node:fs'"],
  ]
  for (const [name, from, text] of planted)
    it(`is refused: ${name}`, () => {
      expect(refusalsIn(from, text)).to.have.length(1)
    })

  const ways: readonly (readonly [string, string])[] = [
    ['a type', "import type { Client } from 'viem'"],
    ['a type in its place', "type Client = import('viem').Client"],
    ['an export', "export { http } from 'viem'"],
    ['everything of it', "export * from 'viem'"],
    ['a dynamic import', "const viem = await import('viem')"],
    ['a computed import', 'const module = await import(process.argv[2])'],
    ['require', "const viem = require('viem')"],
    ['a require that was made', "const load = createRequire(import.meta.url)\nload('viem')"],
    ['the place of a package', "import.meta.resolve('viem')"],
    ['the place of a file', "new URL('../../../infra/log/scan.ts', import.meta.url)"],
  ]
  for (const [name, text] of ways)
    it(`is refused in every form: ${name}`, () => {
      expect(refusalsIn('processors/chain-a/bursts/burst.ts', text).map((line) => line.split(' ')[0])).to.deep.equal([
        `processors/chain-a/bursts/burst.ts:${text.split('\n').length}`,
      ])
    })

  it('is told with its line and what the folder may import', () => {
    expect(refusalsIn('processors/chain-a/bursts/burst.ts', "// A rule.\nimport { http } from 'viem'")).to.deep.equal([
      'processors/chain-a/bursts/burst.ts:2 imports npm:viem: a rule imports schemas and rules of its chain: no package, no infra, nothing of the outside',
    ])
  })

  it('is not seen in a comment or a text', () => {
    expect(refusalsIn('schemas/units.ts', "// import 'viem'\nexport const text = \"from 'viem'\"")).to.deep.equal([])
  })
})

describe('an import that is listed', () => {
  const allowed: readonly (readonly [string, string])[] = [
    ['processors/chain-a/bursts/processor.ts', "import '../pools/pool.ts'\nimport '../../../schemas/chain-a/facts.ts'"],
    ['processors/chain-b/bursts/processor.ts', "import '../pools/pool.ts'\nimport '../../../schemas/chain-b/facts.ts'"],
    ['processors/chain-a/bursts/processor.ts', "import assert from 'node:assert/strict'\nimport '../../sort-few.ts'"],
    ['processors/chain-a/views/swap-view.ts', "import '../../../infra/codec/avro/read-avro.ts'"],
    ['ingest/chain-a/node/node.ts', "import { http } from 'viem'\nimport '../../delay.ts'"],
    ['infra/kafka-client/kafkajs-parts.ts', "const load = createRequire(import.meta.url)\nload('kafkajs/src/broker')"],
    ['test/all.ts', "import '../processors/stages.ts'\nimport { http } from 'viem'"],
  ]
  for (const [from, text] of allowed)
    it(`passes: ${from}, ${text.replace('\n', '; ')}`, () => {
      expect(refusalsIn(from, text)).to.deep.equal([])
    })
})

/**
 * `node --import tsx test/bench/names/known-names.ts`: bytes a name and nanoseconds a look-up of the set of identifiers, beside a
 * `Map` of the same names. Each is filled in a process of its own. Leaves out the query that the names come from.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createIdentifierSet } from '../../../projections/identifier-set.ts'
import { count, median } from '../rounds.ts'

type Names = Readonly<{ add(name: string, untilMs: number): void; untilMs(name: string): number }>
type Cost = Readonly<{ bytes: number; ns: number }>

const kinds = {
  'identifier set': createIdentifierSet,
  Map: (): Names => {
    const untils = new Map<string, number>()
    return {
      add: (name, untilMs) => void untils.set(name, Math.max(untilMs, untils.get(name) ?? Number.NEGATIVE_INFINITY)),
      untilMs: (name) => untils.get(name) ?? Number.NEGATIVE_INFINITY,
    }
  },
} as const satisfies Record<string, () => Names>

/** Pools of a day, and wallets of 14 days. */
const sizes = [1000, 10_000, 100_000, 500_000]
const askedCount = 200_000
const firstUntilMs = Date.UTC(2026, 8, 1)

const nameOf = (kind: string, index: number): string =>
  `0x${createHash('sha1').update(`${kind} ${index}`).digest('hex')}`

/** Strings of their own, as the rows of a query are. */
const fresh = (names: readonly string[]): readonly string[] => JSON.parse(JSON.stringify(names))

function measure(names: Names, size: number): Cost {
  const before = memoryBytes()
  for (let at = 0; at < size; at += 1000)
    for (const name of fresh(Array.from({ length: 1000 }, (_, index) => nameOf('known', at + index))))
      names.add(name, firstUntilMs + at)
  const bytes = (memoryBytes() - before) / size
  const asked = Array.from({ length: askedCount }, (_, index) =>
    nameOf(index % 2 === 0 ? 'known' : 'unknown', (index * 7919) % size),
  )
  const rounds = [0, 1, 2, 3].map(() => {
    const those = fresh(asked)
    const startedAtMs = performance.now()
    let found = 0
    for (const name of those) if (names.untilMs(name) > 0) found += 1
    if (found !== askedCount / 2) throw new RangeError(`${found} of ${askedCount} names were found`)
    return ((performance.now() - startedAtMs) * 1e6) / askedCount
  })
  return { bytes, ns: median(rounds.slice(1)) }
}

/** After a full collection: of the heap and of the buffers beside it. */
function memoryBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let turn = 0; turn < 3; turn++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function measureApart(kind: keyof typeof kinds, size: number): Cost {
  const program = ['--import', 'tsx', fileURLToPath(import.meta.url), kind, String(size)]
  return JSON.parse(execFileSync(process.execPath, program, { encoding: 'utf8' }))
}

const [kind, size] = process.argv.slice(2)
if (kind === 'identifier set' || kind === 'Map') console.log(JSON.stringify(measure(kinds[kind](), Number(size))))
else
  for (const each of sizes) {
    const [own, map] = [measureApart('identifier set', each), measureApart('Map', each)]
    console.log(
      `  ${count(each).padStart(7)} names: ${own.bytes.toFixed(0)} bytes a name beside ${map.bytes.toFixed(0)} (${(own.bytes / map.bytes).toFixed(2)} x a Map), ` +
        `${own.ns.toFixed(0)} ns a look-up beside ${map.ns.toFixed(0)} (${(own.ns / map.ns).toFixed(2)} x)`,
    )
  }

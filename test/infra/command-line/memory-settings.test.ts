/** Tests that the settings of memory and of V8 have the effects that they are made for. Each runs in a fresh process. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

type Settings = Readonly<Record<string, string>>

const settingsIn = (text: string): Settings =>
  Object.fromEntries([...text.matchAll(/\b((?:MALLOC|JE_MALLOC)_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]))

async function run(script: string, environment: Settings = {}, options: readonly string[] = []): Promise<string> {
  const argv = [...options, '--expose-gc', '--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env: { ...process.env, ...environment } })
  return stdout
}

const startScript = async () => JSON.parse(await readFile('package.json', 'utf8')).scripts.start as string

describe('the settings of memory', () => {
  it('are the same for npm start and for a container', async () => {
    const settings = settingsIn(await startScript())
    expect(Object.keys(settings)).to.deep.equal([
      'MALLOC_ARENA_MAX',
      'MALLOC_MMAP_THRESHOLD_',
      'MALLOC_TRIM_THRESHOLD_',
      'JE_MALLOC_CONF',
    ])
    expect(settingsIn(await readFile('Dockerfile', 'utf8'))).to.deep.equal(settings)
  })

  it('make the embedded engine return free memory after half a second, and keep no profile and no memory for each thread', async () => {
    const path = await mkdtemp(join(tmpdir(), 'launch-data-'))
    try {
      const query = `import { Session } from 'chdb'
const session = new Session(${JSON.stringify(path)})
console.log(session.query('SELECT stats FROM system.jemalloc_stats', 'TabSeparatedRaw'))
session.close()`
      const stats = await run(query, settingsIn(await startScript()))
      expect(stats).to.match(/opt\.dirty_decay_ms: 500\b/)
      expect(stats).to.match(/opt\.prof: false/)
      expect(stats).to.match(/opt\.tcache: false/)
    } finally {
      await rm(path, { recursive: true, force: true })
    }
  })

  it('make the C library return large buffers, although small ones were made between them', async () => {
    const heldMegabytes = async (environment: Settings): Promise<number> => {
      const hold = `import { setTimeout as sleep } from 'node:timers/promises'
const small = []
const rss = async () => { for (let turn = 0; turn < 3; turn++) { gc(); await sleep(20) } return process.memoryUsage.rss() }
const before = await rss()
for (let round = 0; round < 3; round++) {
  let large = Array.from({ length: 100 }, () => { small.push(Buffer.allocUnsafeSlow(9_000).fill(1)); return Buffer.alloc(1_000_000, 1) })
  large = null
  await rss()
}
console.log(((await rss()) - before) / 1e6)`
      return Number(await run(hold, environment))
    }
    expect(await heldMegabytes({}), 'without the settings').to.be.above(60)
    expect(await heldMegabytes(settingsIn(await startScript()))).to.be.below(30)
  })

  /**
   * Returns how many times its live size the old memory of V8 grows, while a program replaces 28 MB of live objects
   * again and again.
   */
  const growthAfter = async (before: string): Promise<number> => {
    const grow = `import { getHeapSpaceStatistics } from 'node:v8'
import { setTimeout as sleep } from 'node:timers/promises'
import { limitHeapGrowth } from './infra/command-line/v8-settings.js'
${before}
const live = Array.from({ length: 40 }, () => null)
const used = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size
const fill = (at) => { live[at] = Array.from({ length: 6_000 }, (_, n) => ({ n, at, next: [n] })) }
for (let at = 0; at < live.length; at++) fill(at)
gc()
const liveBytes = used()
let most = 0
for (let turn = 0; turn < 300; turn++) { fill(turn % live.length); most = Math.max(most, used()) }
console.log(most / liveBytes)`
    return Number(await run(grow))
  }

  it('let the old memory of a thread grow by far less than V8 would, during a start and after it', async () => {
    // V8 also looks at the time that a collection took, so the same program grows by different amounts.
    const without = Math.max(await growthAfter(''), await growthAfter(''))
    for (const when of ['limitHeapGrowth()', 'limitHeapGrowth(0); await sleep(20)'])
      expect(Math.min(await growthAfter(when), await growthAfter(when)), when).to.be.lessThan(without * 0.8)
  })

  it('keep short-lived objects out of the old memory, although the first objects of the same line lived long', async () => {
    const oldMegabytes = async (before: string): Promise<number> => {
      const make = `import { getHeapSpaceStatistics } from 'node:v8'
import { allocateYoung } from './infra/command-line/v8-settings.js'
${before}
const makeOne = (n) => ({ n, next: [n, n + 1, n + 2] })
const kept = []
const fill = (count, keep) => { for (let n = 0; n < count; n++) { const one = makeOne(n); if (keep) kept.push(one); else kept[0] = one } }
for (let turn = 0; turn < 30; turn++) fill(10_000, true)
const old = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size
// These collections make the kept objects old, so that they are not counted later.
gc({ type: 'minor' })
gc({ type: 'minor' })
const before = old()
let most = 0
for (let turn = 0; turn < 25; turn++) { fill(20_000, false); most = Math.max(most, old()) }
console.log((most - before) / 1e6)`
      // V8 decides where objects are created only once the young memory has its full size.
      return Number(await run(make, {}, ['--min-semi-space-size=4', '--max-semi-space-size=4']))
    }
    expect(await oldMegabytes(''), 'without the setting').to.be.above(30)
    expect(await oldMegabytes('allocateYoung()')).to.be.below(5)
  })

  it('let V8 optimize a function later that a start calls often, and not one that begins to run after the start', async () => {
    /** Returns the number of calls, in thousands, after which V8 has optimized a function. */
    const thousandsOfCalls = async (before: string): Promise<number> => {
      const call = `import { setTimeout as sleep } from 'node:timers/promises'
import { optimizeAfterStart } from './infra/command-line/v8-settings.js'
const lengthOf = ({ x, y }) => Math.sqrt(x * x + y * y) + (x > y ? x : y)
let sum = 0
const callOften = (turn) => { for (let n = 0; n < 1_000; n++) sum += lengthOf({ x: n, y: turn }) }
// Otherwise the calls could be built into this loop, and would not count.
%NeverOptimizeFunction(callOften)
${before}
let turn = 0
while (turn < 100 && !%ActiveTierIsTurbofan(lengthOf)) { callOften(turn++); await sleep(2) }
console.log(sum > 0 ? turn : 'never')`
      return Number(await run(call, {}, ['--allow-natives-syntax']))
    }
    const early = await thousandsOfCalls('')
    const isSetting = Number.parseInt(process.versions.v8, 10) < 14
    expect(early).to.be.below(isSetting ? 18 : 40)
    expect(await thousandsOfCalls('optimizeAfterStart()')).to.be.within(isSetting ? early + 4 : 1, 100)
    expect(await thousandsOfCalls('optimizeAfterStart(0); await sleep(20)')).to.be.at.most(early + 3)
  })
})

import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { createChainA } from '../../api/chain-a/chain.ts'
import { routesOf } from '../../api/products.ts'
import { type Route, stagesOf } from '../../api/route.ts'
import { createAnswers } from '../../api/sale/answers.ts'
import { type Param, parseParams } from '../../api/sale/params.ts'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { chainAProjection } from '../../projections/chain-a/projection.ts'
import { createChainAQueries } from '../../projections/chain-a/queries/chain-a.ts'
import { type Cuts, createCuts } from '../../projections/cuts.ts'
import { rebuildProjections } from '../../projections/sink/rebuild.ts'
import { runProjections } from '../../projections/sink/run.ts'
import { address, createDerivedLog, type DerivedLog, poolId } from '../projections/derived-log.ts'
import { createRandomMarket, randomPoolCount } from '../projections/random-market.ts'
import { createRandom } from '../support/chain-a-node/random.ts'
import { closeAll } from '../support/close-all.ts'
import { versionShownAt } from '../support/shown-version.ts'

/** The number of requests whose answers are recorded and compared. A long test run sets `CUT_COUNT=500`. */
const askCount = Number(process.env.CUT_COUNT ?? 40)
const roundCount = 8
const projections = [chainAProjection]
const presentation = {
  chainName: 'chainA',
  launchpadKey: 'launchCurve',
  ruleIdSecret: 'a secret of the test',
  callerIdSecret: 'another secret of the test',
}
const everyPool: Question = { pattern: '/v1/rh/pools/new', query: { hours: '24', limit: '1000' }, path: {} }
const logger = pino({ level: 'silent' })

type Question = Readonly<{ pattern: string; query: Record<string, string>; path: Record<string, string> }>
type Asked = Question & Readonly<{ atMs: number }>
type Recorded = Asked & Readonly<{ digest: string }>

/**
 * A running sink, which writes the tables. `kill` makes the n-th insert from now on fail, either before or
 * after the row is written. Every batch has at least three inserts.
 */
type Sink = Readonly<{ stop(): Promise<void>; kill(insertCount: number): Promise<void> }>

describe('a cut', () => {
  const below = createBelow(7)
  const market = createRandomMarket(11)
  let dataDir: string
  let writer: Database
  let reader: Database
  let cuts: Cuts
  let routes: readonly Route[]
  let derived: DerivedLog

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    writer = await createDatabase({ dataDir, role: 'writer' })
    reader = await createDatabase({ dataDir, role: 'reader' })
    cuts = createCuts({ database: reader })
    routes = createRoutes()
    derived = await createDerivedLog()
  })
  after(async () => {
    await closeAll(writer?.close, reader?.close, () => rm(dataDir, { recursive: true, force: true }))
  })

  const createRoutes = () =>
    routesOf([createChainA({ queries: createChainAQueries({ database: reader }), presentation })])

  let knownAtMs = 0
  const goOn = async (tickCount: number) => {
    for (let tick = 0; tick < tickCount; tick++) {
      const { atMs, records, fields } = market()
      await derived.tick(atMs, records, fields)
      knownAtMs = atMs
    }
  }

  /**
   * Returns the newest time for which the tables can answer, while the sink writes them. This time may be in
   * the middle of a batch. In about half of the calls, the function first waits until the sink has written
   * everything.
   */
  const liveCutAtMs = async (route: Route): Promise<number> => {
    const leastAtMs = below(2) === 0 ? 0 : knownAtMs
    for (;;) {
      const cut = await cuts.newest(stagesOf(route))
      if (cut && cut.atMs >= leastAtMs) return cut.atMs
      await sleep(5)
    }
  }

  const startSink = (): Sink => {
    const stop = new AbortController()
    let left = Number.POSITIVE_INFINITY
    const dying: Database = {
      ...writer,
      async insert(insert) {
        left -= 1
        if (left <= 0 && below(2) === 0) throw new Error('killed')
        await writer.insert(insert)
        if (left <= 0) throw new Error('killed')
      },
    }
    const run = runProjections({
      projections,
      ...derived,
      database: dying,
      logger,
      signal: stop.signal,
      flushIntervalMs: 0,
    })
    const death = run.catch((error) => error)
    return {
      async stop() {
        stop.abort()
        await run
      },
      async kill(insertCount) {
        left = insertCount
        await goOn(6)
        expect(await death).to.have.property('message', 'killed')
      },
    }
  }

  const rebuild = () =>
    rebuildProjections({ projections, ...derived, logger, signal: new AbortController().signal, database: { dataDir } })

  const routeOf = ({ pattern }: Question): Route => routes.find((one) => one.pattern === pattern) as Route

  /** Returns the hash of the body or of the refusal. Uses an `Answers` without cached answers. */
  const digestOf = async (asked: Asked): Promise<string> => {
    const route = routeOf(asked)
    const parsed = parseParams(route.params, asked)
    if ('refusal' in parsed) expect.fail(parsed.refusal.error)
    const cut = await cuts.at(asked.atMs, stagesOf(route))
    if (cut === null) return 'no cut'
    const answers = createAnswers({ cuts, nowMs: () => 0, refreshMs: 0 })
    const answer = await answers.answer(route, parsed.values, cut)
    if ('bytes' in answer) route.schema.parse(JSON.parse(answer.bytes.toString()))
    const bytes = 'bytes' in answer ? answer.bytes : JSON.stringify(answer.refusal)
    return createHash('sha256').update(bytes).digest('hex')
  }

  const oneOf = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value

  const drawValue = (name: string, param: Param): string | null => {
    if (param.in === 'path')
      return name === 'id' ? poolId(1 + below(randomPoolCount)) : address(1 + below(randomPoolCount))
    if (param.type === 'number')
      return String(oneOf([param.min, param.default, Math.min(param.max, param.default * 4)]))
    if (param.type === 'string') return oneOf(param.values)
    return param.type === 'instant' ? '2020-01-01' : null
  }

  const drawOf = ({ pattern, params }: Route): Question => {
    const drawn = Object.entries(params).map(([name, param]) => [param.in, name, drawValue(name, param)] as const)
    const valuesIn = (place: 'path' | 'query') =>
      Object.fromEntries(
        drawn.flatMap(([where, name, value]) => (where === place && value !== null ? [[name, value]] : [])),
      )
    return { pattern, query: valuesIn('query'), path: valuesIn('path') }
  }

  const drawQuestions = (): readonly Question[] => routes.map(drawOf)

  const drawQuestion = (): Question => {
    const draws = drawQuestions()
    return draws[below(draws.length)] as Question
  }

  const askLive = async (question: Question): Promise<Recorded> => {
    const asked = { ...question, atMs: await liveCutAtMs(routeOf(question)) }
    return { ...asked, digest: await digestOf(asked) }
  }

  /** Asks routes that have nothing in memory, because the recorded answers came partly from memory. */
  const differing = async (recorded: readonly Recorded[]): Promise<readonly Recorded[]> => {
    routes = createRoutes()
    const found: Recorded[] = []
    for (const one of recorded) if ((await digestOf(one)) !== one.digest) found.push(one)
    return found
  }

  /** Records answers. In the meantime, sinks stop and crash, tables are rebuilt, and the chain has reorgs. */
  const record = async (): Promise<readonly Recorded[]> => {
    const found: Recorded[] = []
    await goOn(40)
    await rebuild()
    for (let round = 0; round < roundCount; round++) {
      const sink = startSink()
      found.push(await askLive(everyPool))
      for (let ask = 1; ask < askCount / roundCount; ask++) {
        await goOn(1 + below(3))
        found.push(await askLive(drawQuestion()))
      }
      await (round % 2 === 0 ? sink.kill(1 + below(3)) : sink.stop())
      if (round === roundCount / 2) await rebuild()
    }
    const sink = startSink()
    await goOn(5)
    await sink.stop()
    return found
  }

  let recorded: readonly Recorded[] = []

  it('is answered with the same bytes for ever, whatever stopped, died, was rebuilt or reorged since', async function () {
    this.timeout(180_000 + askCount * 500)
    recorded = await record()
    expect(new Set(recorded.map(({ atMs }) => atMs)).size, 'different cuts').to.be.greaterThan(askCount / 4)
    expect(new Set(recorded.map(({ digest }) => digest)).size, 'different bodies').to.be.greaterThan(askCount / 4)
    expect(await differing(recorded)).to.deep.equal([])
  })

  it('is asked about on every paid route', () => {
    const patterns = new Set(drawQuestions().map(({ pattern }) => pattern))
    expect([...patterns]).to.have.members(routes.map(({ pattern }) => pattern))
  })

  describe('is answered otherwise', () => {
    /**
     * Returns a recorded answer that lists every pool, and the newest row of a pool's minute in this answer.
     * Also returns up to five answers from before this row was known.
     */
    const shownVersion = async () => {
      const shown = recorded.findLast(({ query }) => query === everyPool.query)
      if (!shown) expect.fail('nothing was recorded')
      const version = await versionShownAt(writer, shown.atMs)
      const before = recorded.filter(({ atMs }) => atMs < version.knownAtMs).slice(-5)
      return { shown, before, version }
    }

    it('when one version is stamped late', async () => {
      const { shown, before, version } = await shownVersion()
      await version.stampAt(shown.atMs + 1)
      expect(await differing([shown])).to.deep.equal([shown])
      expect(await differing(before)).to.deep.equal([])
      await version.stampAt(version.knownAtMs)
      expect(await differing([shown])).to.deep.equal([])
    })

    it('when one version is missing', async () => {
      const { shown, before, version } = await shownVersion()
      await version.remove()
      expect(await differing([shown])).to.deep.equal([shown])
      expect(await differing(before)).to.deep.equal([])
    })
  })
})

function createBelow(seed: number): (bound: number) => number {
  const random = createRandom(seed)
  return (bound) => Math.floor(random() * bound)
}

/** The client with the real service. Its payments go to a facilitator that moves no money. */
import { expect } from 'chai'
import { openLaunchDataClient } from '../../../api/client/client.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import {
  address,
  buildBurst,
  buildTick,
  createDerivedLog,
  type DerivedLog,
  noonMs,
} from '../../projections/derived-log.ts'
import { edgeOfTests } from '../edge.ts'
import { optionsFor } from './shop-double.ts'

describe('a client and the service', () => {
  const edge = edgeOfTests()
  const open = () => openLaunchDataClient(optionsFor(edge.url, { limits: { perCallUsdc: 0.5, perDayUsdc: 1 } }))

  it('trade answers with the types of the route, for one transfer each', async () => {
    const client = await open()
    const { answer, receipt } = await client.get('/v1/rh/bursts/live', { tier: 'all', minutes: 60 })
    expect(answer.bursts.map(({ tier }) => tier)).to.deep.equal(['main'])
    expect([...edge.double.transfers.values()].at(-1)).to.equal(receipt?.transaction)
    await client.close()
  })

  it('settle a payment one time when the facilitator loses its answer', async () => {
    const before = edge.double.transfers.size
    edge.double.settleFaults.push('dropAfterBroadcast')
    const client = await open()
    await client.get('/v1/rh/bursts/live')
    expect(edge.double.transfers.size).to.equal(before + 1)
    await client.close()
  })

  it('stream events, and one pass pays for several streams', async () => {
    const client = await open()
    for (let turn = 0; turn < 2; turn++) {
      const publishing = setInterval(() => publish(edge.nowMs), 20)
      for await (const event of client.stream({ types: ['burst'] })) {
        expect('pool' in event.row && event.row.pool).to.equal(address(1))
        expect(event.cursor).to.be.a('string')
        break
      }
      clearInterval(publishing)
    }
    expect(client.spent()).to.include({ settledUsdc: 0.5, atRiskUsdc: 0 })
    await client.close()
  })
  const publish = (atMs: number) =>
    edge.stream.onTick({
      stage: chainAStage,
      partition: 0,
      tick: buildTick({ knownAtMs: atMs + 100 }),
      records: [
        { key: address(1), record: buildBurst({ pool: address(1), atMs }), offset: 7, publishedAtMs: atMs + 107 },
      ],
      nextOffset: 9,
    })
})

describe('a client that continues the stream of the service', () => {
  let derived: DerivedLog
  const edge = edgeOfTests({
    streamLog: {
      log: {
        read: (...asked) => derived.log.read(...asked),
        bounds: (...asked) => derived.log.bounds(...asked),
        waitForAppend: (...asked) => derived.log.waitForAppend(...asked),
      },
      get registry() {
        return derived.registry
      },
    },
  })
  before(async () => {
    derived = await createDerivedLog()
    for (const at of [0, 1, 2, 3]) await derived.tick(noonMs + at, [[address(1), buildBurst({ atMs: noonMs + at })]])
    for (let partition = 0; partition < 4; partition++) {
      const { endOffset } = await derived.log.bounds(chainAStage.derivedTopic.name, partition)
      edge.stream.onStart({ stage: chainAStage, partition }, endOffset)
    }
  })
  beforeEach(() => {
    edge.nowMs = noonMs + 1_000
  })

  it('gets each event one time, whichever it handled last, and what it is told of the rest is true', async () => {
    const client = await openLaunchDataClient(optionsFor(edge.url, { limits: { perCallUsdc: 0.5, perDayUsdc: 1 } }))
    const eventsFrom = async (from: string, count: number) => {
      const got: [at: number, cursor: string][] = []
      const types = ['burst', 'caught-up'] as const
      for await (const event of client.stream({ from, types: [...types] })) {
        if (event.type === 'caught-up') expect([event.count, event.from]).to.deep.equal([count, from])
        if (event.type === 'caught-up') break
        got.push([event.at - noonMs, event.cursor ?? expect.fail('no cursor')])
      }
      return got
    }
    const all = await eventsFrom('0.0.0.0', 4)
    expect(all.map(([at]) => at)).to.deep.equal([0, 1, 2, 3])
    for (const [index, [, cursor]] of all.entries())
      expect((await eventsFrom(cursor, 3 - index)).map(([at]) => at)).to.deep.equal([0, 1, 2, 3].slice(index + 1))
    await client.close()
  })

  it('is told the oldest cursor when its own is refused', async () => {
    const client = await openLaunchDataClient(optionsFor(edge.url, { limits: { perCallUsdc: 0.5, perDayUsdc: 1 } }))
    const error = await client
      .stream({ from: '1.2.3' })
      .next()
      .catch((cause: unknown) => cause)
    expect(error).to.deep.include({ code: 'cursor_refused' })
    expect(error).to.have.nested.property('context.oldest', '0.0.0.0')
    await client.close()
  })
})

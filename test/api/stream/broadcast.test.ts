import { expect } from 'chai'
import { createBroadcast } from '../../../api/stream/broadcast.ts'
import { eventSchemasOf } from '../../../api/stream/event-schemas.ts'
import type { PublishedRecord } from '../../../api/stream/published-ticks.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { Stage, StageRecord } from '../../../schemas/stage.ts'
import type { Tick } from '../../../schemas/tick.ts'
import { buildCall } from '../../projections/calls/derived-log.ts'
import { buildGraduation, buildBurst as buildSolBurst, mint } from '../../projections/chain-b/derived-log.ts'
import {
  address,
  buildBurst,
  buildRestated,
  buildTick,
  buildWithdrawn,
  noonMs,
  poolId,
} from '../../projections/derived-log.ts'
import { pushedChains } from '../../support/pushed-chains.ts'

const schemas = eventSchemasOf(pushedChains)

type Event = Readonly<{ name: string; id: string | null; data: Readonly<Record<string, unknown>> }>

/** Returns the events in a text. Each event must match its schema. */
function eventsOf(text: string): readonly Event[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1] ?? null
      const name = field('event') ?? expect.fail(`no event in ${frame}`)
      const data = schemas[name]?.schema.parse(JSON.parse(field('data') ?? '')) as Event['data']
      return { name, id: field('id'), data }
    })
}

function createWorld() {
  const state = { atMs: noonMs + 500, count: 1 }
  const sent: string[] = []
  const due: { work: () => void; delayMs: number }[] = []
  const broadcast = createBroadcast({
    chains: pushedChains,
    clients: { send: (bytes) => void sent.push(bytes.toString()), count: () => state.count },
    nowMs: () => state.atMs,
    later: (work, delayMs) => void due.push({ work, delayMs }),
  })
  let offset = 100
  return {
    ...{ broadcast, state, sent, due },
    tick(
      records: readonly (readonly [string, StageRecord])[],
      of: Partial<Tick> & Readonly<{ partition?: number }> = {},
    ) {
      const { partition = 0, ...fields } = of
      publish(chainAStage, { partition, records, fields })
    },
    tickB(records: readonly (readonly [string, StageRecord])[], partition = 0) {
      publish(chainBStage, { partition, records, fields: {} })
    },
    /** Runs the delayed work and returns the sent events. */
    flush() {
      while (due.length > 0) due.shift()?.work()
      return eventsOf(sent.splice(0).join(''))
    },
  }
  type Of = Readonly<{ partition: number; records: readonly (readonly [string, StageRecord])[]; fields: Partial<Tick> }>
  function publish(stage: Stage, { partition, records, fields }: Of) {
    const published: PublishedRecord[] = records.map(([key, record]) => ({
      key,
      record,
      offset: offset++,
      publishedAtMs: noonMs + 107,
    }))
    const tick = buildTick({ knownAtMs: noonMs + 100, ...fields })
    broadcast.onTick({ stage, partition, tick, records: published, nextOffset: ++offset })
  }
}

const token = address(1)

describe('what the stream sends', () => {
  it('is a burst as the live route shows it at its signal, with the tick’s time and the row’s id', () => {
    const world = createWorld()
    world.tick([[token, buildBurst()]])
    const [event] = world.flush()
    const row = event?.data.row as Record<string, unknown>
    expect(event?.name).to.equal('burst')
    expect(event?.data).to.deep.include({ type: 'burst', chain: 'chainA', at: noonMs, knownAt: noonMs + 100 })
    expect(event?.data.id).to.equal(row.id)
    expect(row).to.deep.include({ token, pool: poolId(1), tier: 'main', poolAgeMin: 30, buyers: null, lp: null })
    expect(row).to.deep.include({ inflowEth: 1.2345678901234567, knownAt: noonMs + 100, publishedAt: noonMs + 107 })
    expect(row).to.deep.include({ outcome: { scored: false }, supersedes: null })
  })

  it('is bursts and graduations of the other chain too', () => {
    const world = createWorld()
    world.tickB([
      [mint(1), buildSolBurst()],
      [mint(1), buildGraduation()],
    ])
    const [burst, graduation] = world.flush()
    expect(burst?.data).to.deep.include({ type: 'burst', chain: 'chainB' })
    expect(burst?.data.row).to.deep.include({ mint: mint(1), inflowSol: 12.345678901, anatomy: null })
    expect(graduation?.data).to.deep.include({ type: 'graduation', chain: 'chainB', at: noonMs })
    expect(graduation?.data.row).to.deep.include({ mint: mint(1), gradAt: noonMs, gradMin: 45, post: null })
    expect(graduation?.data.id).not.to.equal(burst?.data.id)
  })

  it('is a call when it is new: later versions are none, but for what a reorg changed or took back', () => {
    const world = createWorld()
    const later = buildCall({ isFirst: false, recalls: 2 })
    const key = { recordType: 'Call', pool: '0x', tier: null, atMs: noonMs, name: '' } as const
    world.tick([
      [token, buildCall()],
      [token, later],
    ])
    world.tickB([
      [mint(1), buildCall()],
      [mint(1), later],
    ])
    const calls = world.flush()
    expect(calls.map(({ name, data }) => [name, data.chain, data.at])).to.deep.equal([
      ['call', 'chainA', noonMs],
      ['call', 'chainB', noonMs],
    ])
    expect(calls[0]?.data.row).to.deep.include({ mint: token, calledAt: noonMs, nChats: 1, knownAt: noonMs + 100 })
    expect(calls[0]?.data.id).not.to.equal(calls[1]?.data.id)
    world.tick([
      [token, later],
      [token, { type: 'Restated', data: { ...key, supersedesAtMs: null } }],
      [token, later],
      [token, { type: 'Withdrawn', data: key }],
    ])
    const corrected = world.flush()
    expect(corrected.map(({ name, data }) => [name, data.of, data.id === calls[0]?.data.id])).to.deep.equal([
      ['restated', 'call', true],
      ['withdrawn', 'call', true],
    ])
  })

  it('is nothing of a backfill: what was known more than 120 s after it happened', () => {
    const world = createWorld()
    world.tick([[token, buildBurst({ atMs: noonMs - 119_900 })]])
    world.tick([[token, buildBurst({ atMs: noonMs - 119_901 })]])
    expect(world.flush().map(({ data }) => data.at)).to.deep.equal([noonMs - 119_900])
  })

  it('is what a reorg changed and took back, however late', () => {
    const world = createWorld()
    const knownAtMs = noonMs + 600_000
    const restated = buildRestated({ atMs: noonMs + 3, supersedesAtMs: noonMs })
    world.tick(
      [
        [token, buildWithdrawn()],
        [token, restated],
        [token, buildBurst({ atMs: noonMs + 3 })],
        [token, buildBurst({ tier: 'lite' })],
      ],
      { knownAtMs },
    )
    const [withdrawn, moved, ...others] = world.flush()
    expect(others, 'a row that is only new to the log is a backfill').to.deep.equal([])
    expect(withdrawn?.data).to.deep.include({ type: 'withdrawn', of: 'burst', at: noonMs, row: null })
    expect(moved?.data).to.deep.include({ type: 'restated', of: 'burst', at: noonMs + 3, knownAt: knownAtMs })
    expect(moved?.data.row).to.deep.include({ supersedes: withdrawn?.data.id })
  })

  it('is new after a mark about another row, whose type is not sent', () => {
    const world = createWorld()
    const minute = { recordType: 'PoolMinute', pool: poolId(1), tier: null, atMs: noonMs, name: '' } as const
    const mark = { type: 'Restated', data: { ...minute, supersedesAtMs: noonMs - 60_000 } } as const
    world.tick([
      [address(2), mark],
      [token, buildBurst()],
      [token, buildRestated({ pool: poolId(2) })],
      [token, buildBurst({ tier: 'lite' })],
      [address(2), buildRestated({ tier: 'old' })],
      [token, buildBurst({ tier: 'old' })],
      [token, mark],
      [token, buildCall()],
      [token, mark],
      [token, buildCall({ isFirst: false, recalls: 2 })],
    ])
    const events = world.flush()
    expect(events.map(({ name }) => name)).to.deep.equal(['burst', 'burst', 'burst', 'call'])
    for (const { data } of events.slice(0, 3)) expect(data.row).to.deep.include({ supersedes: null })
    world.tick([[token, mark] as const, [token, buildBurst()] as const], { knownAtMs: noonMs + 600_000 })
    expect(world.flush(), 'a burst that is known late is not sent').to.deep.equal([])
  })

  it('names its place in every partition: that of a row ends with the row, that of a chain not heard of is empty', () => {
    const world = createWorld()
    world.tick([
      [token, buildBurst()],
      [token, buildBurst({ tier: 'lite' })],
    ])
    world.tick([[token, buildBurst({ tier: 'old' })]], { partition: 2, seq: 2 })
    const at = (offset: number) => offset.toString(36)
    expect(world.flush().map(({ id }) => id)).to.deep.equal([
      `${at(101)}...-...`,
      `${at(102)}...-...`,
      `${at(103)}..${at(104)}.-...`,
    ])
  })

  it('is written once for all clients and sent together; nobody is written to in vain', () => {
    const world = createWorld()
    world.tick([[token, buildBurst()]])
    world.tick([[token, buildBurst({ tier: 'lite' })]])
    expect(world.due.map(({ delayMs }) => delayMs)).to.deep.equal([0])
    world.due.shift()?.work()
    expect(world.sent).to.have.length(1)
    world.flush()
    world.state.count = 0
    world.tick([[token, buildBurst()]])
    expect(world.due).to.deep.equal([])
  })

  it('waits behind a long correction, even if the last client left during it', () => {
    const world = createWorld()
    world.tick(Array.from({ length: 300 }, (_, at) => [token, buildBurst({ pool: poolId(at) })] as const))
    world.due.shift()?.work()
    const sentBefore = eventsOf(world.sent.splice(0).join(''))
    world.state.count = 0
    world.tick([[token, buildBurst({ pool: poolId(300) })]])
    // The client comes back with the id of its last event, which is how far the others are too.
    expect(world.broadcast.position()).to.equal(sentBefore.at(-1)?.id)
    world.state.count = 1
    expect(world.flush()).to.have.length(301 - sentBefore.length)
  })

  it('comes in parts with pauses where a reorg restates thousands of rows', () => {
    const world = createWorld()
    world.tick(Array.from({ length: 300 }, (_, at) => [token, buildBurst({ pool: poolId(at) })] as const))
    const pauses: number[] = []
    while (world.due.length > 0) {
      const [next] = world.due.splice(0, 1)
      pauses.push(next?.delayMs ?? 0)
      next?.work()
    }
    expect(Math.max(...world.sent.map((text) => text.length))).to.be.at.most(64 * 1024)
    expect(pauses).to.deep.equal([0, ...Array<number>(world.sent.length - 1).fill(25)])
    expect(eventsOf(world.sent.join(''))).to.have.length(300)
  })

  it('says how far a chain is once all of its partitions have passed a tick: soon after events, seldom without', () => {
    const world = createWorld()
    const pass = (seq: number, records: readonly (readonly [string, StageRecord])[] = []) => {
      for (let partition = 0; partition < chainAStage.derivedTopic.partitionCount; partition++)
        world.tick(partition === 0 ? records : [], { partition, seq, blockNumber: seq * 10, blockAtMs: noonMs + seq })
      return world.flush().map(({ name, data }) => (name === 'watermark' ? `watermark ${data.block}` : name))
    }
    expect(pass(1)).to.deep.equal(['watermark 10'])
    expect(pass(2)).to.deep.equal([])
    world.state.atMs += 1_000
    expect(pass(3, [[token, buildBurst()]])).to.deep.equal(['burst', 'watermark 30'])
    world.state.atMs += 4_999
    expect(pass(4)).to.deep.equal([])
    world.state.atMs += 1
    expect(pass(5)).to.deep.equal(['watermark 50'])
  })

  it('begins with how far it is, where it is, and when the pass ends, and repeats how far it is with each heartbeat', () => {
    const world = createWorld()
    const helloOf = () => world.broadcast.helloFor({ expiresAtMs: noonMs + 9 }).toString()
    expect(helloOf()).to.match(/^retry: 3000\nevent: hello\n/)
    const [empty] = eventsOf(helloOf())
    expect(empty?.id).to.equal('...-...')
    expect(empty?.data).to.deep.include({ expiresAt: noonMs + 9, heartbeatMs: 15_000 })
    expect(empty?.data.chains).to.deep.equal({ chainA: null, chainB: null })
    for (const partition of [0, 1, 2, 3]) world.tick([], { partition, seq: 4 + partition })
    world.flush()
    const chainA = { knownAt: noonMs + 100, block: 10, blockAt: noonMs }
    const [hello] = eventsOf(helloOf())
    expect(hello?.data.chains).to.deep.equal({ chainA, chainB: null })
    world.broadcast.heartbeat()
    const [heartbeat] = world.flush()
    expect(heartbeat?.data).to.deep.equal({
      type: 'heartbeat',
      at: noonMs + 500,
      chains: { chainA, chainB: null },
    })
    expect(heartbeat?.id).to.equal(hello?.id)
  })

  it('tells a client that joins amid a long correction the place of what was sent, not of what waits', () => {
    const world = createWorld()
    world.tick([[token, buildBurst()]])
    const waitingId = eventsOf(world.broadcast.helloFor({ expiresAtMs: 1 }).toString())[0]?.id
    const [burst] = world.flush()
    const sentId = eventsOf(world.broadcast.helloFor({ expiresAtMs: 1 }).toString())[0]?.id
    expect(waitingId).to.equal('...-...')
    expect([burst?.id, sentId]).to.deep.equal([`${(101).toString(36)}...-...`, `${(102).toString(36)}...-...`])
  })
})

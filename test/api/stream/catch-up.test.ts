import { expect } from 'chai'
import { createCatchUp } from '../../../api/stream/catch-up.ts'
import type { ByeReason, ClientBehind } from '../../../api/stream/clients.ts'
import type { Cursor } from '../../../api/stream/cursor.ts'
import type { PlacedTick } from '../../../api/stream/past.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { address, buildBurst, buildTick, noonMs, poolId } from '../../projections/derived-log.ts'
import { pushedChains } from '../../support/pushed-chains.ts'
import { framesIn, isRow } from './resume-world.ts'

const cursorAt = (offset: number): Cursor => [offset, 0, 0, 0, 0, 0, 0, 0]
const textAt = (offset: number): string => `${offset.toString(36)}.0.0.0-0.0.0.0`

/** A tick with one row at this offset of partition 0. `count`: the number of rows. */
function tickAt(offset: number, count = 1): PlacedTick {
  const records = Array.from({ length: count }, (_, index) => ({
    ...{ key: address(1), record: buildBurst({ pool: poolId(offset + index) }), publishedAtMs: noonMs },
    offset: offset + index,
  }))
  const tick = buildTick({ seq: offset })
  return { place: 0, published: { stage: chainAStage, partition: 0, tick, records, nextOffset: offset + count } }
}

/**
 * A catch-up whose log and live position a test controls. Time passes only during waits and reads. `heard` has what
 * happened, in order.
 */
function createWorld() {
  const state = { live: textAt(0), atMs: 0, waitingBytes: 0, isTaking: true }
  const heard: string[] = []
  const left = new AbortController()
  const client: ClientBehind = {
    send(bytes) {
      const names = framesIn(bytes.toString()).map((frame) => (isRow(frame) ? frame.id : `${frame.name} ${frame.id}`))
      heard.push(...names.map(String))
      if (!state.isTaking) state.waitingBytes += bytes.length
    },
    waitingBytes: () => state.waitingBytes,
    hold: () => void heard.push('hold'),
    release: () => void heard.push('release'),
    end(reason: ByeReason) {
      heard.push(`end ${reason}`)
      left.abort()
    },
    signal: left.signal,
  }
  /** What each read of a stretch does. A read without an entry yields nothing. */
  const reads: ((from: Cursor, until: Cursor) => readonly PlacedTick[])[] = []
  const catchUp = createCatchUp({
    chains: pushedChains,
    past: {
      async *ticksBetween({ from, until }) {
        heard.push(`read ${from[0]} to ${until[0]}`)
        yield* reads.shift()?.(from, until) ?? []
      },
    },
    broadcast: {
      position: () => state.live,
      heartbeatAt: (id) =>
        Buffer.from(`event: heartbeat\nid: ${id}\ndata: {"type":"heartbeat","at":1,"chains":{}}\n\n`),
    },
    nowMs: () => noonMs,
    monotonicMs: () => state.atMs,
    delay: async (durationMs) => {
      state.atMs += durationMs
    },
  })
  return { state, heard, left, client, reads, catchUp }
}

describe('the hand-over of a client from the log to the live events', () => {
  /**
   *     live position    9                12
   *     the client       reads 5 to 9     holds, reads 9 to 12, caught-up, released
   */
  it('keeps the live events from the position on to which it then reads', async () => {
    const { state, heard, client, reads, catchUp } = createWorld()
    state.live = textAt(9)
    reads.push(
      () => {
        state.live = textAt(12)
        return [tickAt(7)]
      },
      () => {
        // These events are sent to all clients, and kept for this one.
        state.live = textAt(20)
        return [tickAt(10)]
      },
    )
    expect(await catchUp(client, cursorAt(5))).to.deep.equal({ state: 'done', count: 2 })
    expect(heard).to.deep.equal([
      ...['read 5 to 9', textAt(8), 'hold', 'read 9 to 12', textAt(11)],
      ...[`caught-up ${textAt(12)}`, 'release'],
    ])
  })

  it('reads again before it keeps events, as long as reading takes more than a second', async () => {
    const { state, heard, client, reads, catchUp } = createWorld()
    state.live = textAt(9)
    const slow = (durationMs: number) => () => {
      state.atMs += durationMs
      return []
    }
    reads.push(slow(1_001), slow(1_001), slow(1_000))
    await catchUp(client, cursorAt(5))
    expect(heard.filter((each) => /^(read|hold)/.test(each))).to.deep.equal([
      ...['read 5 to 9', 'read 9 to 9', 'read 9 to 9', 'hold', 'read 9 to 9'],
    ])
  })

  it('waits for a live position at or after the cursor, for ten seconds', async () => {
    const { state, heard, client, catchUp } = createWorld()
    state.live = '...-...'
    expect(await catchUp(client, cursorAt(5))).to.deep.equal({ state: 'ended', count: 0 })
    expect(heard).to.deep.equal(['end failed'])
    expect(state.atMs).to.equal(10_000)

    const behind = createWorld()
    behind.state.live = textAt(4)
    const waiting = behind.catchUp(behind.client, cursorAt(5))
    behind.state.live = textAt(5)
    expect(await waiting).to.deep.equal({ state: 'done', count: 0 })
    expect(behind.heard[0]).to.equal('read 5 to 5')
  })
})

describe('a client that catches up', () => {
  it('is disconnected as too slow if it does not take what waits within ten seconds', async () => {
    const { state, heard, client, reads, catchUp } = createWorld()
    state.live = textAt(2000)
    state.isTaking = false
    reads.push(() => [tickAt(1, 500)])
    const { state: ending, count } = await catchUp(client, cursorAt(0))
    expect(ending).to.equal('ended')
    expect(count, 'it gets no more than two pieces').to.be.below(200)
    expect(state.waitingBytes).to.be.below(2 * 65 * 1024)
    expect([heard.at(-1), state.atMs]).to.deep.equal(['end too_slow', 10_000])
  })

  it('is disconnected after ten minutes, and can continue at its last id', async () => {
    const { state, heard, client, reads, catchUp } = createWorld()
    state.live = textAt(9)
    reads.push(() => {
      state.atMs += 600_000
      return [tickAt(7), tickAt(8)]
    })
    expect(await catchUp(client, cursorAt(5))).to.include({ state: 'ended' })
    expect(heard).to.deep.equal(['read 5 to 9', textAt(8), 'end too_slow'])
  })

  it('gets a heartbeat after 15 s without events, with the cursor of what it has', async () => {
    const { state, heard, client, reads, catchUp } = createWorld()
    state.live = textAt(99)
    reads.push(() => {
      state.atMs += 15_000
      return [tickAt(20, 0)]
    })
    await catchUp(client, cursorAt(5))
    expect(heard.slice(0, 2)).to.deep.equal(['read 5 to 99', `heartbeat ${textAt(20)}`])
  })

  it('gets nothing more once it has left', async () => {
    const { state, heard, left, client, reads, catchUp } = createWorld()
    state.live = textAt(9)
    reads.push(() => {
      left.abort()
      return [tickAt(7)]
    })
    expect((await catchUp(client, cursorAt(5))).state).to.equal('ended')
    expect(heard).to.not.include('release')
  })
})

/**
 * The time of a post is often ahead of the chain. So the precall waits until the chain has reached that time. The precall
 * then contains all swaps before the post, no matter when the post became known:
 *
 *   block time   100 s    110 s    120 s    130 s
 *   swaps         x x       x        x        x
 *   post                      115 s
 *   precall                          from here on, with three swaps, or later if the post is known later
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { prepareSchemas } from '../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { partitionOf } from '../../infra/log/partition-of.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { chainA } from '../../processors/stages.ts'
import type { Precall } from '../../schemas/calls/derived.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import { type ChatTypes, chatsStage } from '../../schemas/chats/stage.ts'
import { topics } from '../../schemas/topics.ts'
import type { Hex } from '../../schemas/units.ts'
import { buildContent, evmOf } from '../ingest/mentions/build-post.ts'
import { buildPoolCreated, buildSwap, buildTick, second } from '../support/builders/build-facts.ts'
import { openMentions } from '../support/mentions-in-turn.ts'
import type { KeyedRecord } from './keyed-record.ts'
import { appendFacts, openStage, readAll, runUntil } from './stage-log.ts'

const token = evmOf(1) as Hex
const tickCount = 60
const tickSec = 30
/**
 * The time at which the pool opens, in seconds. The pool opens early, so that the look-back of later posts
 * begins within the log.
 */
const openedSec = 5
const lookBackMs = 600_000

/**
 * `swaps` are the block times of the swaps, in seconds. `readAtTick` is the number of the tick before whose
 * blocks the post is read.
 */
type Drawn = Readonly<{ swaps: readonly number[]; postedSec: number; readAtTick: number }>

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    swaps: fc.array(fc.integer({ min: openedSec + 1, max: tickCount * tickSec }), { minLength: 1, maxLength: 80 }),
    postedSec: fc.integer({ min: openedSec + 1, max: (tickCount - 1) * tickSec - 1 }),
    /**
     * The delay from the post until it is read, in ticks of 30 s. It is at most about 15 minutes, because the
     * stage keeps the trades before a post for that long.
     */
    delayTicks: fc.integer({ min: 0, max: 29 }),
  })
  .map(({ delayTicks, ...rest }) => {
    const readAtTick = Math.min(tickCount - 1, Math.floor(rest.postedSec / tickSec) + 1 + delayTicks)
    return { ...rest, swaps: rest.swaps.sort((one, other) => one - other), readAtTick }
  })

type Found = Readonly<{ precall: Precall; tick: number }>

describe('a post that is stamped before the tick of the chain', () => {
  async function precallsOf({ swaps, postedSec, readAtTick }: Drawn): Promise<readonly Found[]> {
    const clock = { atMs: second(0) }
    const nowMs = () => clock.atMs
    const log = createMemoryLog({ nowMs })
    const registry = createMemoryRegistry()
    await prepareSchemas(registry, topics)
    const open = await openStage<ChainATypes>(chainA, registry)
    const codecs = await createIngestCodecs<ChatTypes>(chatsStage, registry)
    const stop = new AbortController()
    const mentions = await openMentions({ log, registry, nowMs, signal: stop.signal })
    const reading = mentions.run()
    const partition = partitionOf(token, chainA.stage.factTopic.partitionCount)
    const readPost = async () => {
      clock.atMs = second(Math.max(postedSec, (readAtTick - 1) * tickSec))
      const content = buildContent({ text: token, postedAtMs: second(postedSec) })
      const place = { blockNumber: 1, blockHash: '0x', blockAtMs: clock.atMs } as const
      const writer = await log.openWriter('ingest-chats')
      const value = codecs.facts.encode('PostSeen', { ...content, ...place })
      const tick = buildTick({ seq: 1, blockNumber: 1, blockAtMs: clock.atMs, knownAtMs: clock.atMs })
      const topic = { topic: chatsStage.factTopic.name, partition: 0 } as const
      await writer.append([
        { ...topic, key: content.chat, value },
        { ...topic, key: 'tick', value: codecs.facts.encode('Tick', tick) },
      ])
      await mentions.turns.give()
      // The mention of an unknown token is held back for 10 s, and then written anyway.
      clock.atMs += 10_000
      await mentions.turns.give()
    }
    for (let tick = 1; tick <= tickCount; tick++) {
      if (tick === readAtTick) await readPost()
      const [fromSec, toSec] = [(tick - 1) * tickSec, tick * tickSec]
      const records: KeyedRecord<ChainATypes>[] = swaps
        .filter((atSec) => atSec > fromSec && atSec <= toSec)
        .map((atSec) => ({ key: token, record: buildSwap({ blockAtMs: second(atSec) }) }))
      if (tick === 1) {
        const opened = buildPoolCreated({ token, blockAtMs: second(openedSec), txSender: null })
        records.unshift({ key: token, record: opened })
      }
      const data = buildTick({ seq: tick, blockAtMs: second(toSec) })
      await appendFacts({ ...open, log, partition }, [...records, { key: 'tick', record: { type: 'Tick', data } }])
    }
    stop.abort()
    await reading
    await runUntil({ ...open, partition }, tickCount, { log })
    let tick = 1
    return (await readAll(log, chainA.stage.derivedTopic.name, partition)).flatMap(({ value }) => {
      const { type, data } = open.derivedCodec.decode(value as Buffer)
      if (type === 'Tick') tick++
      return type === 'Precall' ? [{ precall: data, tick }] : []
    })
  }

  it('has its precall once the tick has passed it, with every swap up to it, whenever it became known', async () => {
    const property = fc.asyncProperty(drawn, async (its) => {
      const found = await precallsOf(its)
      expect(found.length, 'precalls').to.equal(1)
      const { precall, tick } = found[0] as Found
      const postedAtMs = second(its.postedSec)
      const before = its.swaps.filter((atSec) => {
        const atMs = second(atSec)
        return atMs > postedAtMs - lookBackMs && atMs <= postedAtMs
      })
      expect(precall).to.include({ postedAtMs, isTracked: true, buys: before.length })
      // The precall comes at the first tick after the time of the post. If the post became known later, the
      // precall comes one tick after `readAtTick`.
      const passed = Math.floor(its.postedSec / tickSec) + 1
      expect(tick).to.equal(Math.max(passed, its.readAtTick + 1))
    })
    await fc.assert(property, { seed: 1, numRuns: 25 })
  })
})

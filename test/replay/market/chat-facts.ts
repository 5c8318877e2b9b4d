/** Builds chat posts for tests. Some chats have gaps, where posts were not read. */
import type { ChatTypes } from '../../../schemas/chats/stage.ts'
import { buildContent } from '../../ingest/mentions/build-post.ts'
import { buildTick, second } from '../../support/builders/build-facts.ts'
import type { KeyedRecord } from '../keyed-record.ts'
import { createDraw } from './draw.ts'

const chatCount = 5
const tickCount = 2500
const gapEvery = 25

/** Builds the log of one partition. Ticks are 2 s apart, and up to three posts come before each tick. */
export function chatFacts(seed: number): KeyedRecord<ChatTypes>[] {
  const draw = createDraw(seed)
  // The counter starts at 1, so that a first tick without posts still has a block.
  let blockNumber = 1
  return Array.from({ length: tickCount }, (_, index) => {
    const seq = index + 1
    const blockAtMs = second(2 * seq)
    const place = () => ({ blockNumber: ++blockNumber, blockHash: '0x', blockAtMs }) as const
    const posts = Array.from({ length: draw(4) }, (): KeyedRecord<ChatTypes> => {
      const chat = `-100${draw(chatCount)}`
      return {
        key: chat,
        record: { type: 'PostSeen', data: { ...buildContent({ chat, post: blockNumber }), ...place() } },
      }
    })
    const chat = `-100${draw(chatCount)}`
    const gap = { chat, fromAtMs: blockAtMs - 1000 * draw(600), toAtMs: blockAtMs, reason: 'offline' } as const
    const gaps: readonly KeyedRecord<ChatTypes>[] =
      seq % gapEvery > 0 ? [] : [{ key: chat, record: { type: 'ChatGapFound', data: { ...gap, ...place() } } }]
    const tick = buildTick({ seq, blockNumber, blockAtMs })
    return [...posts, ...gaps, { key: 'tick', record: { type: 'Tick', data: tick } } as const]
  }).flat()
}

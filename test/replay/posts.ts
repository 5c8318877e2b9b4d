/** Posts about the tokens of a test market, known some time after they were posted. */
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import { isTick } from '../../schemas/stage.ts'
import { buildAddress } from '../support/build-facts.ts'
import { buildMention } from '../support/build-mentions.ts'
import { createDraw } from './draw.ts'
import type { KeyedRecord } from './keyed-record.ts'

/** Before each twentieth tick one about a token of the market or one that nobody tracks, up to ten minutes old. */
export function withPosts(seed: number, records: readonly KeyedRecord<ChainATypes>[]): KeyedRecord<ChainATypes>[] {
  const draw = createDraw(seed)
  const tokens = [...new Set(records.flatMap(({ key, record }) => (isTick(record) ? [] : [key]))), buildAddress(0x1ff)]
  let post = 0
  return records.flatMap((keyed) => {
    if (!isTick(keyed.record) || keyed.record.data.seq % 20 > 0) return [keyed]
    const second = Math.floor(keyed.record.data.blockAtMs / 1000) - draw(600)
    const [chat, poster] = [`${draw(3)}`, `${draw(3)}`]
    const kind = draw(5) === 0 ? 'recall' : 'call'
    const mention = buildMention({ chat, poster, kind, post: ++post, postedAtMs: second * 1000 })
    return [{ key: tokens[draw(tokens.length)] as string, record: mention }, keyed]
  })
}

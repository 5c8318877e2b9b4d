/** Adds posts about the tokens of the test data. A post becomes known some time after it was posted. */
import type { CallsTypes } from '../../../processors/calls/dependencies.ts'
import { isTick } from '../../../schemas/stage.ts'
import { buildMention } from '../../support/builders/build-mentions.ts'
import type { KeyedRecord } from '../keyed-record.ts'
import { createDraw } from './draw.ts'

type Posting = Readonly<{ seed: number; untracked: string }>

/**
 * Adds a post to every twentieth tick. The post is about a token of the log or about `untracked`, and is up
 * to ten minutes old.
 */
export function withPosts<Types extends CallsTypes>(
  records: readonly KeyedRecord<Types>[],
  { seed, untracked }: Posting,
): KeyedRecord<Types>[] {
  const draw = createDraw(seed)
  const tokens = [...new Set(records.flatMap(({ key, record }) => (isTick(record) ? [] : [key]))), untracked]
  let post = 0
  return records.flatMap((keyed) => {
    const { record } = keyed
    if (!isTick(record) || record.data.seq % 20 > 0) return [keyed]
    const second = Math.floor(record.data.blockAtMs / 1000) - draw(600)
    const [chat, poster] = [`${draw(3)}`, `${draw(3)}`]
    const kind = draw(5) === 0 ? 'recall' : 'call'
    const mention = buildMention({ chat, poster, kind, post: ++post, postedAtMs: second * 1000 })
    return [{ key: tokens[draw(tokens.length)] as string, record: mention as Types['answer'] }, keyed]
  })
}

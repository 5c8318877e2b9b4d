/** Builds the records that the stage must derive for the followed buys of a mint. */
import type { ChainBDerived, CopyClosed } from '../../../../schemas/chain-b/derived.ts'
import { fillOf } from './bursts.ts'
import { type FollowedBuy, followedBuysOf, type Hour } from './copies.ts'
import { type CopyRules, copyRules } from './copy-rules.ts'
import type { MintStory } from './stories.ts'

export function copyRecordsOf(story: MintStory, rules: CopyRules = copyRules): readonly ChainBDerived[] {
  const followed = followedBuysOf(story, { blockAtMs: story.untilMs, knownHours: new Map() }, rules)
  return [
    ...followed.map((its): ChainBDerived => ({ type: 'CopyOpened', data: openedOf(its) })),
    ...followed.flatMap(({ buy, hour }): readonly ChainBDerived[] =>
      hour === null ? [] : [{ type: 'CopyClosed', data: closedOf(buy, hour) }],
    ),
  ]
}

function openedOf({ story, buy }: FollowedBuy): Extract<ChainBDerived, { type: 'CopyOpened' }>['data'] {
  const { atMs, slot, px, isInPool, leftRaw, trade } = buy
  const { txHash, logIndex, trader: wallet, quoteRaw: lamports } = trade
  const fillAt = isInPool ? 1 : fillOf(leftRaw)
  return { atMs, txHash, logIndex, slot, wallet, lamports, fillAt, launchAtMs: story.launchAtMs, px }
}

export const closedOf = (
  { atMs, trade }: FollowedBuy['buy'],
  { isHit, path, sale, quoteDrift, fillSlip, exit }: Hour,
): CopyClosed => ({
  ...{ atMs, txHash: trade.txHash, logIndex: trade.logIndex, wallet: trade.trader },
  ...{ isHit, path: path.map(([, ret]) => ret), quoteDrift, fillSlip },
  leaderSale: sale && { afterSec: sale.sec, share: sale.share, gain: sale.gain },
  ...{ ret: exit?.ret ?? null, exit: exit?.why ?? null, exitSec: exit?.sec ?? null },
})

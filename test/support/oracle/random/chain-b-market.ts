/**
 * Draws random mints of chain B, with ticks and posts. Ingest finds mints again while the service follows a
 * burst, a copied buy or a pool. There are late facts of each type, and gaps that stay open. There are also
 * facts before the opening of a mint and after its end.
 */
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { rulesVersion } from '../../../../schemas/chain-b/rules.ts'
import type { ChainBTypes } from '../../../../schemas/chain-b/stage.ts'
import type { KeyedRecord } from '../../../replay/keyed-record.ts'
import { createDraw, type Draw } from '../../../replay/market/draw.ts'
import { withPosts } from '../../../replay/market/posts.ts'
import { buildHash, buildTick } from '../../builders/build-facts.ts'
import { curveLifeOf } from '../../chain-b/curve-life.ts'
import { type ScriptedFact, slotsPerSec, slotTimeOf } from '../../chain-b/scripted-curve.ts'
import { shortLife } from './chain-b-short-life.ts'
import { twisted } from './chain-b-twists.ts'

const mintCount = 6

/**
 * Returns the facts of one mint. The last mint has a short trade history, and the others have those of the
 * ordinary test data.
 */
const lifeOf = (seed: number, index: number): readonly ScriptedFact[] =>
  index === mintCount - 1
    ? shortLife(createDraw(1000 * seed + index), index)
    : curveLifeOf(createDraw(1000 * seed + index), { index, kindIndex: seed + index })

export function randomCurves(seed: number): readonly KeyedRecord<ChainBTypes>[] {
  const draw = createDraw(seed)
  const facts = Array.from({ length: mintCount }, (_, index) =>
    twisted(lifeOf(seed, index), draw).map((its) => ({ ...its, key: `Mint${index}pump` })),
  ).flat()
  // The sort is stable, so the facts of each mint stay in order.
  facts.sort((one, other) => one.slot - other.slot)
  return withPosts(withTicks(facts.map(placed), draw), { seed, untracked: 'Mint99pump' })
}

type KeyedFact = ScriptedFact & Readonly<{ key: string }>

/** Gives a fact the block hash of its slot. */
function placed({ key, slot, fact }: KeyedFact): KeyedFact {
  return { key, slot, fact: { ...fact, data: { ...fact.data, blockHash: buildHash(slot) } } as ChainBFact }
}

/** Adds ticks. Most slots end with a tick. The last ticks let all timers expire. */
function withTicks(facts: readonly KeyedFact[], draw: Draw): readonly KeyedRecord<ChainBTypes>[] {
  let seq = 0
  const tick = (slot: number): KeyedRecord<ChainBTypes> => ({
    key: 'tick',
    record: {
      type: 'Tick',
      data: buildTick({ seq: ++seq, blockNumber: slot, blockAtMs: slotTimeOf(slot), rulesVersion }),
    },
  })
  const records = facts.flatMap(({ key, slot, fact }, index) => {
    const keyed = { key, record: fact }
    return facts[index + 1]?.slot !== slot && draw(4) > 0 ? [keyed, tick(slot)] : [keyed]
  })
  const end = facts.at(-1)?.slot ?? 0
  return [...records, ...[0.1, 1, 30, 60, 61].map((hours) => tick(end + Math.round(hours * 3600 * slotsPerSec)))]
}

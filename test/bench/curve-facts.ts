/** An embedded log of scripted bonding curves: the market of the tests, many times as large. */
import { createEmbeddedRegistry } from '../../infra/codec/registry/schema-table.ts'
import { createEmbeddedLog } from '../../infra/log/embedded/embedded-log.ts'
import { partitionOf } from '../../infra/log/partition-of.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { partitionsOf } from '../../processors/runtime/run-stage.ts'
import { rulesVersion } from '../../schemas/chain-b/rules.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { tickKey } from '../../schemas/topics.ts'
import { createDraw } from '../replay/draw.ts'
import { buildTick } from '../support/build-facts.ts'
import { curveLifeOf } from '../support/chain-b/curve-life.ts'
import { slotsPerSec, slotTimeOf } from '../support/chain-b/scripted-curve.ts'

const mintsPerHour = 100
const { name: topic, partitionCount } = chainBStage.factTopic
/** A backlog is written in ticks of about so many facts, as ingest slices it. */
const factsPerTick = 20_000

/** Returns how many facts it wrote. The same each time but for the hashes of transactions. */
export async function writeCurveFacts(dataDir: string, hours: number): Promise<number> {
  const log = await createEmbeddedLog({ dataDir, nowMs: Date.now })
  const { facts: codec } = await createIngestCodecs(chainBStage, await createEmbeddedRegistry({ dataDir }))
  const bornWithin = hours * 3600 * slotsPerSec
  const told = Array.from({ length: hours * mintsPerHour }, (_, index) => {
    const key = `Mint${index}pump`
    const partition = partitionOf(key, partitionCount)
    return curveLifeOf(createDraw(index), { index, kindIndex: index, bornWithin }).map(({ slot, fact }) => ({
      slot,
      record: { topic, partition, key, value: codec.encode(fact.type, fact.data) },
    }))
  }).flat()
  told.sort((left, right) => left.slot - right.slot)
  const writer = await log.openWriter(`ingest-${chainBStage.name}`)
  let seq = 0
  for (let from = 0; from < told.length; ) {
    let upTo = Math.min(from + factsPerTick, told.length)
    const tickSlot = told[upTo - 1]?.slot ?? 0
    while (told[upTo]?.slot === tickSlot) upTo++
    const tick = buildTick({ seq: ++seq, blockNumber: tickSlot, blockAtMs: slotTimeOf(tickSlot), rulesVersion })
    const value = codec.encode('Tick', tick)
    const ticks = partitionsOf(chainBStage).map((partition) => ({ topic, partition, key: tickKey, value }))
    await writer.append([...told.slice(from, upTo).map(({ record }) => record), ...ticks])
    from = upTo
  }
  await writer.close()
  await log.close()
  return told.length
}

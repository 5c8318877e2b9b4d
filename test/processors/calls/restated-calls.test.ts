import { expect } from 'chai'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import type { FactRecord } from '../../../processors/runtime/stage-codecs.ts'
import { chainB } from '../../../processors/stages.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import type { Tick } from '../../../schemas/tick.ts'
import type { KeyedRecord } from '../../replay/keyed-record.ts'
import { appendFacts, openStage, readAll, runUntil } from '../../replay/stage-log.ts'
import { buildTick, second } from '../../support/builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../../support/builders/build-mentions.ts'

const mint = '11111111111111111111111111111112'

describe('a call in a range that is published again', () => {
  //   slot       10     11        12 13       14              40   40, revertedFrom 11   42
  //   log        post   mention   ·  ·  price ·  (each slot)  ·    ·                     ·
  const log = async (isRestated: boolean) => {
    const open = await openStage(chainB)
    const records: KeyedRecord<ChainBTypes>[] = []
    const add = (key: string, record: FactRecord<ChainBTypes>) => records.push({ key, record })
    let seq = 0
    const tick = (at: number, fields: Partial<Tick> = {}) => {
      const data = buildTick({
        seq: ++seq,
        knownAtMs: second(at) + 500,
        blockNumber: 1000 + at,
        blockAtMs: second(at),
        ...fields,
      })
      add('tick', { type: 'Tick', data: { ...data, rulesVersion: open.stage.rulesVersion } })
    }
    for (let at = 0; at < 12; at++) tick(at)
    const known = { postedAtMs: second(10), seenAtMs: second(11), answeredAtMs: second(11), isTracked: false }
    add(mint, buildMention(known))
    tick(12)
    tick(13)
    const { type, data } = buildPriceAnswer(`${mint}:${second(10)}`, 1, { source: 'aggregator' })
    add(mint, { type, data: { ...data, answeredAtMs: second(13) + 700 } })
    for (let at = 14; at <= 40; at++) tick(at)
    if (isRestated) tick(40, { revertedFrom: 1011, knownAtMs: second(40) + 800 })
    for (const at of [42, 75, 120]) tick(at)
    const memory = createMemoryLog({ nowMs: () => 0 })
    await appendFacts({ ...open, log: memory, partition: 0 }, records)
    await runUntil({ ...open, partition: 0 }, seq, { log: memory })
    const derived = await readAll(memory, 'chain-b-derived', 0)
    return derived.map(({ value }) => open.derivedCodec.decode(value!)).filter(({ type: its }) => its !== 'Tick')
  }

  it('stays, with its price and its questions', async () => {
    const derived = await log(true)
    expect(derived).to.deep.equal(await log(false))
    const calls = derived.flatMap((record) => (record.type === 'Call' ? [record.data.anchor?.px ?? null] : []))
    expect(calls).to.deep.equal([null, 1])
    expect(derived.map(({ type }) => type)).to.include.members(['PriceAsked', 'SafetyAsked'])
  })
})

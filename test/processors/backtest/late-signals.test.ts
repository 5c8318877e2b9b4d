import { expect } from 'chai'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { textOfBacktest } from '../../../processors/backtest/backtest-text.ts'
import { runBacktest } from '../../../processors/backtest-main.ts'
import { chainB } from '../../../processors/stages.ts'
import type { CallScored } from '../../../schemas/calls/derived.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { deskRules } from '../../../schemas/desk/rules.ts'
import { defaultRules } from '../../../schemas/rules.ts'
import { isTick } from '../../../schemas/stage.ts'
import { hourMs } from '../../../schemas/units.ts'
import { type KeyedRecord, lastSeqOf } from '../../replay/keyed-record.ts'
import { appendFacts, openStage, readAll, runUntil } from '../../replay/stage-log.ts'
import { reorgedCurveMarket } from '../../support/chain-b/market.ts'

type Records = readonly KeyedRecord<ChainBTypes>[]
const partition = 0
const { knownWithinMs } = deskRules
const all = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }

/** The records, as if the service had known all of them this much later. */
const knownLater = (records: Records, laterMs: number): Records =>
  records.map(({ key, record }) => {
    if (!isTick(record)) return { key, record }
    return { key, record: { ...record, data: { ...record.data, knownAtMs: record.data.knownAtMs + laterMs } } }
  })

async function backtestOf(records: Records) {
  const registry = createMemoryRegistry()
  const open = await openStage(chainB, registry)
  const log = createMemoryLog({ nowMs: () => 0 })
  await appendFacts({ ...open, log, partition }, records)
  await runUntil({ ...open, partition }, lastSeqOf(records), { log })
  const spans = [{ name: 'all', ...all }]
  const options = { open: { log, registry }, rules: defaultRules, range: all, spans, where: [] }
  const [result] = await runBacktest(options, ['chain-b'])
  if (result === undefined) throw new Error('no result')
  const compared = (kind: string) =>
    result.groups
      .flatMap((group) => (group.kind === kind ? group.spans : []))
      .reduce((sum, span) => sum + span.recorded, 0)
  const derived = await readAll(log, open.stage.derivedTopic.name, partition)
  const published = derived.flatMap(({ value }) => (value ? [open.derivedCodec.decode(value)] : []))
  const scored = published.flatMap(({ type, data }) => (type === 'CallScored' ? [data as CallScored] : []))
  return { result, compared, scored }
}

describe('signals that the service knew late', () => {
  it('are counted and not compared', async () => {
    let bursts = 0
    for (const seed of [1, 2, 3]) {
      const records = reorgedCurveMarket(seed, [])
      const live = await backtestOf(records)
      const late = await backtestOf(knownLater(records, hourMs))
      bursts += live.compared('bursts')
      expect(late.result.groups, `seed ${seed}`).to.deep.equal([])
      expect(late.result.late.recorded).to.be.at.least(live.compared('bursts') + live.compared('graduations'))
      expect(late.result.late.replayed).to.equal(late.result.late.recorded)
      expect(late.result.control).to.deep.equal({ recorded: 0, again: 0, same: 0 })
      expect(textOfBacktest(late.result)).to.include(
        `${late.result.late.recorded} recorded signals and ${late.result.late.replayed} with these rules became known ` +
          'more than 2 minutes after they fired. They are not compared, because nobody could have traded on them.\n',
      )
    }
    expect(bursts).to.be.above(0)
  })

  it('are calls whose post became known late, although every score comes an hour after its post', async () => {
    const found = { inTime: 0, late: 0 }
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const records = reorgedCurveMarket(seed, [])
      const { compared, scored } = await backtestOf(records)
      const inTime = postsKnownInTime(records)
      const expected = scored.filter(({ chat, post }) => inTime.has(`${chat}:${post}`)).length
      expect(compared('calls'), `seed ${seed}`).to.equal(expected)
      found.inTime += expected
      found.late += scored.length - expected
    }
    expect(found.inTime).to.be.above(0)
    expect(found.late).to.be.above(0)
  })
})

/** The posts that a tick closed within the limit. */
function postsKnownInTime(records: Records): ReadonlySet<string> {
  const inTime = new Set<string>()
  for (const [index, { record }] of records.entries()) {
    if (record.type !== 'Mentioned') continue
    const tick = records.slice(index).find((later) => isTick(later.record))?.record
    if (!tick || !isTick(tick)) continue
    if (tick.data.knownAtMs - record.data.postedAtMs <= knownWithinMs)
      inTime.add(`${record.data.chat}:${record.data.post}`)
  }
  return inTime
}

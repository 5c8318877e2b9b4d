import { createTestDriver } from '/tmp/wt/desk/processors/runtime/test-driver.ts'
import { chainA, chainB } from '/tmp/wt/desk/processors/stages.ts'
import { createSimulator as simA } from '/tmp/wt/desk/ingest/chain-a/simulated/simulator.ts'
import { createSimulator as simB } from '/tmp/wt/desk/ingest/chain-b/simulated/simulator.ts'
const toMs = Date.UTC(2026,10,20), hours = Number(process.argv[3] ?? 6)
const which = process.argv[2]
const span = { fromMs: toMs - hours*3600_000, toMs }
const runnable: any = which === 'a' ? chainA : chainB
const sim: any = which === 'a' ? simA({ seed: 1, nowMs: () => toMs, span }) : simB({ seed: 1, nowMs: () => toMs, span })
const without = process.argv[4] === 'without'
const processors = without ? runnable.processors.filter((p: any) => p.name !== 'desk') : runnable.processors
const driver: any = createTestDriver({ stage: runnable.stage, processors })
const counts: Record<string, number> = {}
const rets: Record<string, number[]> = {}
let facts = 0
const maps: any = sim.addressBook.createMaps()
const t0 = process.cpuUsage()
const tokens = new Set<string>()
for await (const range of sim.source.ranges(null, { book: maps.known, blocksFrom: async () => [], factIdsFrom: async () => new Map(), factsFrom: async () => [] } as any, new AbortController().signal)) {
  for (const a of range.newAddresses) maps.put(a)
  for (const f of range.facts) { facts++; const key = f.key ?? f.token; tokens.add(key); driver.fact(key, f.fact) }
  const b = range.head ?? range.block ?? range.to
  for (const { record } of driver.tick(b?.atMs ?? range.blockAtMs)) {
    counts[record.type] = (counts[record.type] ?? 0) + 1
    if (record.type === 'DeskTrade' || record.type === 'DeskTwin') (rets[`${record.type} ${record.data.lane} ${record.data.exit}`] ??= []).push(record.data.ret)
  }
}
const c = process.cpuUsage(t0)
console.log({ facts, tokens: tokens.size, cpuMs: c.user/1000|0, mem: process.memoryUsage().heapUsed/1e6|0, tokensLeft: driver.counts() })
console.log(counts, Object.values(counts).reduce((a,b)=>a+b,0))
for (const [k, v] of Object.entries(rets).sort()) console.log(k, v.length, (v.reduce((a,b)=>a+b,0)/v.length).toFixed(3))

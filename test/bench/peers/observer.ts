/**
 * Reads an engine's outputs as any consumer of committed records does, and compares them with the expected
 * outputs.
 */
import { Kafka, logLevel } from 'kafkajs'
import type { PeerOutput } from './job.ts'

type Seen = Readonly<{ k: string; tier: string; pool: string; at: number; seenAtMs: number }>

export type Observer = Readonly<{
  /** Resolves with the time at which the last expected output was seen, in epoch milliseconds. */
  complete: Promise<number>
  /** The outputs in order, without repetitions. */
  seen(): readonly Seen[]
  /** Null if the outputs are the expected ones and none was repeated. */
  difference(): string | null
  close(): Promise<void>
}>

type Watched = Readonly<{ brokers: string; topic: string; expected: readonly PeerOutput[] | null }>

/**
 * Returns a text to compare outputs by. Two texts are equal only if all numbers are equal to the last bit.
 * The original JSON is not compared, because engines may order fields or write digits differently.
 */
function canonical(output: PeerOutput): string {
  if (output.k === 'fire') {
    const { k, tier, pool, at, net, buys, price } = output
    return JSON.stringify([k, tier, pool, at, net, buys, price])
  }
  const { k, tier, pool, at, ret, peak } = output
  return JSON.stringify([k, tier, pool, at, ret, peak])
}

export async function observe({ brokers, topic, expected }: Watched): Promise<Observer> {
  const wanted = new Set((expected ?? []).map(canonical))
  const counts = new Map<string, number>()
  const seen: Seen[] = []
  let finish: (atMs: number) => void = () => {}
  const complete = new Promise<number>((resolve) => {
    finish = resolve
  })
  const note = (text: string) => {
    const output = JSON.parse(text)
    if (output.k === 'tick') return
    const seenAtMs = Date.now()
    const { k, tier, pool, at } = output
    if (expected === null) return void seen.push({ k, tier, pool, at, seenAtMs })
    const id = canonical(output)
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    if (count === 1) seen.push({ k, tier, pool, at, seenAtMs })
    if (counts.size === wanted.size) finish(seenAtMs)
  }
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.ERROR })
  const consumer = kafka.consumer({ groupId: `${topic}-observer`, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      for (const { value } of batch.messages) if (value) note(value.toString())
    },
  })
  return {
    complete,
    seen: () => seen,
    difference() {
      const missing = [...wanted].filter((id) => !counts.has(id))
      const wrong = [...counts.keys()].filter((id) => !wanted.has(id))
      const repeated = [...counts.values()].filter((count) => count > 1)
      if (missing.length + wrong.length + repeated.length === 0) return null
      return `${missing.length} missing, ${wrong.length} wrong, ${repeated.length} repeated: ${missing[0] ?? ''} ${wrong[0] ?? ''}`
    },
    close: () => consumer.disconnect(),
  }
}

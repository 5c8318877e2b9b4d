/** What has just happened, in lines for a person: derived records as they are published, not asked of the tables. */
import { createSchemaCodec, type SchemaRegistry } from '../infra/codec/schema-codec.ts'
import { followTopic } from '../infra/log/follow.ts'
import type { Log } from '../infra/log/log.ts'
import { liveMs } from '../infra/program.ts'
import type { ApiChain } from './chain.ts'

type HeadlineChain = Pick<ApiChain, 'stage' | 'headlineOf'>

type Following = Readonly<{
  log: Log
  registry: SchemaRegistry
  chains: readonly HeadlineChain[]
  nowMs: () => number
  show: (text: string) => void
  signal: AbortSignal
}>

/** Runs until the signal aborts. */
export async function followHeadlines({ chains, ...following }: Following): Promise<void> {
  await Promise.all(chains.map((each) => followStage(each, following)))
}

async function followStage(
  { stage, headlineOf }: HeadlineChain,
  { log, registry, nowMs, show, signal }: Omit<Following, 'chains'>,
): Promise<void> {
  const codec = await createSchemaCodec(stage.derivedTopic, registry)
  await followTopic(log, stage.derivedTopic, {
    signal,
    async onBatch(batch) {
      for (let index = 0; index < batch.count; index++) {
        const value = batch.valueAt(index)
        if (value === null) continue
        await codec.load(value)
        const headline = headlineOf(batch.keyAt(index), codec.decode(value))
        if (headline !== null && nowMs() - headline.atMs <= liveMs)
          show(`${new Date(headline.atMs).toISOString().slice(11, 19)}  ${headline.text}`)
      }
    },
  })
}

/** Turns new events into headlines for a person, one line each. */
import { liveMs } from '../infra/program.ts'
import type { ApiSource } from './source.ts'
import type { PublishedTick } from './stream/feed.ts'

type Headlines = Readonly<{
  sources: readonly Pick<ApiSource, 'stage' | 'headlineOf'>[]
  nowMs: () => number
  show: (text: string) => void
}>

/** Shows a published record if its chain has a headline for it and it is recent. */
export function createHeadlines({ sources, nowMs, show }: Headlines): (published: PublishedTick) => void {
  const headlineOf = new Map(sources.map((source) => [source.stage.name, source.headlineOf]))
  return ({ stage, records }) => {
    for (const { key, record } of records) {
      const headline = headlineOf.get(stage.name)?.(key, record)
      if (headline && nowMs() - headline.atMs <= liveMs)
        show(`${new Date(headline.atMs).toISOString().slice(11, 19)}  ${headline.text}`)
    }
  }
}

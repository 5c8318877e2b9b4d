/** The single reader of the derived topics for everything that is pushed. */
import { runAgain } from '../../infra/run-again.ts'
import { runSideBySide } from '../../infra/run-side-by-side.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { ApiSource } from '../source.ts'
import { createStageFeed, type FeedLog, type PublishedTick } from './feed.ts'

type Following = FeedLog &
  Readonly<{
    sources: readonly Pick<ApiSource, 'stage' | 'stream'>[]
    listeners: readonly ((published: PublishedTick) => void)[]
    nowMs: () => number
    logger: Pick<Logger, 'warn' | 'error'>
    signal: AbortSignal
  }>

/**
 * Hands published ticks to every listener until the signal aborts. While the log is unavailable it waits, and it skips
 * nothing. A chain that fails otherwise is started again after a minute while the others run. Fails when every chain
 * has failed.
 */
export async function followChains(following: Following): Promise<void> {
  const { sources, listeners, log, registry, nowMs, logger, signal } = following
  const stop = new AbortController()
  const stopped = AbortSignal.any([signal, stop.signal])
  const parts = sources.flatMap(({ stage, stream }) => {
    if (stream === undefined) return []
    const types = stream.rows.map(({ recordType }) => recordType)
    const onTick = (published: PublishedTick) => {
      for (const listener of listeners) listener(published)
    }
    const feed = createStageFeed({ log, registry }, { stage, types, onTick })
    const name = `the stream of ${stage.name}`
    return [{ name, run: () => runAgain(() => feed.run(stopped), { name, signal: stopped, nowMs, logger }) }]
  })
  await runSideBySide(parts, { signal: stopped, stop, logger })
}

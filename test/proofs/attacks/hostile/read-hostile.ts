/**
 * Reads the answers of a hostile server with the service's own readers, case by case. For each case, it prints the result, the time, and
 * how long the event loop was blocked. The argument gives the kind of server, its address, and the number of cases.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOperationError } from '../../../../infra/errors.ts'
import { createRugCheck } from '../../../../ingest/chain-b/lookups/rug-check.ts'
import { openReader } from '../../../../ingest/chain-b/node/open-reader.ts'
import { createFetchPage } from '../../../../ingest/chats/preview/fetch-page.ts'
import { createPreviewReader } from '../../../../ingest/chats/preview/reader.ts'
import { createAggregator } from '../../../../ingest/prices/aggregator.ts'
import type { Whom } from './hostile-pages.ts'

const honestText = 'an honest post'

const { whom, url, count } = JSON.parse(process.argv[2] ?? '') as Readonly<{ whom: Whom; url: string; count: number }>
const limitMs = 60_000
const mint = 'So11111111111111111111111111111111111111112'

/** The reader must find the honest post, which comes after the hostile page. */
async function readChat(index: number, signal: AbortSignal): Promise<string> {
  const reader = createPreviewReader({
    ...{ fetchPage: createFetchPage({ baseUrl: `${url}/${index}` }), names: ['channel'], nowMs: Date.now },
    logger: { warn: () => {} } as never,
    times: { pollMs: 50, politeMs: 1, pauseMs: 50, refusedMs: 50, emptyRangeEveryMs: 20 },
  })
  const soFar = { lastPostOf: () => null, hasPost: () => false } as never
  let told = 0
  for await (const { news } of reader.readings(soFar, signal))
    for (const change of news.flatMap(({ changes }) => changes)) {
      if (change.type === 'posted' && change.post.text.includes(honestText))
        return `told of ${told}, then the honest post`
      told += 1
    }
  return 'never came to the honest post'
}

const readers: Readonly<Record<Whom, (index: number, signal: AbortSignal) => Promise<unknown>>> = {
  chats: readChat,
  aggregator: (index, signal) =>
    createAggregator({ url: `${url}/${index}`, chain: 'solana', nowMs: Date.now })({ token: mint } as never, signal),
  'rug check': (index, signal) => createRugCheck({ url: `${url}/${index}` }).check(mint, signal),
  Helius: (index, signal) =>
    openReader({ url: `${url}/${index}`, isHelius: true, triesMax: 1 }).transactionsOf(
      mint,
      { fromSlot: 1, toSlot: 10 },
      signal,
    ),
}

async function endOf(index: number): Promise<string> {
  try {
    const read = await readers[whom](index, AbortSignal.timeout(limitMs))
    return typeof read === 'string' ? read : `read ${JSON.stringify(read).slice(0, 60)}`
  } catch (error) {
    if (isOperationError(error)) return `${error.code}: ${error.message.slice(0, 110)}`
    return `FAULT ${String(error).slice(0, 110)}`
  }
}

const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()
for (let index = 0; index < count; index++) {
  delay.reset()
  const startedAtMs = performance.now()
  const end = await endOf(index)
  const tookMs = Math.round(performance.now() - startedAtMs)
  // Waits, because the monitor records a delay of the event loop only after the delay has ended.
  await sleep(50)
  const took = { index, end, tookMs, heldMs: Math.round(delay.max / 1e6) }
  process.stdout.write(`ENDED ${JSON.stringify(took)}\n`)
}
process.stdout.write('ALL READ\n')

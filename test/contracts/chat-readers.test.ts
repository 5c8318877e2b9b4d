/** Runs the shared tests of chat readers on every reader, each over a local simulation of its platform. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChannelCursors } from '../../ingest/chats/mtproto/cursors.ts'
import { openClient } from '../../ingest/chats/mtproto/open-client.ts'
import { createMtprotoReader } from '../../ingest/chats/mtproto/reader.ts'
import { createFetchPage } from '../../ingest/chats/preview/fetch-page.ts'
import { createPreviewReader } from '../../ingest/chats/preview/reader.ts'
import { type PagePost, pageOf } from '../ingest/chats/preview/page.ts'
import { createChannelDouble } from '../support/mtproto-double/channel.ts'
import { type Answer, startMtprotoServer } from '../support/mtproto-double/server.ts'
import { describeChatReader, type ReaderOverDouble } from './chat-reader-contract.ts'

function collectWarnings() {
  const warnings: string[] = []
  return { warnings, logger: { warn: (_: object | string, text?: string) => void warnings.push(text ?? String(_)) } }
}

async function openPreview(): Promise<ReaderOverDouble> {
  const { warnings, logger } = collectWarnings()
  const posts: PagePost[] = []
  let state = 'up'
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    if (state === 'silent') return
    const before = Number(/before=(\d+)/.exec(request.url ?? '')?.[1] ?? Number.POSITIVE_INFINITY)
    response.writeHead(state === 'down' ? 503 : state === 'hidden' ? 404 : 200)
    response.end(state === 'up' ? pageOf('calls', posts.filter(({ id }) => id < before).slice(-20)) : '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    warnings,
    openReader: async (nowMs) =>
      createPreviewReader({
        ...{ fetchPage: createFetchPage({ baseUrl: `http://127.0.0.1:${port}` }), names: ['calls'], nowMs },
        logger: logger as never,
        times: { pollMs: 10, politeMs: 1, pauseMs: 10, emptyRangeEveryMs: 5, refusedMs: 10 },
      }),
    post: (body) => posts.push({ id: posts.length + 1, body, atSec: posts.length + 1 }),
    edit(post, body) {
      posts[post - 1] = { id: post, body, atSec: post }
    },
    remove: null,
    forgetChanges: () => undefined,
    become(next) {
      state = next
    },
    requestCount: () => requests,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function openAccount(): Promise<ReaderOverDouble> {
  const { warnings, logger } = collectWarnings()
  const channel = createChannelDouble({ id: 4242, name: 'calls' })
  let positions: ChannelCursors = {}
  let state = 'up'
  let posts = 0
  const answer = (call: Parameters<typeof channel.answer>[0]): Answer => {
    if (call._ === 'updates.getState') return { _: 'updates.state', pts: 1, qts: 1, date: 1, seq: 1 }
    if (state === 'silent') return undefined
    if (state === 'hidden') return { fails: 406, text: 'CHANNEL_PRIVATE' }
    return channel.answer(call) ?? { fails: 400, text: 'METHOD_INVALID' }
  }
  const server = await startMtprotoServer(answer)
  return {
    warnings,
    async openReader(nowMs) {
      const client = await openClient({ apiId: 1, apiHash: 'a hash' }, server.session())
      const reader = createMtprotoReader({
        ...{ client, channels: ['@calls'], nowMs, logger: logger as never },
        positions: {
          read: async () => positions,
          write: async (next) => {
            positions = next
          },
        },
        times: { pollMs: 10, againMs: 1, pauseMs: 20, callMs: 200, emptyRangeEveryMs: 5, refusedMs: 20 },
      })
      return {
        ...reader,
        async *readings(soFar, signal) {
          try {
            yield* reader.readings(soFar, signal)
          } finally {
            await client.destroy()
          }
        },
      }
    },
    post: (text) => channel.post(text, ++posts),
    edit: (post, text) => channel.edit(post, text, ++posts),
    remove: (post) => channel.remove(post),
    forgetChanges: () => channel.forgetUpdates(),
    become(next) {
      state = next
      server.refuse(next === 'down')
      if (next === 'down') server.drop()
    },
    requestCount: () => server.calls.length,
    close: () => server.stop(),
  }
}

describeChatReader({ name: 'public pages', open: openPreview, postsBackMax: 100 })
describeChatReader({ name: 'an account', open: openAccount, postsBackMax: 1_000 })

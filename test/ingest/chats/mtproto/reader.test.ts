/**
 * Tests the library's own client on a local simulation of the platform's server, see
 * `test/support/mtproto-double`.
 */
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { ChannelCursors } from '../../../../ingest/chats/mtproto/cursors.ts'
import { openClient } from '../../../../ingest/chats/mtproto/open-client.ts'
import { createMtprotoReader } from '../../../../ingest/chats/mtproto/reader.ts'
import type { Times } from '../../../../ingest/chats/mtproto/times.ts'
import type { ChatReader } from '../../../../ingest/chats/reader.ts'
import { type ChannelDouble, createChannelDouble } from '../../../support/mtproto-double/channel.ts'
import { type Answer, type MtprotoServer, startMtprotoServer } from '../../../support/mtproto-double/server.ts'
import type { TlObject } from '../../../support/mtproto-double/tl.ts'
import { emptyLog, type FollowedLog, type Following, follow, toldBy } from '../follow.ts'

const chat = '-1004242'
const state: TlObject = { _: 'updates.state', pts: 1, qts: 1, date: 1, seq: 1 }
const quick: Partial<Times> = {
  pollMs: 60_000,
  againMs: 1,
  pauseMs: 20,
  callMs: 20_000,
  emptyRangeEveryMs: 5,
  refusedMs: 20,
}

describe('following a channel with an account', () => {
  let server: MtprotoServer
  let channel: ChannelDouble
  let positions: ChannelCursors
  let log: FollowedLog
  let following: Following | null
  let warnings: string[]
  let skewMs: number
  /** Answers a call in place of the channel. If the answer is undefined, the channel answers. */
  let instead: (call: TlObject) => Answer

  beforeEach(async () => {
    channel = createChannelDouble({ id: 4242, name: 'calls' })
    instead = () => undefined
    positions = {}
    log = emptyLog()
    following = null
    warnings = []
    skewMs = 0
    server = await startMtprotoServer((call) => {
      if (call._ === 'updates.getState') return state
      return instead(call) ?? channel.answer(call) ?? { fails: 400, text: 'METHOD_INVALID' }
    })
  })
  afterEach(async () => {
    await following?.stop()
    await server.stop()
  })

  const nowMs = () => Date.now() + skewMs
  const start = (times: Partial<Times> = {}, channels: readonly string[] = ['@calls']): Following => {
    const openReader = async (): Promise<ChatReader> => {
      const client = await openClient({ apiId: 1, apiHash: 'a hash' }, server.session())
      const file = {
        read: async () => positions,
        write: async (next: ChannelCursors) => {
          positions = next
        },
      }
      const logger = { warn: (_: object | string, text?: string) => void warnings.push(text ?? String(_)) }
      const reader = createMtprotoReader({
        ...{ client, channels, positions: file, nowMs, logger: logger as never },
        times: { ...quick, ...times },
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
    }
    following = follow(log, openReader, { nowMs })
    return following
  }
  const push = () =>
    server.push({
      _: 'updateShort',
      update: { _: 'updateChannelTooLong', channelId: 4242 },
      date: 1,
    })
  const factCount = (count: number) => () => log.facts.length >= count
  /** Returns whether the reader has read all old posts and now follows new ones. */
  const isFollowed = () => positions['@calls'] !== undefined && log.ranges >= 3
  const callsOf = (name: string) => server.calls.filter((call) => call._ === name)

  it('begins with what is posted from now on, and tells of posts, edits and deletions in order', async () => {
    channel.post('long ago', 100)
    const { until } = start()
    await until(isFollowed)
    const first = channel.post('0x6e04259a93457d47ce20dafa50ec7a2ea49f5eb2', 1_000)
    push()
    await until(factCount(1))
    channel.edit(first, 'edited', 1_010)
    const second = channel.post('a card', 1_011, { _: 'peerUser', userId: 500 })
    push()
    await until(factCount(3))
    channel.remove(first)
    push()
    await until(factCount(4))
    const posted = {
      ...{ chat, chatName: 'calls', poster: chat, posterName: null, postedAtMs: 1_000_000, post: first },
      ...{ entities: [], buttons: [], replyTo: null, origin: null, isLate: false },
    }
    expect(toldBy(log)).to.deep.equal([
      { type: 'PostSeen', ...posted, text: '0x6e04259a93457d47ce20dafa50ec7a2ea49f5eb2' },
      {
        ...{ type: 'PostSeen', ...posted, text: 'a card', post: second },
        ...{ poster: '500', posterName: 'card_bot', postedAtMs: 1_011_000 },
      },
      { type: 'PostEdited', editedAtMs: 1_010_000, ...posted, text: 'edited' },
      { type: 'PostsDeleted', chat, posts: [first] },
    ])
  })

  it('tells nothing of an answer with a time ahead of our clock, and asks from where it stood', async () => {
    channel.post('long ago', 100)
    const { until } = start({ pollMs: 5 })
    await until(isFollowed)
    const nowSec = () => Math.floor(nowMs() / 1000)
    channel.post('before', nowSec())
    const early = channel.post('of a day to come', nowSec() + 86_400)
    push()
    await until(() => warnings.length > 0)
    expect(log.facts).to.deep.equal([])
    skewMs = 86_400_000
    await until(factCount(3))
    expect(toldBy(log).flatMap((fact) => ('post' in fact ? [fact.post] : []))).to.deep.equal([early - 1, early])
  })

  it('asks until nothing is left where more happened than one answer holds', async () => {
    const { until } = start()
    await until(isFollowed)
    for (let number = 1; number <= 250; number++) channel.post(`post ${number}`, number)
    push()
    await until(factCount(250))
    expect(log.facts.map(({ fact }) => fact.type === 'PostSeen' && fact.data.post)).to.deep.equal(
      Array.from({ length: 250 }, (_, index) => index + 1),
    )
  })

  it('finds what no push told of, at the next poll', async () => {
    const { until } = start({ pollMs: 10 })
    await until(isFollowed)
    channel.post('unannounced', 1)
    await until(factCount(1))
    expect(toldBy(log)[0]).to.include({ type: 'PostSeen', text: 'unannounced' })
  })

  it('goes on behind what is in the log after a restart: edits and deletions too, nothing twice', async () => {
    const first = start()
    await first.until(isFollowed)
    const kept = channel.post('kept', 1)
    const gone = channel.post('gone', 2)
    push()
    await first.until(factCount(2))
    await first.stop()
    channel.edit(kept, 'kept, edited', 3)
    channel.remove(gone)
    channel.post('meanwhile', 4)
    const { until } = start()
    await until(factCount(5))
    expect(toldBy(log).map((fact) => [fact.type, 'text' in fact ? fact.text : null])).to.deep.equal([
      ['PostSeen', 'kept'],
      ['PostSeen', 'gone'],
      ['PostSeen', 'meanwhile'],
      ['PostEdited', 'kept, edited'],
      ['PostsDeleted', null],
    ])
  })

  it('reads the posts again from the log on when the position is lost, as late posts behind a gap', async () => {
    const first = start()
    await first.until(isFollowed)
    channel.post('known', 1)
    push()
    await first.until(factCount(1))
    await first.stop()
    positions = {}
    channel.post('missed', 2)
    const { until } = start()
    await until(factCount(3))
    expect(toldBy(log).slice(1)).to.have.nested.property('[0].reason', 'too_long')
    expect(toldBy(log)[2]).to.include({ type: 'PostSeen', text: 'missed', isLate: true })
  })

  it('tells of a gap where the platform no longer tells all, and reads again what still stands, page by page', async () => {
    const { until } = start()
    await until(isFollowed)
    channel.post('known', 1)
    push()
    await until(factCount(1))
    for (let number = 2; number <= 131; number++) channel.post(`post ${number}`, number)
    channel.remove(50)
    channel.forgetUpdates()
    push()
    await until(factCount(131))
    const told = toldBy(log)
    expect(told[1]).to.include({ type: 'ChatGapFound', chat, reason: 'too_long' })
    expect(told.slice(2).every((fact) => 'isLate' in fact && fact.isLate)).to.equal(true)
    expect(callsOf('messages.getHistory').length).to.equal(2)
    channel.post('the next', 200)
    push()
    await until(factCount(132))
    expect(toldBy(log)[131]).to.include({ text: 'the next', isLate: false })
  })

  it('asks nothing while the platform asks to wait, and stands still meanwhile', async () => {
    let floodAtMs: number | null = null
    const { until } = start()
    await until(isFollowed)
    instead = (call) => {
      if (call._ !== 'updates.getChannelDifference') return undefined
      instead = () => undefined
      floodAtMs = Date.now()
      return { fails: 420, text: 'FLOOD_WAIT_1' }
    }
    channel.post('flooded', 1)
    push()
    await until(() => warnings.length > 0)
    const [atMs, callCount] = [log.cursor?.atMs, server.calls.length]
    push()
    await setTimeout(200)
    expect([log.cursor?.atMs, server.calls.length]).to.deep.equal([atMs, callCount])
    await until(factCount(1))
    expect(Date.now() - (floodAtMs ?? 0)).to.be.at.least(1_000)
    expect(toldBy(log)[0]).to.include({ text: 'flooded', isLate: false })
  })

  it('stands still while the platform cannot be reached, then tells of the gap and marks what was missed', async () => {
    const { until } = start({ callMs: 1_000 })
    await until(isFollowed)
    server.refuse(true)
    server.drop()
    channel.post('missed', 1)
    await until(() => warnings.length > 0)
    const lastAtMs = log.cursor?.atMs
    skewMs += 3_600_000
    await setTimeout(100)
    expect(log.cursor?.atMs).to.equal(lastAtMs)
    server.refuse(false)
    await until(factCount(2))
    const gap = log.facts[0]?.fact
    expect(gap?.type === 'ChatGapFound' && [gap.data.reason, gap.data.fromAtMs]).to.deep.equal(['offline', lastAtMs])
    expect(toldBy(log)[1]).to.include({ type: 'PostSeen', text: 'missed', isLate: true })
  })

  it('goes on without a channel that is not shown, and tells of the gap when it is again', async () => {
    let isRefused = false
    instead = (call) =>
      isRefused && call._ === 'updates.getChannelDifference' ? { fails: 406, text: 'CHANNEL_PRIVATE' } : undefined
    const { until } = start()
    await until(isFollowed)
    isRefused = true
    push()
    await until(() => warnings.length > 0)
    skewMs += 120_000
    await until(() => (log.cursor?.atMs ?? 0) >= Date.now() + 110_000)
    isRefused = false
    channel.post('back', 1)
    await until(factCount(3))
    for (const part of toldBy(log).slice(0, 2)) expect(part).to.include({ type: 'ChatGapFound', reason: 'refused' })
    expect(toldBy(log)[2]).to.include({ text: 'back', isLate: true })
  })

  it('warns of a private channel without its number', async () => {
    instead = (call) => (call._ === 'messages.getDialogs' ? { fails: 400, text: 'OFFSET_PEER_ID_INVALID' } : undefined)
    const { until } = start({}, ['@calls', '-1007777777'])
    await until(() => warnings.length > 0)
    expect(warnings[0]).to.match(/^this account cannot read chat 2 of CHAT_CHANNELS/)
    expect(warnings.join()).not.to.contain('7777')
  })

  it('fails with what to do when the session was closed elsewhere', async () => {
    instead = (call) =>
      call._ === 'contacts.resolveUsername' ? { fails: 401, text: 'AUTH_KEY_UNREGISTERED' } : undefined
    const failure = await start()
      .until(() => false)
      .catch((error: unknown) => error)
    expect(failure).to.have.property('code', 'node_refused')
    expect(failure)
      .to.have.property('message')
      .that.matches(/Sign in with "launch-data ingest chat --login"/)
  })
})

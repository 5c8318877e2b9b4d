import type { tl } from '@mtcute/node'
import { expect } from 'chai'
import { changesOf } from '../../../../ingest/chats/mtproto/channel.ts'
import { channelsIn } from '../../../../ingest/chats/mtproto/reader.ts'
import { toPost } from '../../../../ingest/chats/mtproto/to-post.ts'

const place = { chat: '-1004242', chatName: 'calls' }
const message = (more: Partial<tl.RawMessage> = {}): tl.RawMessage => ({
  ...{
    _: 'message',
    id: 5,
    date: 1_700,
    message: 'gm https://dex.example/x',
    peerId: { _: 'peerChannel', channelId: 4242 },
  },
  ...more,
})
const users = [
  { _: 'user', id: 500, bot: true, username: 'card_bot', firstName: 'Cards' },
  { _: 'user', id: 501, username: 'a_person', firstName: 'Person' },
] as unknown as readonly tl.TypeUser[]
const read = (more: Partial<tl.RawMessage>) => toPost(message(more), place, users)
const peerUser = (userId: number): tl.TypePeer => ({ _: 'peerUser', userId })

describe('a message as a post', () => {
  const posters: readonly (readonly [
    who: string,
    from: tl.TypePeer | undefined,
    poster: string,
    name: string | null,
  ])[] = [
    ['a channel posts as itself', undefined, '-1004242', null],
    ['a person has a number and no name', peerUser(501), '501', null],
    ['a bot has its name', peerUser(500), '500', 'card_bot'],
    ['somebody of whom nothing is told has no name', peerUser(9), '9', null],
    ['an anonymous administrator is the group', { _: 'peerChannel', channelId: 4242 }, '-1004242', null],
    ['a channel may write in a group', { _: 'peerChannel', channelId: 77 }, '-10077', null],
  ]
  for (const [says, fromId, poster, posterName] of posters)
    it(says, () => expect(read(fromId ? { fromId } : {})).to.include({ poster, posterName }))

  it('of a channel is that of the channel, even where it is signed', () => {
    expect(read({ post: true, fromId: peerUser(501), postAuthor: 'Person' })).to.include({
      ...{ poster: '-1004242', posterName: null },
    })
  })

  it('has links in its text and behind its words, and other marks without one', () => {
    const entities: tl.TypeMessageEntity[] = [
      { _: 'messageEntityBold', offset: 0, length: 2 },
      { _: 'messageEntityUrl', offset: 3, length: 21 },
      { _: 'messageEntityTextUrl', offset: 0, length: 2, url: 'https://pump.example/a' },
    ]
    expect(read({ entities })?.entities).to.deep.equal([
      { offset: 0, length: 2, url: null },
      { offset: 3, length: 21, url: 'https://dex.example/x' },
      { offset: 0, length: 2, url: 'https://pump.example/a' },
    ])
  })

  it('has its buttons with links and what they send back', () => {
    const buttons: tl.TypeKeyboardButton[] = [
      { _: 'keyboardButtonUrl', text: 'Chart', url: 'https://dex.example/x' },
      { _: 'keyboardButtonCallback', text: 'Refresh', data: Buffer.from('refr:1:mint') },
    ]
    const replyMarkup = { _: 'replyInlineMarkup', rows: [{ _: 'keyboardButtonRow', buttons }] } as const
    expect(read({ replyMarkup: replyMarkup as unknown as tl.RawReplyInlineMarkup })?.buttons).to.deep.equal([
      { text: 'Chart', url: 'https://dex.example/x', data: null },
      { text: 'Refresh', url: null, data: 'refr:1:mint' },
    ])
  })

  const replies: readonly (readonly [
    says: string,
    header: Partial<tl.RawMessageReplyHeader>,
    replyTo: number | null,
  ])[] = [
    ['a reply', { replyToMsgId: 3 }, 3],
    ['no reply: a post in a topic', { forumTopic: true, replyToMsgId: 3 }, null],
    ['a reply in a topic', { forumTopic: true, replyToMsgId: 4, replyToTopId: 3 }, 4],
    ['no reply here: the post is of another chat', { replyToMsgId: 3, replyToPeerId: peerUser(1) }, null],
  ]
  for (const [says, header, replyTo] of replies)
    it(`is ${says}`, () => expect(read({ replyTo: { _: 'messageReplyHeader', ...header } })?.replyTo).to.equal(replyTo))

  it('says where it was forwarded from when that is a chat, and names no person', () => {
    const header = { _: 'messageFwdHeader', date: 1_000 } as const
    expect(read({ fwdFrom: { ...header, fromId: { _: 'peerChannel', channelId: 9 } } })?.origin).to.deep.equal({
      ...{ chat: '-1009', postedAtMs: 1_000_000 },
    })
    expect(read({ fwdFrom: { ...header, fromName: 'Person' } })?.origin).to.deep.equal({
      ...{ chat: null, postedAtMs: 1_000_000 },
    })
  })

  it('is none of a note of the platform', () => {
    expect(toPost({ _: 'messageEmpty', id: 1 }, place, users)).to.equal(null)
  })
})

describe('the changes of a channel', () => {
  const edit = (pts: number, text: string): tl.TypeUpdate => ({
    ...{ _: 'updateEditChannelMessage', message: message({ message: text, editDate: 1_800 }), pts, ptsCount: 1 },
  })
  const removal: tl.TypeUpdate = {
    _: 'updateDeleteChannelMessages',
    channelId: 4242,
    messages: [5],
    pts: 9,
    ptsCount: 1,
  }

  it('are posts by number, then edits and deletions as the platform numbered them, in whatever order they come', () => {
    const newMessages = [message({ id: 7 }), message({ id: 6 }), { _: 'messageEmpty', id: 8 } as const]
    for (const otherUpdates of [
      [removal, edit(8, 'b'), edit(7, 'a')],
      [edit(7, 'a'), removal, edit(8, 'b')],
    ])
      expect(
        changesOf({ newMessages, otherUpdates, users: [] }, place).map((change) =>
          change.type === 'deleted' ? 'deleted' : `${change.type} ${change.post.post} ${change.versionAtMs / 1000}`,
        ),
      ).to.deep.equal(['posted 6 1700', 'posted 7 1700', 'edited 5 1800', 'edited 5 1800', 'deleted'])
  })
})

describe('a push', () => {
  const pushes: readonly (readonly [says: string, updates: object, woken: readonly number[] | 'all'])[] = [
    ['that says too much happened wakes all', { _: 'updatesTooLong' }, 'all'],
    [
      'of a post wakes its channel',
      { _: 'updates', updates: [{ _: 'updateNewChannelMessage', message: message() }] },
      [4242],
    ],
    [
      'of a deletion wakes its channel',
      { _: 'updateShort', update: { _: 'updateDeleteChannelMessages', channelId: 7 } },
      [7],
    ],
    ['about a person wakes none', { _: 'updateShort', update: { _: 'updateUserStatus', userId: 1 } }, []],
    ['of a message to the account wakes none', { _: 'updateShortMessage', id: 1, userId: 1 }, []],
  ]
  for (const [says, updates, woken] of pushes)
    it(says, () => expect(channelsIn(updates as tl.TypeUpdates)).to.deep.equal(woken))
})

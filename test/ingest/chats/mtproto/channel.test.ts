import { Long } from '@mtcute/node'
import { expect } from 'chai'
import { findChannel, NoSuchChat, readAgain, readDifference } from '../../../../ingest/chats/mtproto/channel.ts'

type Call = Parameters<typeof findChannel>[0]
type Asked = Readonly<{ _: string; offsetDate?: number; offsetId?: number; offsetPeer?: object; username?: string }>

const channel = (id: number, fields: object = {}) => ({
  ...{ _: 'channel', id, accessHash: 1, title: 'a channel', username: `name_${id}`, ...fields },
})
/**
 * Returns a page of the account's list of chats. It has one chat and the last message, from which the next
 * page begins.
 */
const page = (id: number, last: object | null) => ({
  ...{ _: 'messages.dialogsSlice', chats: [channel(id)], messages: last === null ? [] : [last] },
})
const message = (id: number, date: number) => ({ _: 'message', id, date })

describe('the channel that is configured by its number', () => {
  let asked: Asked[]
  beforeEach(() => {
    asked = []
  })

  /** Returns a call that answers with these pages, one after another. */
  const calling = (pages: readonly object[]): Call => {
    const left = [...pages]
    return (async (question: Asked) => {
      asked.push(question)
      return left.shift() ?? expect.fail('there is no further page')
    }) as unknown as Call
  }
  const found = async (pages: readonly object[], configured: string) => {
    const { place } = await findChannel(calling(pages), configured)
    return place
  }
  const pagesAsked = () => asked.map(({ offsetDate, offsetId, offsetPeer }) => [offsetDate, offsetId, offsetPeer])
  const nobody = { _: 'inputPeerEmpty' }

  it('is found on a later page of the list, which the last message before it selects', async () => {
    const pages = [page(1, message(70, 700)), page(2, message(60, 600)), page(3, null)]
    for (const configured of ['3', '-1003'])
      expect(await found(pages, configured)).to.deep.equal({ chat: '-1003', chatName: 'name_3' })
    expect(pagesAsked().slice(0, 3)).to.deep.equal([
      [0, 0, nobody],
      [700, 70, nobody],
      [600, 60, nobody],
    ])
  })

  for (const [what, last] of [
    ['is whole', { ...page(1, message(70, 700)), _: 'messages.dialogs' }],
    ['has no message', page(1, null)],
    ['has a message without a date', page(1, { _: 'messageEmpty', id: 70 })],
    ['has not changed', { _: 'messages.dialogsNotModified', count: 1 }],
  ] as const)
    it(`is looked for no further if the list ${what}`, async () => {
      const failure = await findChannel(calling([last]), '-1003').catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(NoSuchChat)
      expect(asked).to.have.lengthOf(1)
    })

  it('is looked for on twenty pages at most', async () => {
    const pages = Array.from({ length: 21 }, (_, index) => page(index, message(1000 - index, 1000 - index)))
    const failure = await findChannel(calling(pages), '-100777').catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(NoSuchChat)
    expect(asked).to.have.lengthOf(20)
  })

  it('is none that the account is not in, and no chat of another kind', async () => {
    for (const chat of [channel(3, { accessHash: undefined }), { _: 'chat', id: 3, title: 'a group' }]) {
      const pages = [{ _: 'messages.dialogs', chats: [chat], messages: [] }]
      const failure = await findChannel(calling(pages), '-1003').catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(NoSuchChat)
    }
  })
})

describe('the name of a channel in what is read', () => {
  const known = {
    place: { chat: '-1003', chatName: 'name_3' },
    input: { _: 'inputChannel', channelId: 3, accessHash: Long.fromNumber(1) },
  } as const
  const posts = [{ _: 'message', id: 8, date: 8, post: true, message: 'a post', peerId: {} }]
  const priv = channel(3, { username: undefined })
  const difference = (chats: readonly object[]) => ({
    ...{ _: 'updates.channelDifference', pts: 2, final: true, newMessages: posts, otherUpdates: [], chats, users: [] },
  })
  const history = (chats: readonly object[]) => ({ _: 'messages.channelMessages', messages: posts, chats, users: [] })
  const tooLong = { _: 'updates.channelDifferenceTooLong', dialog: { _: 'dialog', pts: 9 }, messages: [], users: [] }
  /** Returns the names in the posts, and then the name to remember. */
  const namesIn = async (answers: readonly object[], { isFromStart = false, lastPost = 7 } = {}) => {
    const left = [...answers]
    const call = (async () => left.shift() ?? expect.fail('there is no further answer')) as unknown as Call
    const { news, place } = isFromStart
      ? await readAgain(call, known, { pts: 9, lastPost })
      : await readDifference(call, known, { pts: 1, lastPost })
    return [...news.changes.map((change) => 'post' in change && change.post.chatName), place.chatName]
  }

  const another = channel(4)
  for (const [what, chats, name] of [
    ['is none once the channel is private', [another, priv], null],
    ['is the new one', [another, channel(3, { username: 'new_name' })], 'new_name'],
    ['stays if the answer does not show the channel', [another], 'name_3'],
    ['stays if the answer shows only that the account may not read it', [{ _: 'channelForbidden', id: 3 }], 'name_3'],
  ] as const)
    it(what, async () => {
      expect(await namesIn([difference(chats)])).to.deep.equal([name, name])
      expect(await namesIn([history(chats)], { isFromStart: true })).to.deep.equal([name, name])
    })

  it('comes with the posts if the platform no longer tells all, and else with this answer', async () => {
    expect(await namesIn([{ ...tooLong, chats: [priv] }, history([])])).to.deep.equal([null, null])
    expect(await namesIn([{ ...tooLong, chats: [] }, history([priv])])).to.deep.equal([null, null])
  })

  it('stays if nothing has changed', async () => {
    expect(await namesIn([{ _: 'updates.channelDifferenceEmpty', pts: 1, final: true }])).to.deep.equal(['name_3'])
  })
})

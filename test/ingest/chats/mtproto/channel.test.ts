import { expect } from 'chai'
import { findChannel, NoSuchChat } from '../../../../ingest/chats/mtproto/channel.ts'

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

import { expect } from 'chai'
import { chatsCut } from '../../support/calls/fixed-queries.ts'
import { bodyOf } from '../edge.ts'
import { callsEdgeOfTests } from './edge.ts'

describe('the health of the chats', () => {
  const { edge, rows, setChats } = callsEdgeOfTests()
  const chatsHealth = async () => (await bodyOf(edge.get('/v1/health'))).chains.chats
  let cutMs = Math.floor(chatsCut.atMs / 60_000) * 60_000
  /**
   * Moves the data time of the chats forward, by default one minute. The service caches the counts for one
   * minute.
   */
  const atNextCut = (laterMs = 60_000) => {
    cutMs += laterMs
    setChats({ ...chatsCut, atMs: cutMs })
  }

  it('tells which share of the posts of scanner bots could not be read, as a whole and of each bot', async () => {
    atNextCut()
    expect(await chatsHealth()).to.deep.include({
      cards: {
        ...{ posts: 8, unread: 3, unreadShare: 0.375 },
        bots: [
          { bot: 'phanes', posts: 6, unread: 3, unreadShare: 0.5 },
          { bot: 'rick', posts: 2, unread: 0, unreadShare: 0 },
        ],
      },
    })
  })

  it('tells no share where no bot posted', async () => {
    atNextCut()
    rows.botCards = []
    expect(await chatsHealth()).to.deep.include({ cards: { posts: 0, unread: 0, unreadShare: null, bots: [] } })
  })

  it('asks the tables once a minute', async () => {
    atNextCut()
    await chatsHealth()
    rows.botCards = []
    atNextCut(59_999)
    expect(await chatsHealth()).to.have.nested.property('cards.posts', 8)
    atNextCut(1)
    expect(await chatsHealth()).to.have.nested.property('cards.posts', 0)
  })

  it('is told without the cards where they cannot be counted, and alone has them', async () => {
    atNextCut()
    Object.defineProperty(rows, 'botCards', {
      get: () => {
        throw new RangeError('no tables')
      },
      configurable: true,
    })
    const { chains } = await bodyOf(edge.get('/v1/health'))
    Object.defineProperty(rows, 'botCards', { value: [], writable: true, configurable: true, enumerable: true })
    expect(chains.chats).to.have.property('status')
    for (const health of Object.values(chains)) expect(health).to.not.have.property('cards')
  })
})

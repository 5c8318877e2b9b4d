/** Checks the account with the library's own client on a local simulation of the platform's server. */
import { expect } from 'chai'
import { checkAccount } from '../../../../ingest/chats/mtproto/check-account.ts'
import { type Answer, type MtprotoServer, startMtprotoServer } from '../../../support/mtproto-double/server.ts'
import type { TlObject } from '../../../support/mtproto-double/tl.ts'

const signIn = 'sign in with "launch-data ingest chat --login"'
const correct = 'correct CHAT_CHANNELS, or join the chat with the account'

describe('the check of the chat account', () => {
  let server: MtprotoServer
  let answer: (call: TlObject) => Answer
  beforeEach(async () => {
    answer = ({ _: name }) =>
      name === 'updates.getState'
        ? { _: 'updates.state', pts: 1, qts: 0, date: 1, seq: 1, unreadCount: 0 }
        : { fails: 400, text: 'USERNAME_NOT_OCCUPIED' }
    server = await startMtprotoServer((call) => answer(call))
  })
  afterEach(() => server.stop())

  const check = async (channels: readonly string[], session = server.session()) =>
    await checkAccount({ account: { apiId: 1, apiHash: 'a hash' }, session, channels })
  const calls = () => server.calls.map(({ _: name }) => name)

  it('sees that the session is signed in', async () => {
    expect(await check([])).to.deep.equal([
      { name: 'chats', state: 'ok', says: 'the session is signed in', toDo: null },
    ])
    expect(new Set(calls())).to.deep.equal(new Set(['updates.getState']))
  })

  it('sees each chat that the account cannot read', async () => {
    expect(await check(['@one', '@two'])).to.deep.equal([
      { name: 'chats', state: 'ok', says: 'the session is signed in', toDo: null },
      { name: 'chats', state: 'wrong', says: '@one: USERNAME_NOT_OCCUPIED', toDo: correct },
      { name: 'chats', state: 'wrong', says: '@two: USERNAME_NOT_OCCUPIED', toDo: correct },
    ])
  })

  it('sees a pause that the platform asks for, and does not wait for it', async () => {
    const stateOf = answer
    answer = (call) => (call._ === 'updates.getState' ? stateOf(call) : { fails: 420, text: 'FLOOD_WAIT_77' })
    expect((await check(['@one']))[1]?.says).to.equal('@one: the platform asks for a pause of 77 s')
    expect(calls().filter((name) => name === 'contacts.resolveUsername')).to.have.lengthOf(1)
  })

  it('sees a position that the platform does not accept', async () => {
    const stateOf = answer
    answer = (call) =>
      call._ === 'updates.getState' ? stateOf(call) : { fails: 400, text: 'PERSISTENT_TIMESTAMP_INVALID' }
    expect((await check(['@one']))[1]?.says).to.equal('@one: the platform does not accept the position to read from')
  })

  it('sees that the session is signed out, and checks no chat then', async () => {
    answer = () => ({ fails: 401, text: 'AUTH_KEY_UNREGISTERED' })
    const [first, ...others] = await check(['@one'])
    expect(others).to.deep.equal([])
    expect(first).to.include({ name: 'chats', state: 'wrong', toDo: signIn })
    expect(first?.says).to.contain('AUTH_KEY_UNREGISTERED')
    expect(new Set(calls())).to.deep.equal(new Set(['updates.getState']))
  })

  it('sees that the session is none', async () => {
    const checks = await check(['@one'], 'no session')
    expect(checks.map(({ state, toDo }) => [state, toDo])).to.deep.equal([['wrong', signIn]])
    expect(checks[0]?.says).to.contain('the session file contains no session')
    expect(calls()).to.deep.equal([])
  })
})

/** Signs in with the library's own client on a local simulation of the platform's server. */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { signIn } from '../../../../ingest/chats/mtproto/login.ts'
import { readSession } from '../../../../ingest/chats/mtproto/session.ts'
import { type Answer, type MtprotoServer, startMtprotoServer } from '../../../support/mtproto-double/server.ts'
import type { TlObject } from '../../../support/mtproto-double/tl.ts'

const user: TlObject = {
  _: 'user',
  self: true,
  id: 77,
  accessHash: 1n,
  username: 'follower',
  firstName: 'F',
  phone: '1',
}
const sentCode: TlObject = {
  ...{ _: 'auth.sentCode', phoneCodeHash: 'hash' },
  type: { _: 'auth.sentCodeTypeApp', length: 5 },
}

describe('signing in', () => {
  let server: MtprotoServer
  let dataDir: string
  let said: string[]
  let answer: (call: TlObject) => Answer
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'chats-'))
    said = []
    answer = ({ _: name, phoneCode }) => {
      if (name === 'auth.sendCode') return sentCode
      if (name === 'auth.signIn')
        return phoneCode === '12345' ? { _: 'auth.authorization', user } : { fails: 400, text: 'PHONE_CODE_INVALID' }
      if (name === 'users.getUsers') return { fails: 401, text: 'AUTH_KEY_UNREGISTERED' }
      return { fails: 400, text: 'METHOD_INVALID' }
    }
    server = await startMtprotoServer((call) => answer(call))
  })
  afterEach(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true })
  })

  const login = (codes: string[]) =>
    signIn({
      ...{ account: { apiId: 1, apiHash: 'a hash' }, dataDir, session: server.session(false) },
      signal: new AbortController().signal,
      prompts: {
        ask: async (question) =>
          question.startsWith('Phone') ? '+491701234567' : (codes.shift() ?? expect.fail('asked again')),
        askSecret: () => expect.fail('no password is set'),
        say: (text) => void said.push(text),
      },
    })

  it('asks again after a wrong code, and keeps a session that only its owner may read', async () => {
    await login(['00000', '12345'])
    expect(said.join('\n')).to.match(/That was not the code.*Signed in as @follower/s)
    expect(await readSession(dataDir)).to.be.a('string')
    expect((await stat(join(dataDir, 'chats', 'session'))).mode & 0o777).to.equal(0o600)
    expect(said.join('\n')).to.not.include((await readSession(dataDir)) ?? '')
  })

  const failures: readonly (readonly [text: string, says: RegExp])[] = [
    ['API_ID_INVALID', /CHAT_API_ID and CHAT_API_HASH do not belong together/],
    ['PHONE_NUMBER_INVALID', /begins with \+ and the country code/],
    ['FLOOD_WAIT_3600', /asks for a pause\. Try again in 3600 s/],
    ['SOMETHING_NEW', /signing in failed: SOMETHING_NEW/],
  ]
  for (const [text, says] of failures)
    it(`says what to do about ${text}, and keeps nothing`, async () => {
      const signedOut = answer
      answer = (call) =>
        call._ === 'auth.sendCode' ? { fails: text.startsWith('FLOOD') ? 420 : 400, text } : signedOut(call)
      const failure = await login([]).catch((error: unknown) => error)
      expect(failure).to.have.property('code', 'node_refused')
      expect(failure).to.have.property('message').that.matches(says)
      expect(await readSession(dataDir)).to.equal(null)
    })
})

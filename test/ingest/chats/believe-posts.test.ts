import { expect } from 'chai'
import { isOperationError } from '../../../infra/errors.ts'
import { clockErrorMsMax } from '../../../ingest/believable-time.ts'
import { believePosts, isFarAhead } from '../../../ingest/chats/believe-posts.ts'
import type { ChatChange } from '../../../ingest/chats/reader.ts'

const nowMs = 1_800_000_000_000

type Times = Readonly<{ postedAtMs?: number; versionAtMs?: number; originAtMs?: number }>

/** Returns a new post. All its times are 0, so in the past, except for the given times. */
const changeOf = ({ postedAtMs = 0, versionAtMs = 0, originAtMs }: Times): ChatChange => {
  const origin = originAtMs === undefined ? null : { chat: 'b', postedAtMs: originAtMs }
  return { type: 'posted', versionAtMs, post: { post: 17, chat: 'a private chat', postedAtMs, origin } } as ChatChange
}
const failureOf = (changes: readonly ChatChange[]): unknown => {
  try {
    believePosts(changes, nowMs)
    return null
  } catch (error) {
    return error
  }
}

describe('the times of posts', () => {
  it('are believed up to the error that clocks may have', () => {
    for (const name of ['postedAtMs', 'versionAtMs', 'originAtMs'] as const) {
      expect(failureOf([changeOf({ [name]: nowMs + clockErrorMsMax })]), name).to.equal(null)
      const failure = failureOf([changeOf({}), changeOf({ [name]: nowMs + clockErrorMsMax + 1 })])
      expect(isOperationError(failure, 'provider_failed'), name).to.equal(true)
      expect(String(failure)).to.contain('post 17').and.not.contain('private')
    }
  })

  it('are not looked for in deletions', () => {
    expect(failureOf([{ type: 'deleted', posts: [1] }, changeOf({})])).to.equal(null)
  })
})

describe('the number of a post', () => {
  it('is too far ahead more than a thousand posts after the last one', () => {
    expect([isFarAhead(1_005, 5), isFarAhead(1_006, 5)]).to.deep.equal([false, true])
  })
})

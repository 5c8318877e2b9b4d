import { expect } from 'chai'
import { takeMention } from '../../../processors/desk/calls.ts'
import type { Mentioned } from '../../../schemas/calls/facts.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { deskRules } from '../../../schemas/desk/rules.ts'
import { buildMention } from '../../support/builders/build-mentions.ts'

const rules = { ...deskRules, watchMs: callRules.watchMs, chatsMax: 3 }

const take = (...mentions: readonly Partial<Mentioned>[]) => {
  let watch: Parameters<typeof takeMention>[0] = null
  return mentions.map((fields) => {
    const taken = takeMention(watch, buildMention(fields).data, rules)
    watch = taken?.watch ?? watch
    return taken?.signal ?? null
  })
}

describe('calls as signals', () => {
  it('are signals when the mention was written, or at the post’s time if the clock of ingest is behind', () => {
    expect(take({ postedAtMs: 1000, seenAtMs: 2500, answeredAtMs: 9500 })).to.deep.equal([{ atMs: 9500, chats: 1 }])
    expect(take({ postedAtMs: 1000, seenAtMs: 2500 })).to.deep.equal([{ atMs: 2500, chats: 1 }])
    expect(take({ postedAtMs: 3000, seenAtMs: 2500 })).to.deep.equal([{ atMs: 3000, chats: 1 }])
  })

  const { knownWithinMs } = deskRules
  for (const [name, fields] of [
    ['a recall', { kind: 'recall' }],
    ['a brag', { kind: 'brag' }],
    ['read after a gap', { isLate: true }],
    ['of an address without a contract', { hasCode: false }],
    ['had in time and written too late', { postedAtMs: 1000, seenAtMs: 1001, answeredAtMs: 1001 + knownWithinMs }],
    ['had too late', { postedAtMs: 1000, seenAtMs: 1001 + knownWithinMs }],
  ] as const)
    it(`are none if ${name}`, () => expect(take(fields)).to.deep.equal([null]))
  it('are signals when had just in time', () =>
    expect(take({ postedAtMs: 1000, seenAtMs: 1000 + knownWithinMs })[0]).not.to.equal(null))

  it('count chats once, within half an hour of the first, as many as lanes ask for', () => {
    const at = (chat: string, atMs: number) => ({ chat, postedAtMs: atMs, seenAtMs: atMs })
    const late = 1 + deskRules.callWindowMs
    expect(
      take(at('x', 1), at('x', 2), at('y', 3), at('z', 4), at('w', 5)).map((one) => one?.chats ?? null),
    ).to.deep.equal([1, null, 2, 3, null])
    expect(take(at('x', 1), at('y', late))[1]).to.deep.equal({ atMs: late, chats: 2 })
    expect(take(at('x', 1), at('y', late + 1))[1]).to.equal(null)
  })

  it('begin again after 48 hours', () => {
    const at = (atMs: number) => ({ postedAtMs: atMs, seenAtMs: atMs })
    expect(take(at(1), at(callRules.watchMs))[1]).to.equal(null)
    expect(take(at(1), at(1 + callRules.watchMs))[1]).to.deep.equal({ atMs: 1 + callRules.watchMs, chats: 1 })
  })
})

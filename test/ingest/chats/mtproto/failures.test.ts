import { tl } from '@mtcute/node'
import { expect } from 'chai'
import { isOperationError, OperationError } from '../../../../infra/errors.ts'
import { NoSuchChat } from '../../../../ingest/chats/mtproto/channel.ts'
import { type Meaning, meaningOf, noAnswer } from '../../../../ingest/chats/mtproto/failures.ts'
import { channelsIn } from '../../../../ingest/chats/mtproto/reader.ts'

const rpcError = (code: number, text: string, fields: object = {}): Error =>
  Object.assign(new tl.RpcError(code, text), fields)

describe('the meaning of a failed call', () => {
  const cases: readonly (readonly [says: string, error: Error, meaning: Meaning])[] = [
    ['of a chat that does not exist', new NoSuchChat(), { type: 'refused', text: 'there is no such channel or group' }],
    ['of wrong times', new OperationError('provider_failed', 'too late'), { type: 'failed', text: 'too late' }],
    ['of a pause in the text', rpcError(420, 'FLOOD_WAIT_30'), { type: 'wait', waitMs: 30_000 }],
    ['of a pause beside the text', rpcError(420, 'FLOOD_WAIT_%d', { seconds: 7 }), { type: 'wait', waitMs: 7_000 }],
    ['of a flood without a time', rpcError(420, 'FLOOD'), { type: 'failed', text: 'FLOOD' }],
    ['of a text that only looks like a pause', rpcError(400, 'A_WAIT_3'), { type: 'refused', text: 'A_WAIT_3' }],
    ['of a pause in the middle of a text', rpcError(420, 'A_WAIT_3_B'), { type: 'failed', text: 'A_WAIT_3_B' }],
    ['of no answer', noAnswer(), { type: 'unreachable', text: 'the platform did not answer' }],
    ['of a position that is empty', rpcError(400, 'PERSISTENT_TIMESTAMP_EMPTY'), { type: 'lost' }],
    ['of a position that is invalid', rpcError(400, 'PERSISTENT_TIMESTAMP_INVALID'), { type: 'lost' }],
    ['of a position that is outdated', rpcError(500, 'PERSISTENT_TIMESTAMP_OUTDATED'), { type: 'lost' }],
    ['of a bad request', rpcError(400, 'CHANNEL_INVALID'), { type: 'refused', text: 'CHANNEL_INVALID' }],
    ['of a private chat', rpcError(403, 'CHANNEL_PRIVATE'), { type: 'refused', text: 'CHANNEL_PRIVATE' }],
    ['of a chat that is not shown', rpcError(406, 'CHANNEL_PRIVATE'), { type: 'refused', text: 'CHANNEL_PRIVATE' }],
    ['of a fault of the platform', rpcError(500, 'INTERNAL'), { type: 'failed', text: 'INTERNAL' }],
    ['of another data centre', rpcError(303, 'USER_MIGRATE'), { type: 'failed', text: 'USER_MIGRATE' }],
  ]
  for (const [says, error, meaning] of cases)
    it(says, () => {
      expect(meaningOf(error)).to.deep.equal(meaning)
    })

  it('is that nothing can be read if the account is signed out or closed', () => {
    for (const error of [rpcError(401, 'SESSION_REVOKED'), rpcError(403, 'USER_DEACTIVATED_BAN')]) {
      let thrown: unknown
      try {
        meaningOf(error)
      } catch (failure) {
        thrown = failure
      }
      expect(isOperationError(thrown, 'node_refused')).to.equal(true)
      expect(String(thrown))
        .to.contain((error as tl.RpcError).text)
        .and.contain('--login')
    }
  })

  it('is unknown for other errors: they are thrown', () => {
    for (const error of [new RangeError('a bug'), new OperationError('log_unreachable' as never, 'away')])
      expect(() => meaningOf(error)).to.throw(error.message)
  })
})

describe('the channels of a push', () => {
  const message = (peerId: object | null) => ({ _: 'updateNewChannelMessage', message: { _: 'message', peerId } })
  const inChannel = (channelId: number) => message({ _: 'peerChannel', channelId })
  const channelsOf = (updates: object) => channelsIn(updates as Parameters<typeof channelsIn>[0])

  it('are all if the platform has too many changes to name', () => {
    expect(channelsOf({ _: 'updatesTooLong' })).to.equal('all')
  })

  it('are those of its messages, and those that a change names itself', () => {
    const updates = [inChannel(1), { _: 'updateChannelTooLong', channelId: 2 }, inChannel(3)]
    for (const name of ['updates', 'updatesCombined']) expect(channelsOf({ _: name, updates })).to.deep.equal([1, 2, 3])
    expect(channelsOf({ _: 'updateShort', update: inChannel(4) })).to.deep.equal([4])
  })

  it('are none for messages of people, and for other changes', () => {
    const updates = [
      ...[message({ _: 'peerUser', userId: 1 }), message(null), { _: 'updateUserStatus', userId: 1 }],
      ...[
        { _: 'updateOther', message: 'a text' },
        { _: 'updateOther', message: {} },
      ],
      ...[{ _: 'updateOther', channelId: '5' }],
    ]
    expect(channelsOf({ _: 'updates', updates })).to.deep.equal([])
    expect(channelsOf({ _: 'updateShortMessage', id: 1, userId: 2 })).to.deep.equal([])
  })
})

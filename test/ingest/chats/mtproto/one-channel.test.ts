import { expect } from 'chai'
import { endAsking, openChannel, positionOf } from '../../../../ingest/chats/mtproto/one-channel.ts'
import { timesDefault } from '../../../../ingest/chats/mtproto/times.ts'

const stored = { chat: '-1003', chatName: 'name_3', channelId: 3, accessHash: '1', pts: 7 }

describe('one followed channel', () => {
  it('stores the name that the newest answer shows, also if no change came with it', () => {
    const one = openChannel(stored)
    const answer = (chatName: string | null) => ({
      ...{ news: { chat: '-1003', changes: [], isTooLong: false }, pts: 7, isFinal: true, waitMs: null },
      place: { chat: '-1003', chatName },
    })
    const at = { nowMs: 1_000, times: timesDefault }
    expect(endAsking(one, answer('name_3'), at)).to.equal(false)
    for (const name of [null, 'new_name']) {
      expect(endAsking(one, answer(name), at)).to.equal(true)
      expect(positionOf(one)).to.deep.equal({ ...stored, chatName: name })
    }
  })
})

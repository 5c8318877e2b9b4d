import { expect } from 'chai'
import { createFrontCallsPart } from '../../../api/calls/front-part.ts'
import type { Cut } from '../../../projections/cuts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import { minuteMs } from '../../../schemas/units.ts'
import {
  calledA,
  callerIdSecret,
  chatsCut,
  createFixedCallsQueries,
  fixedBoard,
  fixedCall,
  fixedCaller,
} from '../../support/calls/fixed-queries.ts'
import { fixedCut } from '../../support/fixed-queries.ts'

const cut: Cut = { atMs: fixedCut.atMs, stages: { [chainAStage.name]: fixedCut, [chatsStage.name]: chatsCut } }

describe('the calls on the front page', () => {
  const { rows, queries } = createFixedCallsQueries()
  const part = createFrontCallsPart({ queries, chains: [calledA], callerIdSecret })
  const call = (agoMin: number, changes: object = {}) => ({
    ...{ ...fixedCall, calledAtMs: chatsCut.blockAtMs - agoMin * minuteMs },
    ...changes,
  })

  it('need the chats and each chain', () => {
    expect(part.stages.map(({ name }) => name)).to.deep.equal([chatsStage.name, chainAStage.name])
  })

  it('are the newest six of two hours, with private chats as a number', async () => {
    rows.calls = [1, 2, 3, 4, 5, 6, 7].map((agoMin) => call(agoMin))
    expect((await part.answer(cut)).calls).to.have.length(6)
    rows.calls = [call(119), call(121)]
    const [shown, ...more] = (await part.answer(cut)).calls
    expect(more).to.deep.equal([])
    expect(shown).to.include({ chain: 'chainA', token: fixedCall.token, privateChats: 1 })
    expect(shown?.chats).to.deep.equal(['@public_calls'])
  })

  it('name no chain if the address has no contract', async () => {
    rows.calls = [call(1, { hasCode: false }), call(1, { hasCode: true }), call(1, { hasCode: null })]
    expect((await part.answer(cut)).calls.map(({ chain }) => chain)).to.deep.equal([null, 'chainA', 'chainA'])
  })

  it('have the first five callers, and how many there are, without the ids of the platform', async () => {
    const callers = Array.from({ length: 7 }, (_, index) => ({
      ...{ ...fixedCaller, poster: `poster ${index}`, chatName: index === 6 ? null : 'public_calls' },
      shrunk: { ...fixedCaller.shrunk, win35: index / 10 },
    }))
    rows.board = { ...fixedBoard, callers }
    const { board } = await part.answer(cut)
    expect(board).to.include({ count: 7, calls: 25, rebuiltAtMs: fixedBoard.rebuiltAtMs })
    expect(board?.callers.map(({ chat, win }) => [chat, win])).to.deep.equal([
      [null, 0.6],
      ['@public_calls', 0.5],
      ['@public_calls', 0.4],
      ['@public_calls', 0.3],
      ['@public_calls', 0.2],
    ])
    expect(JSON.stringify(board)).to.not.contain('poster').and.to.not.contain(fixedCaller.chat)
    for (const { id } of board?.callers ?? []) expect(id).to.match(/^[0-9a-f]{8}$/)
  })

  it('have no board until the first one is made', async () => {
    rows.rebuiltAtMs = null
    expect((await part.answer(cut)).board).to.equal(null)
  })

  it('have the chats that named a token, in the order of their first posts, private ones without a name', async () => {
    const [open, hidden] = fixedCall.chats
    const later = { ...fixedCall, chats: [{ ...open!, firstAtMs: open!.firstAtMs - 60_000, posts: 3 }] }
    rows.calls = [fixedCall, later, call(1, { token: 'other' })]
    const namers = await part.namersOf(cut, fixedCall.token)
    expect(namers).to.deep.equal([
      { chat: '@public_calls', atMs: open!.firstAtMs - 60_000, posts: 3 },
      ...[open!, hidden!]
        .map(({ chatName, firstAtMs, posts }) => ({ chat: chatName && '@public_calls', atMs: firstAtMs, posts }))
        .sort((left, right) => left.atMs - right.atMs),
    ])
    expect(namers.map(({ chat }) => chat)).to.include(null)
  })
})

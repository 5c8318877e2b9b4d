import { serialize } from 'node:v8'
import { expect } from 'chai'
import { tokensOfOlder } from '../../../../processors/runtime/snapshots/older-part.ts'
import { fromChunks } from '../../../../processors/runtime/snapshots/snapshot-bytes.ts'
import { stateBytesOf, statesOfGroup } from '../../../../processors/runtime/state-packer.ts'
import { toyTick } from '../../../replay/toy/toy-facts.ts'

const state = { amounts: [4n], answers: 0, wakes: 0 }
const lastTick = toyTick({ blockNumber: 1005, blockAtMs: 300_000, seq: 7 })

/** Chunks of snapshots that the version with `serialized@3` wrote. In the first, three tokens have their states in two strings. */
const recorded =
  'AAAA1v8PbyIDc2VxSQ4iCWtub3duQXRNc0nAzyQiBmV0aFVzZDAiCmV0aFVzZEF0TXMwIgxydWxlc1ZlcnNpb24iBXRveS0xIgxyZXZlcnRlZEZyb20wIgZzb3VyY2UiCXNpbXVsYXRlZCIJYmxvY2tBdE1zScDPJCILYmxvY2tOdW1iZXJJ2g8iCWJsb2NrSGFzaCJCMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM2VkewoAAAHp/w9vIgZ0b2tlbnNBA28iBXRva2VuIgNhZGEiBnN0YXRlc0EAJAAAIgZwYWNrZWQwIgdkdWVBdE1zQQJBAUnA9UEkAAFBACQAACQAAiIMdG91Y2hlZEJsb2NrSdYPIgR0ZXh0SQAiAmF0SQB7B28iBXRva2VuIgNib2IiBnN0YXRlc14DIgZwYWNrZWQwIgdkdWVBdE1zQQJBAUmAn0kkAAFBACQAACQAAiIMdG91Y2hlZEJsb2NrSdYPIgR0ZXh0SQIiAmF0SQB7B28iBXRva2VuIgNldmUiBnN0YXRlc14DIgZwYWNrZWQwIgdkdWVBdE1zQQJBAUnAyFAkAAFBACQAACQAAiIMdG91Y2hlZEJsb2NrSdYPIgR0ZXh0SQIiAmF0SQJ7ByQAAyIFdGV4dHNBAiI8/w9BAUECbyIHYW1vdW50c0EBWhAEAAAAAAAAACQAASIHYW5zd2Vyc0kAIgV3YWtlc0kAewNfJAACJAABInH/D0ECQQJvIgdhbW91bnRzQQFaEAUAAAAAAAAAJAABIgdhbnN3ZXJzSQAiBXdha2VzSQB7A18kAAJBAm8iB2Ftb3VudHNBAVoQBgAAAAAAAAAkAAEiB2Fuc3dlcnNJACIFd2FrZXNJAHsDXyQAAiQAAiQAAnsC'

/** In the second, one of two tokens is partly packed, so there is a dictionary. */
const recordedPacked =
  'AAAA+f8PbyIIbGFzdFRpY2tvIgNzZXFJDiIJa25vd25BdE1zScDPJCIGZXRoVXNkMCIKZXRoVXNkQXRNczAiDHJ1bGVzVmVyc2lvbiIFdG95LTEiDHJldmVydGVkRnJvbTAiBnNvdXJjZSIJc2ltdWxhdGVkIglibG9ja0F0TXNJwM8kIgtibG9ja051bWJlcknaDyIJYmxvY2tIYXNoIkIweDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAzZWR7CiIKZGljdGlvbmFyeUIDAQL6VkIAAwB7AgAAAVH/D28iBnRva2Vuc0ECbyIFdG9rZW4iA2FkYSIGc3RhdGVzQQAkAAAiBnBhY2tlZDAiB2R1ZUF0TXNBAkEBScD1QSQAAUEAJAAAJAACIgx0b3VjaGVkQmxvY2tJ1g8iBHRleHRJACICYXRJAHsHbyIFdG9rZW4iA2JvYiIGc3RhdGVzQQJfbyIHYW1vdW50c0EBWhAEAAAAAAAAACQAASIHYW5zd2Vyc0kAIgV3YWtlc0kAewMkAAIiBnBhY2tlZCIOcGFja2VkIGJ5dGVzIP8iB2R1ZUF0TXNBAkEAJAAAQQJJgJ9JScDIUCQAAiQAAiIMdG91Y2hlZEJsb2NrSdYPewUkAAIiBXRleHRzQQEiPP8PQQFBAm8iB2Ftb3VudHNBAVoQBAAAAAAAAAAkAAEiB2Fuc3dlcnNJACIFd2FrZXNJAHsDXyQAAiQAASQAAXsC'

describe('a snapshot of an older version', () => {
  it('gives the states that several tokens have in one string, and their timers', () => {
    const snapshot = fromChunks([Buffer.from(recorded, 'base64')])
    expect(snapshot.lastTick).to.deep.equal(lastTick)
    expect(snapshot.dictionary).to.equal(null)
    const [ada, bob, eve] = [...snapshot.tokens]
    expect(ada).to.deep.include({ token: 'ada', packed: null, timers: [540_000, 0], touchedBlock: 1003 })
    expect(bob?.serialized).to.equal(eve?.serialized)
    expect([ada, bob].map((token) => token?.serialized?.tokens)).to.deep.equal([['ada'], ['bob', 'eve']])
    expect([ada, bob].map((token) => statesOfGroup(token?.serialized?.bytes as Uint8Array))).to.deep.equal([
      [[state, undefined]],
      [
        [{ ...state, amounts: [5n] }, undefined],
        [{ ...state, amounts: [6n] }, undefined],
      ],
    ])
  })

  it('gives the dictionary and the packed states, with those that are not packed', () => {
    const { tokens, ...head } = fromChunks([Buffer.from(recordedPacked, 'base64')])
    expect(head).to.deep.equal({ lastTick, dictionary: Uint8Array.from([1, 2, 250]) })
    const [ada, bob] = [...tokens]
    expect(statesOfGroup(ada?.serialized?.bytes as Uint8Array)).to.deep.equal([[state, undefined]])
    expect(bob).to.deep.equal({
      ...{ token: 'bob', states: [undefined, state], packed: 'packed bytes \u00ff', serialized: null },
      ...{ timers: [600_000, 1, 660_000, 1], touchedBlock: 1003 },
    })
  })

  it('gives each string memory of its own', () => {
    const [ada] = [...fromChunks([Buffer.from(recorded, 'base64')]).tokens]
    expect(ada?.serialized?.bytes.buffer.byteLength).to.equal(ada?.serialized?.bytes.length)
  })

  it('gives the states that a token has in a string of its own, also packed ones', () => {
    const of = { packed: null, dueAtMs: [[5, 6], [7]], touchedBlock: 3 }
    const serialized = stateBytesOf([state, undefined]).toString('latin1')
    const given = tokensOfOlder([
      { ...of, token: 'ada', states: [], serialized },
      { ...of, token: 'bob', states: [undefined, state], packed: 'bytes' },
    ])
    const now = { serialized: null, timers: [5, 0, 6, 0, 7, 1], touchedBlock: 3 }
    expect(given).to.deep.equal([
      { ...now, token: 'ada', states: [state, undefined], packed: null },
      { ...now, token: 'bob', states: [undefined, state], packed: 'bytes' },
    ])
  })

  it('gives its tick and its states if nothing is packed, and the first part is the tick', () => {
    const ada = { token: 'ada', states: [state, undefined], dueAtMs: [[9], []], touchedBlock: 1003 }
    const framed = [lastTick, [ada]].map((part) => {
      const bytes = serialize(part)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return Buffer.concat([length, bytes])
    })
    expect(fromChunks([Buffer.concat(framed)])).to.deep.equal({
      lastTick,
      dictionary: null,
      tokens: [
        { token: 'ada', states: ada.states, packed: null, serialized: null, timers: [9, 0], touchedBlock: 1003 },
      ],
    })
  })
})

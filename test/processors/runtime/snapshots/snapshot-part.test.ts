import { expect } from 'chai'
import fc from 'fast-check'
import { PartWriter, tokensOf } from '../../../../processors/runtime/snapshots/snapshot-part.ts'
import { statesOfGroup } from '../../../../processors/runtime/state-packer.ts'
import type { TokenSnapshot } from '../../../../processors/runtime/token-entry.ts'

/** A token with no timer, one or two, depending on its name. */
const tokenWith = (token: string, state: unknown): TokenSnapshot => ({
  ...{ token, states: [state, undefined], packed: null, serialized: null },
  ...{ timers: timersOf(token), touchedBlock: token.length },
})

const timersOf = (token: string): readonly number[] => {
  const number = token.charCodeAt(token.length - 1)
  return [[], [number, 1], [number, 0, number + 1, 1]][number % 3] ?? []
}

/** Writes the tokens in parts of `size`, and reads the parts back. */
function written(tokens: readonly TokenSnapshot[], size = 64): readonly TokenSnapshot[] {
  const writer = new PartWriter()
  const read: TokenSnapshot[] = []
  for (const token of tokens) if (writer.add(token) === size) read.push(...tokensOf(Buffer.concat(writer.take())))
  return [...read, ...tokensOf(Buffer.concat(writer.take()))]
}

/** The tokens of the groups that have the states of the tokens. */
const groupsOf = (tokens: readonly TokenSnapshot[]) =>
  [...new Set(tokens.map(({ serialized }) => serialized))].map((group) => group?.tokens)

const withStates = (tokens: readonly TokenSnapshot[]): readonly TokenSnapshot[] =>
  tokens.map((token) => {
    const { serialized } = token
    if (serialized == null) return token
    return {
      ...token,
      states: statesOfGroup(serialized.bytes)[serialized.tokens.indexOf(token.token)] as unknown[],
      serialized: null,
    }
  })

describe('a part of a snapshot', () => {
  it('has one group for small states after the first, and groups of their own for states of 4 KB', () => {
    const small = written(['a', 'b', 'c', 'd'].map((token) => tokenWith(token, 1)))
    expect(groupsOf(small)).to.deep.equal([['a'], ['b', 'c', 'd']])
    const large = written(['a', 'b', 'c', 'd'].map((token) => tokenWith(token, 'x'.repeat(4096))))
    expect(groupsOf(large)).to.deep.equal([['a'], ['b'], ['c'], ['d']])
  })

  it('has as many states in a group as have 4 KB together', () => {
    const tokens = Array.from({ length: 9 }, (_, index) => tokenWith(`t${index}`, 'x'.repeat(1000)))
    expect(groupsOf(written(tokens)).map((group) => group?.length)).to.deep.equal([1, 4, 4])
  })

  it('gives each group memory of its own, so that no group keeps the others in memory', () => {
    const groups = new Set(
      written(['a', 'b', 'c'].map((token) => tokenWith(token, 1))).map(({ serialized }) => serialized),
    )
    expect(groups.size).to.equal(2)
    for (const group of groups) expect(group?.bytes.buffer.byteLength).to.equal(group?.bytes.length)
  })

  it('keeps packed states as they are', () => {
    const packed = { ...tokenWith('b', 2), packed: 'bytes' }
    const [a, b, c] = written([tokenWith('a', 1), packed, tokenWith('c', 3)])
    expect(b).to.deep.equal({
      token: 'b',
      states: [2, undefined],
      packed: 'bytes',
      serialized: null,
      timers: timersOf('b'),
      touchedBlock: 1,
    })
    expect(withStates([a, c] as TokenSnapshot[])).to.deep.equal([tokenWith('a', 1), tokenWith('c', 3)])
  })

  it('gives back all states, however often unopened and opened ones are written, in parts of any size', () => {
    const round = fc.record({ size: fc.integer({ min: 1, max: 9 }), opened: fc.nat(20), gone: fc.nat(40) })
    let splitGroups = 0
    fc.assert(
      fc.property(fc.array(round, { minLength: 2, maxLength: 5 }), (rounds) => {
        let tokens = Array.from({ length: 20 }, (_, index) => tokenWith(`t${index}`, { n: index }))
        const firstOf = new Map(tokens.map((token) => [token.token, token]))
        for (const { size, opened, gone } of rounds) {
          tokens = written(tokens, size).filter((_, index) => index !== gone)
          splitGroups += groupsOf(tokens).filter(
            (group) => group?.includes(undefined) || group?.length !== Object.keys(group ?? []).length,
          ).length
          expect(withStates(tokens)).to.deep.equal(tokens.map(({ token }) => firstOf.get(token)))
          const group = tokens[opened]?.serialized
          tokens = tokens.map((token) =>
            group && token.serialized === group ? (withStates([token])[0] as TokenSnapshot) : token,
          )
        }
      }),
    )
    expect(splitGroups).to.be.above(20)
  })
})

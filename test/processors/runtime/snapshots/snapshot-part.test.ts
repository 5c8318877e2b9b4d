import { deserialize } from 'node:v8'
import { expect } from 'chai'
import fc from 'fast-check'
import { PartWriter, tokensOf } from '../../../../processors/runtime/snapshots/snapshot-part.ts'
import { statesFromText } from '../../../../processors/runtime/state-packer.ts'
import type { TokenSnapshot } from '../../../../processors/runtime/token-entry.ts'

const tokenWith = (token: string, state: unknown): TokenSnapshot => ({
  ...{ token, states: [state, undefined], packed: null, serialized: null },
  ...{ dueAtMs: [[], [7]], touchedBlock: 3 },
})

/** Writes the tokens in parts of `size`, and reads the parts back. */
function written(tokens: readonly TokenSnapshot[], size = 64): readonly TokenSnapshot[] {
  const writer = new PartWriter()
  const read: TokenSnapshot[] = []
  for (const token of tokens) if (writer.add(token) === size) read.push(...tokensOf(deserialize(writer.take())))
  return [...read, ...tokensOf(deserialize(writer.take()))]
}

/** The tokens of the text that has the states of each token. */
const textsOf = (tokens: readonly TokenSnapshot[]) =>
  [...new Set(tokens.map(({ serialized }) => serialized))].map((text) => text?.tokens)

const withStates = (tokens: readonly TokenSnapshot[]): readonly TokenSnapshot[] =>
  tokens.map((token) => {
    const { serialized } = token
    if (serialized == null) return token
    return {
      ...token,
      states: statesFromText(serialized.text)[serialized.tokens.indexOf(token.token)] as unknown[],
      serialized: null,
    }
  })

describe('a part of a snapshot', () => {
  it('has one text for small states after the first, and texts of their own for states of 4 KB', () => {
    const small = written(['a', 'b', 'c', 'd'].map((token) => tokenWith(token, 1)))
    expect(textsOf(small)).to.deep.equal([['a'], ['b', 'c', 'd']])
    const large = written(['a', 'b', 'c', 'd'].map((token) => tokenWith(token, 'x'.repeat(4096))))
    expect(textsOf(large)).to.deep.equal([['a'], ['b'], ['c'], ['d']])
  })

  it('has as many states in a text as have 4 KB together', () => {
    const tokens = Array.from({ length: 9 }, (_, index) => tokenWith(`t${index}`, 'x'.repeat(1000)))
    expect(textsOf(written(tokens)).map((text) => text?.length)).to.deep.equal([1, 4, 4])
  })

  it('keeps packed states as they are', () => {
    const packed = { ...tokenWith('b', 2), packed: 'bytes' }
    const [a, b, c] = written([tokenWith('a', 1), packed, tokenWith('c', 3)])
    expect(b).to.deep.equal({
      token: 'b',
      states: [2, undefined],
      packed: 'bytes',
      dueAtMs: [[], [7]],
      touchedBlock: 3,
    })
    expect(withStates([a, c] as TokenSnapshot[])).to.deep.equal([tokenWith('a', 1), tokenWith('c', 3)])
  })

  it('gives back all states, however often unopened and opened ones are written, in parts of any size', () => {
    const round = fc.record({ size: fc.integer({ min: 1, max: 9 }), opened: fc.nat(20), gone: fc.nat(40) })
    let splitTexts = 0
    fc.assert(
      fc.property(fc.array(round, { minLength: 2, maxLength: 5 }), (rounds) => {
        let tokens = Array.from({ length: 20 }, (_, index) => tokenWith(`t${index}`, { n: index }))
        const firstOf = new Map(tokens.map((token) => [token.token, token]))
        for (const { size, opened, gone } of rounds) {
          tokens = written(tokens, size).filter((_, index) => index !== gone)
          splitTexts += textsOf(tokens).filter(
            (text) => text?.includes(undefined) || text?.length !== Object.keys(text ?? []).length,
          ).length
          expect(withStates(tokens)).to.deep.equal(tokens.map(({ token }) => firstOf.get(token)))
          const text = tokens[opened]?.serialized
          tokens = tokens.map((token) =>
            text && token.serialized === text ? (withStates([token])[0] as TokenSnapshot) : token,
          )
        }
      }),
    )
    expect(splitTexts).to.be.above(20)
  })
})

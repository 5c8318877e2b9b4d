import { deserialize, setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { expect } from 'chai'
import fc from 'fast-check'
import { bytesOfGroup, StatePacker, stateBytesOf, statesOfGroup } from '../../../processors/runtime/state-packer.ts'
import { bytesOf } from '../../support/bytes-of.ts'
import { type makers, statesOf } from './measured-states.ts'

/** Values of every kind that a state may hold. */
const anyState = fc.letrec((again) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.double(),
    fc.integer(),
    fc.bigInt(),
    fc.string(),
    fc.constantFrom(null, undefined, true, -0),
    fc.float64Array({ maxLength: 5 }),
    fc.uint8Array({ maxLength: 5 }),
    fc.array(again('value'), { maxLength: 4 }),
    fc.array(fc.string(), { maxLength: 4 }).map((texts) => new Set(texts)),
    fc.dictionary(fc.string(), again('value'), { maxKeys: 4, noNullPrototype: true }),
    fc.array(fc.tuple(fc.string(), again('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
  ),
})).value

const quietPool = (index: number) => ({
  pool: `0x${index.toString(16).padStart(64, '0')}`,
  prices: { atMs: [1_788_211_189_000 + index], value: [index / 7] },
  reserves: { ethWei: 10n ** 18n + BigInt(index), tokenRaw: 10n ** 27n },
  positions: new Map([[index, { liquidity: BigInt(index) ** 5n, isLocked: false, openedAtMs: null }]]),
})

/** Asks V8 whether it stores the fractions of the list in place. Otherwise each is an object of its own. */
function isPlainList(list: readonly number[]): boolean {
  setFlagsFromString('--allow-natives-syntax')
  return runInThisContext('list => %HasDoubleElements(list)')(list)
}

describe('packed states', () => {
  it('are deeply equal to the states again: numbers with their signs, big integers, maps and typed arrays', () => {
    fc.assert(
      fc.property(fc.array(anyState, { maxLength: 12 }), fc.array(anyState), (states, example) => {
        const packer = StatePacker.learn([example])
        expect(packer.unpack(packer.pack(states))).to.deep.equal(states)
      }),
    )
  })

  it('keep the holes of lists', () => {
    const withHole = (item: unknown) => Object.assign(new Array(3), { 0: 1.5, 2: item })
    for (const item of [2.5, 'text', { field: 1 }]) {
      const [[restored]] = statesOfGroup(bytesOfGroup([[withHole(item)]])) as [[unknown[]]]
      expect(restored).to.deep.equal(withHole(item))
      expect(1 in restored, String(item)).to.equal(false)
    }
  })

  it('are unpacked by another packer with the same dictionary', () => {
    const packer = StatePacker.learn([[quietPool(1)], [quietPool(2)]])
    const packed = packer.pack([quietPool(3)])
    expect(new StatePacker(packer.dictionary).unpack(packed)).to.deep.equal([quietPool(3)])
  })

  it('take less than half of the states as JSON, because the dictionary has the names of the fields', () => {
    const packer = StatePacker.learn([[quietPool(1)], [quietPool(2)]])
    const bytes = JSON.stringify(quietPool(3), (_, value) => (typeof value === 'bigint' ? `${value}` : value)).length
    expect(packer.pack([quietPool(3)]).length).to.be.below(bytes / 2)
  })

  it('have a dictionary of at most 8 KiB, with the end of the examples', () => {
    const packer = StatePacker.learn(Array.from({ length: 100 }, (_, index) => [quietPool(index)]))
    expect(packer.dictionary.length).to.equal(8192)
    expect(Buffer.from(packer.dictionary).includes(quietPool(99).pool)).to.equal(true)
  })

  it('hold typed arrays with memory of their own', () => {
    const packer = StatePacker.learn([[]])
    const [array] = packer.unpack(packer.pack([new Float64Array([1, 2]), 'x'.repeat(10_000)])) as [Float64Array]
    expect(array.buffer.byteLength).to.equal(16)
  })

  it('hold equal texts as one string', async () => {
    const packer = StatePacker.learn([[]])
    for (const states of [statesOf(true), statesOf(false)])
      expect(packer.unpack(packer.pack(states))).to.deep.equal(states)
    const bytes = await bytesOf<keyof typeof makers>(new URL('measured-states.ts', import.meta.url))
    const textBytes = 66
    expect(bytes['different ids'] - bytes['equal ids']).to.be.above(9 * textBytes)
  })

  it('hold the fractions of lists in place, which takes a third of the memory', () => {
    const px = [0.5, 1.5, 2]
    const states = [{ lines: new Map([['market', { prices: [{ px }] }]]), atMs: [1.5, 2] }]
    const packer = StatePacker.learn([states])
    for (const restored of [packer.unpack(packer.pack(states)), statesOfGroup(bytesOfGroup([states]))[0]]) {
      const [state] = restored as typeof states
      expect(state).to.deep.equal(states[0])
      expect([state?.atMs, state?.lines.get('market')?.prices[0]?.px].map((list) => isPlainList(list!))).to.deep.equal([
        true,
        true,
      ])
    }
    expect(isPlainList(deserialize(stateBytesOf(px))), 'V8 stores them in place itself').to.equal(false)
  })
})

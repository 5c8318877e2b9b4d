import { expect } from 'chai'
import { areEmpty, type Books, emptyBooks } from '../../../processors/desk/books.ts'

const opened: readonly (readonly [name: string, open: Partial<Books>])[] = [
  ['a signal', { waiting: [{} as Books['waiting'][number]] }],
  ['a position', { held: [{} as Books['held'][number]] }],
  ['a timeout', { timeOutAtMs: 1 }],
  ['a shadow', { shadows: [{} as Books['shadows'][number]] }],
  ['a call', { call: { fromMs: 1, chats: ['a'] } }],
  ['twins', { twinsDueAtMs: 1 }],
]

describe('the books of a token without timers', () => {
  it('are empty', () => expect(areEmpty(emptyBooks())).to.equal(true))

  for (const [name, open] of opened)
    it(`may not have ${name}, whose timer would be lost`, () =>
      expect(() => areEmpty({ ...emptyBooks(), ...open })).to.throw('deep'))
})

import { expect } from 'chai'
import { type Books, emptyBooks, isQuiet } from '../../../processors/desk/books.ts'

const opened: readonly (readonly [name: string, open: Partial<Books>])[] = [
  ['a signal', { waiting: [{} as Books['waiting'][number]] }],
  ['a position', { held: [{} as Books['held'][number]] }],
  ['a shadow', { shadows: [{} as Books['shadows'][number]] }],
  ['a call', { call: { fromMs: 1, chats: ['a'] } }],
  ['twins', { twinsDueAtMs: 1 }],
]

describe('the books of a token', () => {
  it('can be forgotten if they are empty', () => expect(isQuiet(emptyBooks())).to.equal(true))

  for (const [name, open] of opened)
    it(`are kept for ${name}`, () => expect(isQuiet({ ...emptyBooks(), ...open })).to.equal(false))
})

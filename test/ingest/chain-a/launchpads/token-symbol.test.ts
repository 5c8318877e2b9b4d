import { expect } from 'chai'
import { encodeAbiParameters, type Hex, stringToHex } from 'viem'
import { decodeSymbol } from '../../../../ingest/chain-a/launchpads/token-symbol.ts'

const answerWith = (text: string): Hex => encodeAbiParameters([{ type: 'string' }], [text])
const control = String.fromCharCode(0, 7, 27)
const invisible = String.fromCodePoint(0x200b, 0x202e, 0x2028, 0xe000)

describe('the symbol of a token', () => {
  const texts: readonly (readonly [string, Hex | null, string | null])[] = [
    ['is the text of the answer', answerWith('PONS'), 'PONS'],
    ['keeps other scripts and pictures', answerWith('犬 🐶'), '犬 🐶'],
    ['loses what cannot be printed on one line', answerWith(` A${control}${invisible}\nB `), 'AB'],
    ['is cut at 32 characters', answerWith('x'.repeat(5000)), 'x'.repeat(32)],
    ['is cut between characters', answerWith('🐶'.repeat(40)), '🐶'.repeat(32)],
    ['of an old token is one word', stringToHex('MKR', { size: 32 }), 'MKR'],
    ['is none where nothing is left', answerWith(control), null],
    ['is none where the answer is empty text', answerWith(''), null],
    ['is none without an answer', null, null],
    ['is none where the answer is no text', `0x${'f'.repeat(128)}`, null],
    ['is what there is of a text that ends early', `${answerWith('PONS').slice(0, -60)}` as Hex, 'PO'],
    [
      'is not read for longer than it can be',
      `0x${'0'.repeat(62)}20${'f'.repeat(64)}${'41'.repeat(400)}`,
      'A'.repeat(32),
    ],
  ]
  for (const [name, answer, symbol] of texts)
    it(name, () => {
      expect(decodeSymbol(answer)).to.equal(symbol)
    })
})

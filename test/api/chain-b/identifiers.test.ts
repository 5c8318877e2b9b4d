import { expect } from 'chai'
import { addressSchema, rowIdSchema } from '../../../api/chain-b/resources/identifiers.ts'

describe('the identifiers in answers of chain B', () => {
  const takes = (schema: typeof addressSchema, text: string): boolean => schema.safeParse(text).success

  it('are base58 of 32 to 44 letters for a mint or a wallet, and nothing around it', () => {
    for (const length of [32, 44]) expect(takes(addressSchema, 'A'.repeat(length)), `${length}`).to.equal(true)
    for (const length of [31, 45]) expect(takes(addressSchema, 'A'.repeat(length)), `${length}`).to.equal(false)
    for (const letter of ['0', 'O', 'I', 'l', ' ', '-'])
      for (const text of [letter + 'A'.repeat(40), 'A'.repeat(40) + letter])
        expect(takes(addressSchema, text)).to.equal(false)
  })

  it('are 16 hex digits for a row', () => {
    expect(takes(rowIdSchema, '0123456789abcdef')).to.equal(true)
    for (const text of ['0123456789abcde', '0123456789abcdef0', '0123456789abcdeg', ' 0123456789abcdef'])
      expect(takes(rowIdSchema, text), text).to.equal(false)
  })
})

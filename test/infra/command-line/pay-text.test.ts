import type { PaymentRequired, SettleResponse } from '@x402/core/types'
import { expect } from 'chai'
import { bodyText, paymentText, priceText, receiptText, refusalText } from '../../../infra/command-line/pay-text.ts'

const network = 'eip155:8453'
const offers = [
  { network: 'solana:main', amount: '20000', payTo: 'So1' },
  { network, amount: '5000', payTo: '0xshop' },
] as unknown as PaymentRequired['accepts']

describe('the text of launch-data pay', () => {
  it('has the price on the chosen network', () => {
    expect(priceText({ accepts: offers }, network)).to.equal('0.005 USDC on eip155:8453, to 0xshop')
    expect(priceText({ accepts: offers }, 'solana:main')).to.equal('0.02 USDC on solana:main, to So1')
    expect(priceText({ accepts: offers }, 'eip155:1')).to.equal('no price on eip155:1')
  })

  it('has the reason of a refusal', () => {
    expect(refusalText({ error: 'insufficient_funds' })).to.equal('the payment was refused: insufficient_funds')
    expect(refusalText({})).to.equal('the payment was refused: the service gives no reason')
  })

  it('has the payer of a payment', () => {
    const text = paymentText({ amount: '1500000', network }, '0xbuyer')
    expect(text).to.equal('with a signed payment of 1.5 USDC on eip155:8453, from 0xbuyer')
  })

  it('has the transaction of a receipt, or why there is none', () => {
    const receipt = { success: true, transaction: '0xpaid', network } as SettleResponse
    expect(receiptText(receipt)).to.equal('paid by transaction 0xpaid')
    const failed = { ...receipt, success: false, transaction: '' }
    expect(receiptText({ ...failed, errorReason: 'settle_failed' })).to.equal('not paid: settle_failed')
    expect(receiptText(failed)).to.equal('not paid: the service gives no reason')
  })

  const listOf = (length: number) => Array.from({ length }, (_, index) => index)

  for (const [name, value, shown] of [
    ['a list of three, with one row per line', { rows: listOf(3) }, ['rows:', '  0', '  1', '  2']],
    ['the first three of four', { rows: listOf(4) }, ['rows:', '  0', '  1', '  2', '  … 1 more; --full prints them']],
    ['an empty list', { rows: [] }, ['rows:', '  none']],
    ['an object in a line, as a row', { rows: [{ px: 1, why: ['x'] }] }, ['rows:', '  {"px":1,"why":["x"]}']],
    ['an object by field', { range: { fromMs: 1, toMs: null } }, ['range:', '  fromMs: 1', '  toMs: null']],
    ['texts and numbers', { name: 'x"y', px: 1e-9, isLate: false }, ['name: "x\\"y"', 'px: 1e-9', 'isLate: false']],
    ['a text of 100 characters', { rule: 'r'.repeat(100) }, [`rule: "${'r'.repeat(100)}"`]],
    ['a longer text, cut', { rule: 'r'.repeat(101) }, [`rule: "${'r'.repeat(100)}"… 1 more characters`]],
  ] as const)
    it(`shows ${name}`, () => {
      expect(bodyText(JSON.stringify(value), false).split('\n')).to.deep.equal(shown)
      expect(JSON.parse(bodyText(JSON.stringify(value), true)), 'in full').to.deep.equal(value)
    })

  it('cuts a body of many lines, and leaves text that is not JSON as it is', () => {
    const lines = listOf(61).map((line) => `line ${line}`)
    const cut = bodyText(lines.join('\n'), false).split('\n')
    expect(cut).to.deep.equal([...lines.slice(0, 60), '… 1 more lines; --full prints them'])
    expect(bodyText(lines.slice(1).join('\n'), false)).to.equal(lines.slice(1).join('\n'))
    expect(bodyText(lines.join('\n'), true)).to.equal(lines.join('\n'))
  })
})

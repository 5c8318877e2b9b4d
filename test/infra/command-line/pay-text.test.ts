import type { PaymentRequired, SettleResponse } from '@x402/core/types'
import { expect } from 'chai'
import { bodyText, paymentText, priceText, receiptText } from '../../../infra/command-line/pay-text.ts'

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
    const refused = { accepts: offers, error: 'insufficient_funds' }
    expect(priceText(refused, network)).to.equal('0.005 USDC on eip155:8453, to 0xshop (insufficient_funds)')
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
  const more = (count: number) => `… ${count} more; --full prints them`

  for (const [name, value, shown] of [
    ['a list of three', listOf(3), listOf(3)],
    ['a list of four', listOf(4), [...listOf(3), more(1)]],
    ['lists in objects and in lists', { rows: [{ calls: listOf(5) }] }, { rows: [{ calls: [...listOf(3), more(2)] }] }],
    ['texts, null and numbers', { name: 'x', none: null, px: 1e-9 }, { name: 'x', none: null, px: 1e-9 }],
  ] as const)
    it(`has the first three entries of each list: ${name}`, () => {
      expect(JSON.parse(bodyText(JSON.stringify(value), false))).to.deep.equal(shown)
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

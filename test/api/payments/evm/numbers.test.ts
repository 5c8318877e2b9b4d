import type { PaymentPayload } from '@x402/core/types'
import { expect } from 'chai'
import { createEvmNetwork, usdcOnBase } from '../../../../api/payments/evm/network.ts'

const payTo = `0x${'ab'.repeat(20)}`
const network = createEvmNetwork({ network: 'eip155:8453', payTo, rpcUrl: 'http://127.0.0.1:1' })

/** A payment with a possible signature, whose signer nobody checks here. */
const payment = (value: string): PaymentPayload => ({
  x402Version: 2,
  accepted: {
    ...{ scheme: 'exact', network: 'eip155:8453', asset: usdcOnBase.address, amount: '1', payTo },
    ...{ maxTimeoutSeconds: 60, extra: {} },
  },
  payload: {
    signature: `0x${'01'.repeat(64)}1b`,
    authorization: {
      ...{ from: `0x${'cd'.repeat(20)}`, to: payTo, value, validAfter: '0', validBefore: '1' },
      nonce: `0x${'00'.repeat(32)}`,
    },
  },
})

describe('a number of a payment', () => {
  for (const [name, text, isTaken] of [
    ['zero', '0', true],
    ['77 digits', '9'.repeat(77), true],
    ['the largest of 256 bits', String(2n ** 256n - 1n), true],
    ['one more than 256 bits', String(2n ** 256n), false],
    ['79 digits', `1${'0'.repeat(78)}`, false],
    ['a zero before it', '01', false],
    ['a sign', '-1', false],
    ['nothing', '', false],
  ] as const)
    it(`${isTaken ? 'may' : 'may not'} be ${name}`, () => {
      expect('refusal' in network.identify(payment(text))).to.equal(!isTaken)
    })
})

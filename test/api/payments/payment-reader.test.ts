import { expect } from 'chai'
import type { PaymentNetwork } from '../../../api/payments/payment-network.ts'
import { createPaymentReader } from '../../../api/payments/payment-reader.ts'

const payloadOf = (network: string) => ({
  x402Version: 2,
  accepted: { scheme: 'exact', network, asset: '0x' },
  payload: {},
})
const headerOf = (payload: object) => ({ header: Buffer.from(JSON.stringify(payload)).toString('base64') })

function readerThatCounts() {
  const counted = { identified: 0 }
  const identify = () => {
    counted.identified++
    return { refusal: 'not_tried' }
  }
  const network = { network: 'eip155:1', identify } as unknown as PaymentNetwork
  return { counted, read: createPaymentReader([network]) }
}

describe('a payment that was sent', () => {
  for (const [transport, sent] of [
    ['HTTP', headerOf(payloadOf('eip155:1'))],
    ['MCP', { payload: payloadOf('eip155:1') }],
  ] as const)
    it(`over ${transport} is read once, however often it is asked about`, () => {
      const { counted, read } = readerThatCounts()
      const first = read(sent)
      expect(read(sent)).to.equal(first)
      expect(read(sent)).to.equal(first)
      expect(counted.identified).to.equal(1)
    })

  it('is another one where the same bytes are sent again', () => {
    const { counted, read } = readerThatCounts()
    read(headerOf(payloadOf('eip155:1')))
    read(headerOf(payloadOf('eip155:1')))
    expect(counted.identified).to.equal(2)
  })

  it('is refused the same way each time', () => {
    const { read } = readerThatCounts()
    const sent = headerOf(payloadOf('eip155:2'))
    expect([read(sent), read(sent)]).to.deep.equal([
      { refusal: 'unsupported_network' },
      { refusal: 'unsupported_network' },
    ])
  })
})

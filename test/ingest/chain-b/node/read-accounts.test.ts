import { expect } from 'chai'
import { createAccountReader } from '../../../../ingest/chain-b/node/read-accounts.ts'

describe('the accounts of many addresses', () => {
  for (const [count, requests] of [
    [0, []],
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ] as const)
    it(`are read in order, at most a hundred with each request: ${count}`, async () => {
      const counts: number[] = []
      const reader = createAccountReader({
        host: 'node',
        async request(method, [addresses]) {
          expect(method).to.equal('getMultipleAccounts')
          const asked = addresses as readonly string[]
          counts.push(asked.length)
          const value = asked.map((owner) => ({ data: ['', 'base64'], owner }))
          return { context: { slot: counts.length }, value }
        },
      })
      const addresses = Array.from({ length: count }, (_, index) => `address ${index}`)
      const found = await reader.accounts(addresses, new AbortController().signal)
      expect(found.map((account) => account?.owner)).to.deep.equal(addresses)
      expect(counts).to.deep.equal(requests)
    })
})

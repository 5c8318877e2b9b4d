import { expect } from 'chai'
import { readHasCode } from '../../../../ingest/chain-a/node/call-contract.ts'
import type { Node } from '../../../../ingest/chain-a/node/node.ts'
import { buildAddress } from '../../../support/builders/build-facts.ts'

const never = new AbortController().signal
const address = buildAddress(7)
const nodeSaying = (answer: unknown, asked: unknown[] = []): Node => ({
  hosts: 'node',
  request: (async (call: unknown) => {
    asked.push(call)
    return answer
  }) as Node['request'],
})

describe('the code at an address', () => {
  const cases: readonly (readonly [string, unknown, boolean])[] = [
    ['a contract', '0x6080604052', true],
    ['a contract, in capitals', '0xEF0001AB', true],
    ['nothing', '0x', false],
    ['a wallet that lets a contract act for it', `0xef0100${'ab'.repeat(20)}`, false],
  ]
  for (const [what, answer, hasCode] of cases)
    it(`is ${hasCode ? 'there' : 'not there'}: ${what}`, async () => {
      const asked: unknown[] = []
      expect(await readHasCode(nodeSaying(answer, asked), address, never)).to.equal(hasCode)
      expect(asked).to.deep.equal([{ method: 'eth_getCode', params: [address, 'latest'] }])
    })

  for (const answer of [null, 7, 'no', '6080', '0xzz'])
    it(`is not told by ${answer}`, async () => {
      const failure = await readHasCode(nodeSaying(answer), address, never).catch((error) => error)
      expect(failure).to.have.property('code', 'node_inconsistent')
    })
})

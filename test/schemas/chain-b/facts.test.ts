import { expect } from 'chai'
import { avroType } from '../../../infra/codec/schema-codec.ts'
import { chainAAddressSchemas } from '../../../schemas/chain-a/addresses.ts'
import { chainBAddressSchemas } from '../../../schemas/chain-b/addresses.ts'
import { chainBFactSchemas, isAnswer } from '../../../schemas/chain-b/facts.ts'
import { chainPlace } from '../../../schemas/chain-place.ts'
import { topics } from '../../../schemas/topics.ts'
import { recordedMarket } from '../../support/chain-b/recorded-market.ts'

const facts = recordedMarket().flatMap((transaction) => transaction.facts.map(({ fact }) => fact))

describe('the schemas of chain B', () => {
  it('keep a recorded trade as it is, in fewer than 300 bytes', () => {
    const type = avroType(chainBFactSchemas.CurveTraded)
    for (const { data } of facts) {
      const bytes = type.toBuffer(data)
      expect({ ...type.fromBuffer(bytes) }).to.deep.equal(data)
      expect(bytes.length).to.be.below(300)
    }
  })

  it('of facts end with the place on the chain', () => {
    const ofBlocks = Object.entries(chainBFactSchemas).filter(([type]) => type !== 'Tick' && !isAnswer({ type }))
    for (const [name, schema] of ofBlocks)
      expect(schema.fields.slice(-chainPlace.length), name).to.deep.equal(chainPlace)
  })

  it('of the address book are named unlike those of other chains', () => {
    for (const name of Object.keys(chainBAddressSchemas)) {
      expect(Object.keys(chainAAddressSchemas)).not.to.include(name)
      expect(topics.addresses.schemas).to.have.property(name)
      expect(() => avroType(chainBAddressSchemas[name as keyof typeof chainBAddressSchemas])).not.to.throw()
    }
  })
})

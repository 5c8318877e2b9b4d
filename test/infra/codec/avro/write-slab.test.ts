import { expect } from 'chai'
import fc from 'fast-check'
import { recordWriterOf } from '../../../../infra/codec/avro/record-writer.ts'
import { WriteSlab } from '../../../../infra/codec/avro/write-slab.ts'
import { avroType } from '../../../../infra/codec/schema-codec.ts'
import { hex, recordOf } from '../../../../schemas/avro.ts'

const schema = recordOf('R', [{ name: 'x', type: hex }])
const write = recordWriterOf(schema)
const type = avroType(schema)

const recordOfSize = (size: number) => ({ x: `0x${'ab'.repeat(size)}` })

describe('a write slab', () => {
  it('keeps every record unchanged when later records are written or do not fit', () => {
    const sizes = fc.array(fc.oneof(fc.nat(60), fc.nat(30_000), fc.constant('wrong' as const)), { maxLength: 40 })
    fc.assert(
      fc.property(sizes, (drawn) => {
        const slab = new WriteSlab()
        const written = drawn.flatMap((size, id) => {
          if (size !== 'wrong') return [{ id, size, bytes: slab.write(id, write, recordOfSize(size)) }]
          expect(() => slab.write(id, write, { x: 'no hex' })).to.throw(Error)
          return []
        })
        for (const { id, size, bytes } of written) {
          const whole = Buffer.concat([Buffer.from([0, 0, 0, 0, id]), type.toBuffer(recordOfSize(size))])
          expect(bytes?.equals(whole)).to.equal(true)
        }
      }),
    )
  })

  it('refuses a record larger than itself, and takes the next one', () => {
    const slab = new WriteSlab()
    expect(slab.write(1, write, recordOfSize(70_000))).to.equal(null)
    expect(slab.write(1, write, recordOfSize(3))?.toString('hex')).to.equal('000000000106ababab')
  })
})

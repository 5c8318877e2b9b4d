import { expect } from 'chai'
import { createAnswerStore } from '../../../../api/payments/ledger/answer-store.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'

describe('kept answers', () => {
  const bytes = Buffer.alloc(40)

  it('stay within their bytes: delivered ones go first, then the oldest', () => {
    const answers = createAnswerStore(100)
    answers.keep('oldest', bytes)
    answers.keep('delivered', bytes)
    answers.markDelivered('delivered')
    answers.keep('newest', bytes)
    expect(['oldest', 'delivered', 'newest'].map((id) => answers.get(id) !== undefined)).to.deep.equal([
      true,
      false,
      true,
    ])
    answers.keep('another', bytes)
    expect(['oldest', 'newest', 'another'].map((id) => answers.get(id) !== undefined)).to.deep.equal([
      false,
      true,
      true,
    ])
  })

  it('go in the order of their delivery, also if some were dropped or kept again, or if all were dropped', () => {
    const answers = createAnswerStore(120)
    const deliver = (id: string) => {
      answers.keep(id, bytes)
      answers.markDelivered(id)
    }
    const kept = () => ['a', 'b', 'c', 'd', 'e', 'f'].filter((id) => answers.get(id) !== undefined).join('')
    for (const id of ['a', 'b', 'c', 'd']) deliver(id)
    expect(kept()).to.equal('bcd')
    answers.drop('c')
    deliver('b')
    deliver('a')
    expect(kept()).to.equal('abd')
    deliver('e')
    expect(kept()).to.equal('abe')
    for (const id of ['a', 'b', 'e']) answers.drop(id)
    for (const id of ['f', 'a', 'b', 'c']) deliver(id)
    expect(kept()).to.equal('abc')
    deliver('d')
    expect(kept()).to.equal('bcd')
  })

  it('leave no memory behind when they are dropped, in a store that was full before', () => {
    const answers = createAnswerStore(20 * 100_000)
    const deliver = (index: number) => {
      answers.keep(String(index), Buffer.alloc(100_000))
      answers.markDelivered(String(index))
    }
    for (let index = 0; index < 40; index++) deliver(index)
    const heldBytes = () => {
      collectGarbage()
      return process.memoryUsage().arrayBuffers
    }
    const before = heldBytes()
    for (let index = 40; index < 1_000; index++) {
      deliver(index)
      answers.drop(String(index - 10))
    }
    expect(heldBytes() - before).to.be.below(10_000_000)
  })

  it('count once when kept again, and not at all when dropped', () => {
    const answers = createAnswerStore(100)
    answers.keep('one', bytes)
    answers.keep('one', bytes)
    answers.keep('two', bytes)
    expect(answers.get('one')).to.equal(bytes)
    answers.drop('one')
    answers.keep('three', bytes)
    expect(answers.get('two')).to.equal(bytes)
  })

  it('hold nothing that is larger than all of the room', () => {
    const answers = createAnswerStore(10)
    answers.keep('large', bytes)
    expect(answers.get('large')).to.equal(undefined)
  })
})

import { expect } from 'chai'
import { bodyOf as bodyFor, bodyOfSettled } from '../../../api/payments/body.ts'
import { createAnswerStore } from '../../../api/payments/ledger/answer-store.ts'
import type { PaidRequest } from '../../../api/payments/payment.ts'
import type { PaymentChanged } from '../../../schemas/payments.ts'

const [built, rebuilt, kept] = ['built', 'rebuilt', 'kept'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]
const known = { paymentId: 'p', cutAtMs: 70 } as PaymentChanged

/** Creates a request that records whether its response body is built or rebuilt. */
function requestOf(fields: Partial<PaidRequest> = {}) {
  const made: string[] = []
  const request = {
    buildBody: async (paymentId: string) => {
      made.push(`build ${paymentId}`)
      return { bytes: built, cutAtMs: 90 }
    },
    rebuildBody: async (cutAtMs: number, paymentId: string) => {
      made.push(`rebuild ${paymentId} at ${cutAtMs}`)
      return rebuilt
    },
    ...fields,
  } as unknown as PaidRequest
  return { request, made }
}
const failing = async () => {
  throw new RangeError('the handler fails')
}

const isEveryClientGone = () => false
type Of = Readonly<{ paymentId: string; known: PaymentChanged | undefined }>
const bodyOf = (request: PaidRequest, answers: ReturnType<typeof createAnswerStore>, of: Of) =>
  bodyFor(request, answers, { ...of, isEveryClientGone })

describe('the body of a payment', () => {
  const answers = () => createAnswerStore(1000)

  it('is built for a new payment', async () => {
    const { request, made } = requestOf()
    expect(await bodyOf(request, answers(), { paymentId: 'p', known: undefined })).to.deep.equal({
      ...{ kind: 'built', bytes: built, cutAtMs: 90 },
    })
    expect(made).to.deep.equal(['build p'])
  })

  it('is built under the eyes of all clients that sent the payment', async () => {
    const asked: unknown[] = []
    const buildBody = async (_paymentId: string, isGone: () => boolean) => {
      asked.push(isGone)
      return { bytes: built, cutAtMs: 90 }
    }
    await bodyOf(requestOf({ buildBody }).request, answers(), { paymentId: 'p', known: undefined })
    expect(asked).to.deep.equal([isEveryClientGone])
  })

  it('is built for a payment that had no answer yet', async () => {
    const { request, made } = requestOf()
    await bodyOf(request, answers(), { paymentId: 'p', known: { ...known, cutAtMs: null } })
    expect(made).to.deep.equal(['build p'])
  })

  it('is the stored one, at its cut, if the payment was sent before', async () => {
    const { request, made } = requestOf()
    const store = answers()
    store.keep('p', kept)
    expect(await bodyOf(request, store, { paymentId: 'p', known })).to.deep.equal({
      ...{ kind: 'built', bytes: kept, cutAtMs: 70 },
    })
    expect(made).to.deep.equal([])
  })

  it('is built again at the cut of the first answer and then stored', async () => {
    const { request, made } = requestOf()
    const store = answers()
    expect(await bodyOf(request, store, { paymentId: 'p', known })).to.deep.equal({
      ...{ kind: 'built', bytes: rebuilt, cutAtMs: 70 },
    })
    expect(made).to.deep.equal(['rebuild p at 70'])
    expect(store.get('p')).to.equal(rebuilt)
  })

  it('is new if the route cannot build it again', async () => {
    const { made, request } = requestOf()
    const { rebuildBody: _, ...without } = request
    const store = answers()
    expect(await bodyOf(without, store, { paymentId: 'p', known })).to.deep.include({ bytes: built, cutAtMs: 90 })
    expect(made).to.deep.equal(['build p'])
    expect(store.get('p')).to.equal(undefined)
  })

  it('is a failure with its error if it cannot be made', async () => {
    for (const [fields, of] of [
      [{ buildBody: failing }, undefined],
      [{ rebuildBody: failing }, known],
    ] as const) {
      const body = await bodyOf(requestOf(fields).request, answers(), { paymentId: 'p', known: of })
      expect(body).to.have.property('kind', 'handlerFailed')
      expect(body).to.have.property('error').that.is.instanceOf(RangeError)
    }
  })
})

describe('the body of a settled payment', () => {
  /**
   * Makes the first `failures` tries fail. Returns the kind of the body, and the waits between the tries in
   * milliseconds.
   */
  async function settled(failures: number, isEveryClientGone = (_waits: number) => false) {
    const clock = { nowMs: 5_000 }
    const waits: number[] = []
    let left = failures
    const rebuildBody = async () => (left-- > 0 ? failing() : rebuilt)
    const { kind } = await bodyOfSettled(requestOf({ rebuildBody }).request, createAnswerStore(1000), {
      payment: known,
      nowMs: () => clock.nowMs,
      sleep: async (durationMs) => {
        waits.push(durationMs)
        clock.nowMs += durationMs
      },
      isEveryClientGone: () => isEveryClientGone(waits.length),
    })
    return { kind, waits }
  }

  it('is made at once if it can be', async () => {
    expect(await settled(0)).to.deep.equal({ kind: 'built', waits: [] })
  })

  it('is tried again after waits that double up to 1.6 s, for ten seconds', async () => {
    const doubling = [100, 200, 400, 800, 1600]
    expect(await settled(5)).to.deep.equal({ kind: 'built', waits: doubling })
    expect(await settled(99)).to.deep.equal({ kind: 'handlerFailed', waits: [...doubling, 1600, 1600, 1600, 1600] })
  })

  it('is not tried again if nobody waits for it any more', async () => {
    expect(await settled(99, () => true)).to.deep.equal({ kind: 'handlerFailed', waits: [] })
    expect(await settled(99, (waits) => waits >= 2)).to.deep.equal({ kind: 'handlerFailed', waits: [100, 200] })
  })
})
